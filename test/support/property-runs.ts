/** Property tests run longer with `PROPERTY_RUNS=100000 PROPERTY_SEED=$RANDOM npx vitest run <file>`. */
export const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 96);
export const SEED = Number(process.env["PROPERTY_SEED"] ?? 20_260_101);
/** Node fires a timer at once if its time is longer than this. */
const MOST_MS = 2 ** 31 - 1;
export const TIMEOUT_MS = Math.min(60_000 + 200 * RUNS, MOST_MS);

/** Shrinking must end in time to show the counterexample. */
export const LIMITS = {
  seed: SEED,
  interruptAfterTimeLimit: TIMEOUT_MS - 10_000,
  markInterruptAsFailure: true,
};
