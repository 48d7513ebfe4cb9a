/**
 * Simulates ordinary events and disasters in the sources of installations, and judges the runs by the shipped rules:
 *
 *     npm run simulate:guard -- [--seed 1] [--years 1]
 *
 * Each organisation gets one installation for each of the `--years`, and each installation lives for at most a year.
 */
import { parseArgs } from "node:util";
import { disasterRows, organisationRows, summaryOf } from "./report.js";
import { simulateChurn } from "./simulate.js";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, years: { type: "string", default: "1" } },
});
const [seed, lives] = [Number(values.seed), Number(values.years)];
if (!Number.isInteger(seed) || !Number.isInteger(lives) || lives < 1)
  throw new TypeError("--seed and --years must be integers.");

const tally = simulateChurn({ seed, lives });
console.table(organisationRows(tally));
console.table(disasterRows(tally));
console.log(summaryOf(tally));
