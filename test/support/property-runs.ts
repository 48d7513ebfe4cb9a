const USUAL_RUNS = 96;

/** Property tests run longer with `PROPERTY_RUNS=100000 PROPERTY_SEED=$RANDOM npx vitest run <file>`. */
export const RUNS = Number(process.env["PROPERTY_RUNS"] ?? USUAL_RUNS);
export const SEED = Number(process.env["PROPERTY_SEED"] ?? 20_260_101);
/** Longer timers fire at once. */
const MOST_MS = 2 ** 31 - 1;
export const TIMEOUT_MS = Math.min(60_000 + 200 * RUNS, MOST_MS);

/** Shrinking ends in time to show the counterexample. */
export const LIMITS = {
  seed: SEED,
  interruptAfterTimeLimit: TIMEOUT_MS - 10_000,
  markInterruptAsFailure: true,
};

/**
 * Runs schedules drawn from successive seeds, starting at `PROPERTY_SEED`: `usually` of them, scaled by `PROPERTY_RUNS`.
 * @throws Error with the seed and the schedule of the failed run
 */
export async function forSeeds<Schedule>(
  usually: number,
  draw: (seed: number) => Schedule,
  run: (schedule: Schedule) => Promise<void>,
): Promise<void> {
  const count = Math.max(1, Math.round((usually * RUNS) / USUAL_RUNS));
  for (let seed = SEED; seed < SEED + count; seed++) {
    const schedule = draw(seed);
    try {
      await run(schedule);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const again = `PROPERTY_SEED=${seed} PROPERTY_RUNS=1`;
      throw new Error(`${why}\n\nReproduce with ${again}:\n${JSON.stringify(schedule)}`, { cause });
    }
  }
}
