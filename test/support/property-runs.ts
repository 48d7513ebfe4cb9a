/**
 * How far property tests look. `PROPERTY_RUNS=100000 PROPERTY_SEED=$RANDOM npx vitest run test/sync/encoders.test.ts`
 * looks further.
 */
export const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 240);
export const SEED = Number(process.env["PROPERTY_SEED"] ?? 20_260_101);
export const TIMEOUT_MS = 60_000 + 200 * RUNS;

/** The search for the smallest counterexample ends in time to show it. */
export const LIMITS = {
  seed: SEED,
  interruptAfterTimeLimit: TIMEOUT_MS - 10_000,
  markInterruptAsFailure: true,
};
