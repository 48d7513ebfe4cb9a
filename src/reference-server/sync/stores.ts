import { WIRE } from "../../sync/generated/collections.js";
import type { Collection, MessageOf, Slot } from "../workspace.js";
import type { Batch } from "./batch.js";

/** The records of one message, tied to their collection. */
export type CollectionMessage<C extends Collection = Collection> = {
  [K in C]: { readonly $case: K; readonly value: { readonly records: readonly MessageOf<K>[] } };
}[C];

/** Where an installation keeps the records of one collection. */
export interface CollectionStore<C extends Collection> {
  readonly model: "snapshot" | "event";
  write(records: readonly MessageOf<C>[], batch: Batch): void;
  /** Called when a batch that included the collection completes. */
  complete(batch: Batch): void;
  /** The records that readers see: the same array until they change. */
  present(): readonly MessageOf<C>[];
  /** The place of the record with this id, from now on. */
  find(id: string): Slot<MessageOf<C>> | undefined;
  /** Every record that was ever accepted. */
  all(): readonly { readonly id: string; readonly removed: boolean; readonly record: MessageOf<C> }[];
}

export type CollectionStores = { readonly [C in Collection]: CollectionStore<C> };

/** An empty store for each collection of the contract. */
export function createStores(): CollectionStores {
  const stores = Object.keys(WIRE)
    .filter(isCollection)
    .map((name) => [name, WIRE[name].model === "snapshot" ? new Snapshot(name) : new EventLog(name)]);
  return Object.fromEntries(stores);
}

function isCollection(name: string): name is Collection {
  return Object.hasOwn(WIRE, name);
}

/** The id of a record in its source; externally discovered usage has none. */
function recordId({ variant }: MessageOf<Collection>, idField: string | undefined): string | undefined {
  if (variant === undefined || idField === undefined) return undefined;
  return String(Reflect.get(variant.value, idField));
}

/** A stored record. Batches are named by their sequence number. */
interface Row<R> {
  record: R;
  /** Last batch that sent the record. */
  sentBy: number;
  /** Last completed batch whose snapshot had the record; 0 for none. */
  completedBy: number;
  removed: boolean;
}

/**
 * The records of one snapshot collection of an installation.
 *
 * Rows carry the number of the batch that sent them instead of a set of ids for each batch, so a million records need
 * no second table, and what only an aborted batch sent is forgotten by itself.
 */
class Snapshot<C extends Collection> implements CollectionStore<C> {
  readonly model = "snapshot";
  readonly #collection: C;
  readonly #idField: string | undefined;
  readonly #rows = new Map<string, Row<MessageOf<C>>>();
  #present: readonly MessageOf<C>[] | undefined;
  /** Batch of the previous completed snapshot. */
  #completedBy: number | undefined;

  constructor(collection: C) {
    this.#collection = collection;
    this.#idField = WIRE[collection].idField;
  }

  /** The last of two records with one id wins. A removed record that returns is present again. */
  write(records: readonly MessageOf<C>[], batch: Batch): void {
    const counts = batch.countsOf(this.#collection);
    counts.accepted += records.length;
    if (records.length > 0) this.#present = undefined;
    for (const record of records) {
      const id = recordId(record, this.#idField) ?? "";
      const row = this.#rows.get(id);
      if (row === undefined) {
        counts.added++;
        this.#rows.set(id, { record, sentBy: batch.sequence, completedBy: 0, removed: false });
        continue;
      }
      if (row.sentBy !== batch.sequence) counts.updated++;
      row.record = record;
      row.sentBy = batch.sequence;
      row.removed = false;
    }
  }

  /**
   * Marks the records of the previous completed snapshot that the batch did not send as removed. Records that only an
   * aborted or expired batch sent belong to neither and stay.
   */
  complete(batch: Batch): void {
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

  present(): readonly MessageOf<C>[] {
    if (this.#present !== undefined) return this.#present;
    const present: MessageOf<C>[] = [];
    for (const { removed, record } of this.#rows.values()) if (!removed) present.push(record);
    this.#present = present;
    return present;
  }

  find(id: string): Slot<MessageOf<C>> | undefined {
    return this.#rows.get(id);
  }

  all(): { readonly id: string; readonly removed: boolean; readonly record: MessageOf<C> }[] {
    return Array.from(this.#rows, ([id, { removed, record }]) => ({ id, removed, record }));
  }
}

/**
 * The events of one collection of an installation.
 *
 * An event with an id is stored once, whichever batches send it. An event without an id is stored as often as it is
 * sent, because equal events may be separate observations.
 */
class EventLog<C extends Collection> implements CollectionStore<C> {
  readonly model = "event";
  readonly #collection: C;
  readonly #idField: string | undefined;
  readonly #byId = new Map<string, MessageOf<C>>();
  readonly #events: MessageOf<C>[] = [];
  #present: readonly MessageOf<C>[] | undefined;

  constructor(collection: C) {
    this.#collection = collection;
    this.#idField = WIRE[collection].idField;
  }

  write(events: readonly MessageOf<C>[], batch: Batch): void {
    batch.countsOf(this.#collection).accepted += events.length;
    for (const event of events) {
      const id = recordId(event, this.#idField);
      if (id !== undefined) {
        if (this.#byId.has(id)) continue;
        this.#byId.set(id, event);
      }
      this.#events.push(event);
      this.#present = undefined;
    }
  }

  /** No batch removes an event. */
  complete(): void {}

  present(): readonly MessageOf<C>[] {
    this.#present ??= [...this.#events];
    return this.#present;
  }

  find(id: string): Slot<MessageOf<C>> | undefined {
    const record = this.#byId.get(id);
    return record && { record, removed: false };
  }

  all(): { readonly id: string; readonly removed: boolean; readonly record: MessageOf<C> }[] {
    return this.#events.map((record) => ({
      id: recordId(record, this.#idField) ?? "",
      removed: false,
      record,
    }));
  }
}
