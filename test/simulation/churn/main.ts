/**
 * Simulates organisations, their changes and disasters of their sources, judged by the shipped rules of the guard:
 *
 *     npm run simulate:guard -- [--seed 1] [--years 4] [--quick]
 *
 * `--quick` simulates one year, and the default thresholds alone.
 */
import { parseArgs } from "node:util";
import { ORGANISATIONS } from "./organisations.js";
import { disasterTable, organisationTable, sensitivityTable, summaryOf } from "./report.js";
import { simulateChurn } from "./simulate.js";

const OTHER_SHARES = [0.15, 0.2, 0.3];
const DEFAULT_SHARE = 0.25;
const DISASTERS_A_YEAR = 5;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    years: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const years = Number(values.years ?? (values.quick ? 1 : 4));
if (!Number.isInteger(seed) || !Number.isInteger(years) || years < 1)
  throw new TypeError("--seed and --years must be integers.");

console.log(`${ORGANISATIONS.length} organisations, ${years} years each, seed ${seed}\n`);
const tally = simulateChurn({ seed, years, disastersAYear: DISASTERS_A_YEAR });
for (const part of [organisationTable(tally), disasterTable(tally), summaryOf(tally)])
  console.log(`${part}\n`);

if (!values.quick) {
  const rows = OTHER_SHARES.map((maxShare) => {
    const guard = { removed: { maxShare }, window: { maxShare }, emptied: { maxShare } };
    return [maxShare, simulateChurn({ seed, years, disastersAYear: DISASTERS_A_YEAR, guard })] as const;
  });
  console.log(sensitivityTable([...rows, [DEFAULT_SHARE, tally] as const].sort(([a], [b]) => a - b)));
}
