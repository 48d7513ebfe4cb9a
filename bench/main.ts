/**
 * `npm run bench`: compares this SDK with its alternatives, on the same task and server, in the same rounds.
 *
 *     npm run bench -- [--quick] [--rounds 5] [--size 1] [--against DIR] [--list] [name…]
 *
 * A name is a comparison's name or a part of it, such as `sync/accounts`; comparisons that are in neither the quick nor
 * the full form need the whole name. Every run has its own process.
 */
import { graphqlComparisons } from "./graphql/comparisons.js";
import type { Comparison } from "./harness/comparison.js";
import { describeMachine, showMachine } from "./harness/machine.js";
import { type Options, parseOptions } from "./harness/options.js";
import { writeResults } from "./harness/output.js";
import { Servers } from "./harness/processes.js";
import { showMeasured, showTargets } from "./harness/report.js";
import { type Measured, measure } from "./harness/rounds.js";
import { importComparisons } from "./import/comparisons.js";
import { scaleComparisons } from "./scale/comparisons.js";
import { syncComparisons } from "./sync/comparisons.js";
import { testingComparisons } from "./testing/comparisons.js";

const options = parseOptions(process.argv.slice(2));
const machine = describeMachine();
const servers = new Servers();
try {
  const comparisons = [
    syncComparisons,
    graphqlComparisons,
    importComparisons,
    scaleComparisons,
    testingComparisons,
  ]
    .flatMap((comparisonsOf) => comparisonsOf({ servers, ...options }))
    .filter((comparison) => isWanted(comparison, options));
  if (options.against === undefined)
    console.log("run-old is skipped: name the dist folder of the build to compare with, --against DIR.");
  if (options.list) for (const { id, title, runs } of comparisons) console.log(`${id} (${runs}): ${title}`);
  else await measureAll(comparisons);
} finally {
  servers.stop();
}

async function measureAll(comparisons: readonly Comparison[]): Promise<void> {
  console.log(showMachine(machine));
  const all: Measured[] = [];
  for (const comparison of comparisons) {
    const measured = await measure(comparison, options.rounds);
    console.log(showMeasured(measured));
    all.push(measured);
  }
  console.log(`\nTargets\n\n${showTargets(all)}\n\nEvery figure: ${writeResults(machine, options, all)}`);
}

function isWanted({ id, runs }: Comparison, { quick, only, list }: Options): boolean {
  if (only.length > 0)
    return only.some((name) => id === name || ((list || runs !== "named") && id.includes(name)));
  return list || runs === "quick" || (runs === "full" && !quick);
}
