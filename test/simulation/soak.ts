/**
 * Runs as many random programs as asked for, and prints what they went through. They run in memory against a model of
 * the service: those of the batch engine, or with `--graphql` those of the GraphQL facade. With `--sockets` those of
 * the batch engine run over real sockets against the reference server.
 *
 *     npm run soak -- [--graphql | --sockets] [--minutes 60] [--no-shrink] [--path 76:0:2] [programs] [seed]
 *
 * With the seed and the path of a failure, it begins with the program that failed.
 * It ends with the number of programs or with the time, whichever is first.
 */
import { parseArgs } from "node:util";
import { RunHeldError, RunOutdatedError, SpoolError } from "@saas-management/sdk";
import type { Fault } from "@saas-management/sdk/testing";
import fc from "fast-check";
import { graphqlProperty } from "./graphql/soak.js";
import { violations } from "./invariants.js";
import type { ObservedRun } from "./observation.js";
import { program } from "./program-arbitrary.js";
import { type Simulated, simulate } from "./simulate.js";
import { socketViolations } from "./sockets/invariants.js";
import { socketProgram } from "./sockets/program.js";
import { simulateOverSockets } from "./sockets/simulate.js";
import { Tally } from "./tally.js";

const MINUTE_MS = 60_000;

const { values, positionals } = parseArgs({
  options: {
    graphql: { type: "boolean", default: false },
    sockets: { type: "boolean", default: false },
    "no-shrink": { type: "boolean", default: false },
    minutes: { type: "string", default: "60" },
    path: { type: "string" },
  },
  allowPositionals: true,
});
const [programs = values.sockets ? 1000 : 20_000, seed = Date.now() % 2 ** 31] = positionals.map(Number);
const tally = new Tally();

const inMemory = fc.asyncProperty(program, async (drawn) => {
  const simulated = await simulate(drawn);
  const planned = drawn.faults.filter(({ atLeast }) => atLeast > 0).length;
  take(simulated, violations(simulated), simulated.fired.map(nameOf), drawn.faults.map(nameOf), planned);
});
const overSockets = fc.asyncProperty(socketProgram, async (drawn) => {
  const simulated = await simulateOverSockets(drawn);
  const planned = drawn.faults.filter(({ certain }) => certain).length;
  const names = [...drawn.faults.map(({ fault }) => fault), ...drawn.network].map(nameOf);
  take(simulated, socketViolations(simulated), simulated.struckBy.map(nameOf), names, planned);
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
const failure = await run();
const seconds = (performance.now() - started) / 1000;
console.log(tally.figures(seconds));
console.table(tally.faults);
const { idle } = tally;
if (failure !== undefined || idle.length > 0) {
  console.error(failure ?? `Faults that never struck: ${idle.map(({ fault }) => fault).join("; ")}`);
  process.exitCode = 1;
}

/** Runs the programs that were asked for. */
async function run(): Promise<string | undefined> {
  if (values.graphql) return report(await fc.check(graphqlProperty(tally), parameters));
  return values.sockets
    ? report(await fc.check(overSockets, parameters))
    : report(await fc.check(inMemory, parameters));
}

/** Counts a program in, unless it violated something. */
function take(
  { service, observation }: Simulated,
  found: readonly string[],
  struck: readonly string[],
  drawn: readonly string[],
  planned: number,
): void {
  if (found.length > 0) throw new Error(found.join("; "));
  tally.add({
    batches: service.batches.length,
    completed: service.batches.filter(({ state }) => state === "completed").length,
    retries: observation.told.filter(isRetry).length,
    ...figuresOf(observation.runs),
    planned,
  });
  tally.noteFaults(drawn, struck);
}

/** What became of runs, and how often a connector was called again, or its records were sent again. */
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

/** What failed, with the seed and the smallest program that was found; undefined where nothing did. */
function report<T>(result: fc.RunDetails<T>): string | undefined {
  if (!result.failed) return undefined;
  return `${result.errorInstance}\n${fc.defaultReportMessage(result)}`;
}

/** A fault by its place and its kind. */
function nameOf(fault: NamedFault | Fault): string {
  if ("fault" in fault) {
    const { on, message, at, fault: type } = fault;
    const code = type === "status" ? fault.status : type === "rst-stream" ? fault.code : undefined;
    const grace = type === "goaway" ? fault.grace : undefined;
    return nameOf({ operation: on, message, kind: { type, at, code, grace } });
  }
  const { operation, message, kind } = fault;
  const { type, at, code, grace, counted, forwarded } = kind;
  const parts = [
    type,
    at,
    code,
    grace === undefined ? undefined : `grace ${grace}`,
    counted === undefined ? undefined : `counted ${counted}`,
    forwarded === undefined ? undefined : `forwarded ${forwarded}`,
  ];
  const where = message === undefined ? operation : `${operation}, at a message`;
  return `${where}: ${parts.filter((part) => part !== undefined).join(" ")}`;
}

interface NamedFault {
  readonly operation?: string;
  readonly message?: number | undefined;
  readonly kind: {
    readonly type: string;
    readonly at?: string | undefined;
    readonly code?: number | string | undefined;
    readonly grace?: boolean | undefined;
    readonly counted?: boolean;
    readonly forwarded?: boolean;
  };
}

function isRetry(told: unknown): boolean {
  return typeof told === "object" && told !== null && "type" in told && told.type === "retry";
}
