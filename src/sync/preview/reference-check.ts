import type { SnapshotCollection } from "../collections.js";
import { truncateId } from "../encoding/record-id.js";
import { IdTable } from "../ids/id-table.js";
import { MAX_EXAMPLES } from "./examples.js";
import type { RecordReference } from "./record-references.js";
import type { ReferencedIds } from "./referenced-ids.js";
import type { DanglingReference, ReferencePreview } from "./sync-preview.js";

/** How many waiting references are kept with their ids and places; of the others only the index is. */
const MAX_WAITING_IDS = 10_000;

/**
 * Whether what one field refers to is there.
 *
 * A record may come after those that refer to it. References that are not resolved at once wait as hashes, about 35
 * bytes for each different id: where records come before their references, as accounts before licenses, nothing waits.
 */
export class ReferenceCheck {
  readonly field: string;
  readonly #there: ReferencedIds;
  readonly #searched: readonly SnapshotCollection[];
  readonly #notSearched: readonly SnapshotCollection[];
  /** By the missing id: the index of the first record, and the number under which the rest is found. */
  readonly #waiting = new IdTable();
  /** Number of records, by the missing id's number. */
  readonly #records: number[] = [];
  readonly #known: Omit<DanglingReference, "index">[] = [];

  constructor({ field, to }: RecordReference, there: ReferencedIds) {
    this.field = field;
    this.#there = there;
    this.#searched = to.filter((collection) => there.covers(collection));
    this.#notSearched = to.filter((collection) => !there.covers(collection));
  }

  /** A record refers to this id. */
  see(missingId: string, index: number, describe: () => Pick<DanglingReference, "id" | "location">): void {
    if (this.#searched.length === 0) return;
    const hash = this.#there.hashOf(missingId);
    if (this.#there.has(this.#searched, hash)) return;
    const number = this.#waiting.size;
    const before = this.#waiting.add(hash.low, hash.high, index, number);
    if (before !== -1) {
      this.#records[before] = (this.#records[before] ?? 0) + 1;
      return;
    }
    this.#records[number] = 1;
    if (number < MAX_WAITING_IDS) this.#known.push({ ...describe(), missingId: truncateId(missingId) });
  }

  /** What came of it, when everything was written. */
  preview(): ReferencePreview {
    let dangling = 0;
    let missingIds = 0;
    let first: DanglingReference[] = [];
    this.#waiting.forEach((low, high) => {
      if (this.#there.has(this.#searched, { low, high })) return;
      // What is there already is not put in again: the table answers with its number.
      const number = this.#waiting.add(low, high, 0, 0);
      const index = this.#waiting.contentsOf(low, high) ?? 0;
      dangling += this.#records[number] ?? 0;
      missingIds += 1;
      if (first.length === MAX_EXAMPLES && index > (first.at(-1)?.index ?? 0)) return;
      const { id, location, missingId } = this.#known[number] ?? {};
      first = [...first, { index, id, location, missingId }]
        .sort((a, b) => a.index - b.index)
        .slice(0, MAX_EXAMPLES);
    });
    return {
      field: this.field,
      searched: this.#searched,
      notSearched: this.#notSearched,
      dangling,
      missingIds,
      first,
    };
  }
}
