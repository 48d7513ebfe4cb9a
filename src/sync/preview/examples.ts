/** Most examples of one kind that a preview holds. */
export const MAX_EXAMPLES = 20;

/** Longest id that a preview shows. */
const MAX_SHOWN_ID = 200;

/** An id as a preview shows it. */
export function shortened(id: string): string {
  return id.slice(0, MAX_SHOWN_ID);
}
