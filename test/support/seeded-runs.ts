import { RUNS, SEED } from "./property-runs.js";

/** Runs of a property test where it is not told how far to look. */
const USUAL_RUNS = 240;

/**
 * Goes through seeded schedules, one after the other: as many as `usually`, and more or fewer with `PROPERTY_RUNS`.
 * They begin with `PROPERTY_SEED`, so that one that failed can be played again alone.
 *
 * @throws Error with the seed and the schedule of the run that failed, which is its cause
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
      throw new Error(`${why}\n\nPlay it again with ${again}:\n${JSON.stringify(schedule)}`, { cause });
    }
  }
}
