/**
 * Explores the model of staged runs: the protocol as it is, then without each of its rules.
 *
 *     npm run check:staging -- [--exhaustive] [part of a name]
 *
 * `--exhaustive` takes minutes and some gigabytes. Fails if the protocol has a violation, or if it has none without a rule.
 */
import { ABLATIONS, CASES, LARGE_CASES } from "./cases.js";
import { type SearchResult, search } from "./search.js";

const MAX_STATES = 30_000_000;

const given = process.argv.slice(2);
const isExhaustive = given.includes("--exhaustive");
const part = given.find((argument) => !argument.startsWith("--")) ?? "";
const failures: string[] = [];
let states = 0;

for (const { name, model } of isExhaustive ? [...CASES, ...LARGE_CASES] : CASES) {
  if (!name.includes(part)) continue;
  const since = Date.now();
  const result = search(model(), { maxStates: MAX_STATES });
  states += result.states;
  const count = `${format(result.states)} ${format(result.transitions)}`;
  console.log(`${count} ${((Date.now() - since) / 1000).toFixed(1).padStart(7)} s  ${name}`);
  if (!result.isWhole && result.violations.length === 0)
    failures.push(`${name}: more than ${MAX_STATES} states`);
  if (result.violations.length > 0) failures.push(`${name}: a violation`);
  printTraces(result);
}
console.log(`${format(states)} states; the columns are states, transitions and seconds.\n`);

for (const { name, without, model, harmless } of ABLATIONS) {
  if (!name.includes(part)) continue;
  const result = search(model(), { maxStates: MAX_STATES });
  const isViolated = result.violations.length > 0;
  console.log(`Without ${name} (${without}):`);
  if (!isViolated && harmless !== undefined) console.log(`  no violation: ${harmless}`);
  else if (!isViolated || harmless !== undefined)
    failures.push(`without ${name}: ${isViolated ? "a" : "no"} violation`);
  printTraces(result);
}

if (failures.length > 0) {
  console.error(`\nFailed:\n${failures.map((failure) => `  ${failure}`).join("\n")}`);
  process.exitCode = 1;
}

function printTraces({ violations }: SearchResult): void {
  for (const { what, trace } of violations)
    console.log(
      [`  ${what}:`, ...trace.map((step, at) => `  ${String(at + 1).padStart(4)}. ${step.trim()}`)].join(
        "\n",
      ),
    );
}

function format(count: number): string {
  return count.toLocaleString("en-US").padStart(11);
}
