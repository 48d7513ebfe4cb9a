/**
 * Runs as many random programs as asked for, and prints what they went through.
 *
 *     npm run soak -- [programs] [seed]
 */
import fc from "fast-check";
import { violations } from "./invariants.js";
import { program } from "./program.js";
import { simulate } from "./simulate.js";

const programs = Number(process.argv[2] ?? 20_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const fired = new Map<string, number>();
const figures = { programs: 0, batches: 0, completed: 0, retries: 0 };

console.log(`seed ${seed}`);
const started = performance.now();
const result = await fc.check(
  fc.asyncProperty(program, async (drawn) => {
    const simulated = await simulate(drawn);
    const found = violations(simulated);
    if (found.length > 0) throw new Error(found.join("; "));
    figures.programs += 1;
    figures.batches += simulated.service.batches.length;
    figures.completed += simulated.service.batches.filter(({ state }) => state === "completed").length;
    figures.retries += simulated.observation.told.filter(isRetry).length;
    for (const { operation, kind } of simulated.fired) {
      const name = `${operation}: ${kind.type}${"at" in kind ? ` ${kind.at}` : ""}${"code" in kind ? ` ${kind.code}` : ""}`;
      fired.set(name, (fired.get(name) ?? 0) + 1);
    }
  }),
  { seed, numRuns: programs, interruptAfterTimeLimit: 3_600_000, markInterruptAsFailure: false },
);
const seconds = (performance.now() - started) / 1000;
console.log({ ...figures, programsPerMinute: Math.round((figures.programs / seconds) * 60) });
console.table([...fired].sort(([a], [b]) => a.localeCompare(b)).map(([fault, times]) => ({ fault, times })));
if (result.failed) {
  console.error(fc.defaultReportMessage(result), result.errorInstance);
  process.exitCode = 1;
}

function isRetry(told: unknown): boolean {
  return typeof told === "object" && told !== null && "type" in told && told.type === "retry";
}
