/** Longest id that an error or a preview shows. */
const MAX_SHOWN_ID = 200;

/** An id as an error or a preview shows it. */
export function shownId(id: string): string {
  return id.slice(0, MAX_SHOWN_ID);
}
