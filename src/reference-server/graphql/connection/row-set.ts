import { fingerprint } from "./cursor.js";
import { compareValues, type IdentifiedRow } from "./row.js";

/** Number of filtered and sorted lists that a row set remembers. */
const REMEMBERED_LISTS = 16;

/**
 * All rows of a connection at one moment, in ascending order of their ids.
 *
 * It remembers the last lists that were made of it, so that the pages after the first one cost no sorting. Nothing
 * has to be forgotten when rows change: a change makes a new row set.
 */
export class RowSet<R extends IdentifiedRow = IdentifiedRow> {
  readonly rows: readonly R[];
  readonly #lists = new Map<string, readonly R[]>();

  /** @param parts the rows, in lists that need not be in order. */
  constructor(...parts: readonly (readonly R[])[]) {
    const rows: R[] = [];
    this.rows = rows.concat(...parts).sort((a, b) => compareValues(a.id, b.id));
  }

  /** The list that `make` makes of the rows, remembered under `question`, a value that can be written as JSON. */
  list(question: unknown, make: (rows: readonly R[]) => readonly R[]): readonly R[] {
    const key = fingerprint(question);
    const list = this.#lists.get(key) ?? make(this.rows);
    this.#lists.delete(key);
    this.#lists.set(key, list);
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= REMEMBERED_LISTS) break;
      this.#lists.delete(oldest);
    }
    return list;
  }
}
