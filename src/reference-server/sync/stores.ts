import { WIRE } from "../../sync/generated/collections.js";
import type { Collection, MessageOf } from "../workspace.js";
import type { Batch } from "./batch.js";

/** The records of one message, tied to their collection. */
export type CollectionMessage<C extends Collection = Collection> = {
  [K in C]: { readonly $case: K; readonly value: { readonly records: readonly MessageOf<K>[] } };
}[C];

export type CollectionStores = { readonly [C in Collection]: CollectionStore<C> };

/** An empty store for each collection of the contract. */
export function createStores(): CollectionStores {
  const stores = Object.keys(WIRE)
    .filter(isCollection)
    .map((name) => [name, new CollectionStore(name)]);
  return Object.fromEntries(stores);
}

export function isCollection(name: string): name is Collection {
  return Object.hasOwn(WIRE, name);
}

/** The id of a record in its source; externally discovered usage has none. */
function recordId({ variant }: MessageOf<Collection>, idField: string | undefined): string | undefined {
  if (variant === undefined || idField === undefined) return undefined;
  return String(Reflect.get(variant.value, idField));
}

/** A stored record. Batches are identified by their sequence numbers. */
interface Row<R> {
  record: R;
  /** Last batch that sent the record. */
  sentBy: number;
  /** Last completed batch whose snapshot had the record; 0 for none. */
  completedBy: number;
  removed: boolean;
}

/**
 * The records of one collection of an installation.
 *
 * Each row stores the number of the batch that sent it. So batches need no sets of ids, a million records need no
 * second table, and nothing has to be cleaned up after an aborted batch.
 *
 * An event with an id is stored once, whichever batches send it. An event without an id is stored as often as it is
 * sent, because equal events may be separate observations. No batch removes an event.
 */
export class CollectionStore<C extends Collection> {
  readonly model: "snapshot" | "event";
  readonly #collection: C;
  readonly #idField: string | undefined;
  /** Rows by id; an event without an id gets its own symbol. */
  readonly #rows = new Map<string | symbol, Row<MessageOf<C>>>();
  #present: readonly MessageOf<C>[] | undefined;
  /** Batch of the previous completed snapshot. */
  #completedBy: number | undefined;

  constructor(collection: C) {
    this.#collection = collection;
    ({ model: this.model, idField: this.#idField } = WIRE[collection]);
  }

  /** If a snapshot has two records with one id, the last one wins. A removed record that returns is present again. */
  write(records: readonly MessageOf<C>[], batch: Batch): void {
    const counts = batch.countsOf(this.#collection);
    counts.accepted += records.length;
    if (records.length > 0) this.#present = undefined;
    for (const record of records) {
      const id = recordId(record, this.#idField) ?? Symbol();
      const row = this.#rows.get(id);
      if (row === undefined) {
        counts.added++;
        this.#rows.set(id, { record, sentBy: batch.sequence, completedBy: 0, removed: false });
      } else if (this.model === "snapshot") {
        if (row.sentBy !== batch.sequence) counts.updated++;
        row.record = record;
        row.sentBy = batch.sequence;
        row.removed = false;
      }
    }
  }

  /**
   * Called when a batch that included the collection completes. A record of the previous completed snapshot is marked
   * as removed if the batch didn't send it. A record that only aborted or expired batches sent isn't removed.
   */
  complete(batch: Batch): void {
    if (this.model === "event") return;
    const counts = batch.countsOf(this.#collection);
    for (const row of this.#rows.values()) {
      if (row.sentBy === batch.sequence) {
        row.completedBy = batch.sequence;
      } else if (row.completedBy === this.#completedBy) {
        row.removed = true;
        counts.removed++;
        this.#present = undefined;
      }
    }
    this.#completedBy = batch.sequence;
  }

  /** The records that readers see; the array stays the same until the records change. */
  present(): readonly MessageOf<C>[] {
    if (this.#present !== undefined) return this.#present;
    const present: MessageOf<C>[] = [];
    for (const { removed, record } of this.#rows.values()) if (!removed) present.push(record);
    this.#present = present;
    return present;
  }

  /** Every record that was ever accepted. */
  all(): readonly { readonly id: string; readonly removed: boolean; readonly record: MessageOf<C> }[] {
    return Array.from(this.#rows, ([id, { removed, record }]) => ({
      id: typeof id === "string" ? id : "",
      removed,
      record,
    }));
  }
}
