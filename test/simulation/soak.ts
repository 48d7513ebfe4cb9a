/**
 * Runs random programs in memory against a model of the service, and prints how often each fault and outcome occurred.
 * The programs use the batch engine or, with `--graphql`, the GraphQL facade.
 *
 *     npm run soak -- [--graphql] [--minutes 60] [--no-shrink] [--path 76:0:2] [programs] [seed]
 *
 * With the seed and the path of a failure, the first program is the failed one. The soak stops after the
 * given number of programs or the given time, whichever comes first.
 */
import { parseArgs } from "node:util";
import { RunHeldError, RunOutdatedError, SpoolError } from "@saas-management/sdk";
import fc from "fast-check";
import { program as graphqlProgram } from "./graphql/program.js";
import { simulate as simulateGraphql } from "./graphql/simulate.js";
import { graphqlViolations } from "./graphql/violations.js";
import { violations } from "./invariants.js";
import type { ObservedRun } from "./observation.js";
import { program } from "./program-arbitrary.js";
import { simulate } from "./simulate.js";
import { Tally } from "./tally.js";

const MINUTE_MS = 60_000;

const { values, positionals } = parseArgs({
  options: {
    graphql: { type: "boolean", default: false },
    "no-shrink": { type: "boolean", default: false },
    minutes: { type: "string", default: "60" },
    path: { type: "string" },
  },
  allowPositionals: true,
});
const [programs = 20_000, seed = Date.now() % 2 ** 31] = positionals.map(Number);
const tally = new Tally();

const syncProperty = fc.asyncProperty(program, async (drawn) => {
  const simulated = await simulate(drawn);
  const found = violations(simulated);
  if (found.length > 0) throw new Error(found.join("; "));
  const { service, observation, fired } = simulated;
  tally.add({
    batches: service.batches.length,
    completed: service.batches.filter(({ state }) => state === "completed").length,
    retries: observation.told.filter(isRetry).length,
    ...figuresOf(observation.runs),
    planned: drawn.faults.filter(({ atLeast }) => atLeast > 0).length,
  });
  tally.noteFaults(drawn.faults.map(nameOf), fired.map(nameOf));
});
const graphqlProperty = fc.asyncProperty(graphqlProgram, async (drawn) => {
  const simulated = await simulateGraphql(drawn);
  const found = graphqlViolations(simulated);
  if (found.length > 0) throw new Error(found.join("; "));
  const { requests, walks, legs } = simulated.journal;
  tally.add({
    requests: requests.length,
    walks: walks.length,
    resumed: legs.length - walks.length,
    failures: legs.reduce((sum, { failures }) => sum + failures.length, 0),
  });
  tally.noteFaults(drawn.faults.map(nameOf), simulated.fired.map(nameOf));
});

console.log(`seed ${seed}`);
const started = performance.now();
const parameters = {
  seed,
  ...(values.path !== undefined && { path: values.path }),
  numRuns: programs,
  interruptAfterTimeLimit: Number(values.minutes) * MINUTE_MS,
  markInterruptAsFailure: false,
  endOnFailure: values["no-shrink"],
};
const failure = values.graphql
  ? report(await fc.check(graphqlProperty, parameters))
  : report(await fc.check(syncProperty, parameters));
const seconds = (performance.now() - started) / 1000;
console.log(tally.figures(seconds));
console.table(tally.faults);
const { idle } = tally;
if (failure !== undefined || idle.length > 0) {
  console.error(failure ?? `Faults that never fired: ${idle.map(({ fault }) => fault).join("; ")}`);
  process.exitCode = 1;
}

/** Counts how runs ended, and how often they called a connector or sent records again. */
function figuresOf(runs: readonly ObservedRun[]): Record<string, number> {
  const sum = (numberOf: (run: ObservedRun) => number) => runs.reduce((all, run) => all + numberOf(run), 0);
  return {
    runs: runs.length,
    held: sum(({ error }) => Number(error instanceof RunHeldError)),
    outdated: sum(({ error }) => Number(error instanceof RunOutdatedError)),
    withoutRoom: sum(({ error }) => Number(error instanceof SpoolError)),
    killed: sum(({ killed }) => Number(killed)),
    calledAgain: sum(({ extractions }) => Math.max(0, extractions.length - 1)),
    sentAgain: sum(({ batches }) => batches.length - new Set(batches.map((one) => one.extraction)).size),
    tooLate: sum(({ extractions }) => extractions.filter(({ late }) => Number.isFinite(late)).length),
  };
}

/** Describes a failure with its seed and the smallest failing program; undefined if nothing failed. */
function report<T>(result: fc.RunDetails<T>): string | undefined {
  if (!result.failed) return undefined;
  return `${result.errorInstance}\n${fc.defaultReportMessage(result)}`;
}

/** Names a fault by its operation and its kind. */
function nameOf({ operation, kind }: NamedFault): string {
  const shown = Object.entries(kind).filter(([name]) => !["ms", "details"].includes(name));
  const parts = shown.map(([name, value]) => (typeof value === "boolean" ? `${name} ${value}` : value));
  return [operation ?? "page", ...parts].join(" ");
}

interface NamedFault {
  readonly operation?: string;
  readonly kind: object;
}

function isRetry(told: unknown): boolean {
  return typeof told === "object" && told !== null && "type" in told && told.type === "retry";
}
