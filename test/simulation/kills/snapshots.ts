const IDS = 60;
/** A tenth of the ids are missing from each snapshot, which is too few for the guard to hold a run. */
const MISSING_OF = 10;

export const ALL_IDS: readonly string[] = Array.from({ length: IDS }, (_, index) => `u${index}`);

/** The ids that the run with this number sends. */
export function idsOf(run: number): string[] {
  return ALL_IDS.filter((_, index) => index % MISSING_OF !== run % MISSING_OF);
}
