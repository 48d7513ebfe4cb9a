import type { Collection, MessageOf } from "../workspace.js";
import type { Batch } from "./batch.js";
import { type CollectionStore, recordId } from "./collections.js";

/** A stored record and what is known of it. Batches are named by their sequence number. */
class Row<R> {
  /** Last batch that sent the record. */
  sentBy: number;
  /** Last completed batch whose snapshot had the record; 0 for none. */
  completedBy = 0;
  removed = false;

  constructor(
    public record: R,
    batch: Batch,
  ) {
    this.sentBy = batch.sequence;
  }
}

/**
 * The records of one snapshot collection of an installation.
 *
 * Rows carry the number of the batch that sent them, instead of the batch keeping a set of ids: a million records
 * need no second table, and what an aborted batch has seen is forgotten by itself, because its number is never used
 * again.
 */
export class Snapshot<C extends Collection> implements CollectionStore<C> {
  readonly model = "snapshot";
  readonly #collection: C;
  readonly #rows = new Map<string, Row<MessageOf<C>>>();
  /** What a reader was shown, until a record changes. */
  #shown: readonly MessageOf<C>[] | undefined;
  /** Batch of the previous completed snapshot. */
  #completedBy: number | undefined;

  constructor(collection: C) {
    this.#collection = collection;
  }

  /** Adds and updates. The last of two records with one id wins; a removed one that returns is the same again. */
  write(records: readonly MessageOf<C>[], batch: Batch): void {
    const tally = batch.tally(this.#collection);
    if (records.length > 0) this.#shown = undefined;
    for (const record of records) {
      const id = recordId(record) ?? "";
      const row = this.#rows.get(id);
      tally.accepted++;
      if (row === undefined) {
        tally.added++;
        this.#rows.set(id, new Row(record, batch));
        continue;
      }
      if (row.sentBy !== batch.sequence) tally.updated++;
      row.record = record;
      row.sentBy = batch.sequence;
      row.removed = false;
    }
  }

  /**
   * Makes what the batch sent the completed snapshot: records of the previous completed one that are missing from it
   * are marked removed. Records that only an aborted or expired batch sent belong to neither, and stay.
   */
  complete(batch: Batch): void {
    const tally = batch.tally(this.#collection);
    for (const row of this.#rows.values()) {
      if (row.sentBy === batch.sequence) {
        row.completedBy = batch.sequence;
      } else if (row.completedBy === this.#completedBy) {
        row.removed = true;
        tally.removed++;
        this.#shown = undefined;
      }
    }
    this.#completedBy = batch.sequence;
  }

  present(): readonly MessageOf<C>[] {
    if (this.#shown !== undefined) return this.#shown;
    const present: MessageOf<C>[] = [];
    for (const { removed, record } of this.#rows.values()) if (!removed) present.push(record);
    this.#shown = present;
    return present;
  }

  /** Every record that was ever accepted, with its id and mark. */
  *all(): Generator<{ id: string; removed: boolean; record: MessageOf<C> }, void, undefined> {
    for (const [id, { removed, record }] of this.#rows) yield { id, removed, record };
  }
}
