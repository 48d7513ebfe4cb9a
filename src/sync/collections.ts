import { WIRE } from "./generated/collections.js";
import type { RecordTypes } from "./generated/records.js";

export type { EventCollection, SnapshotCollection } from "./generated/collections.js";

/** Name of a collection, as in `batch.write("accounts", …)` (service description, "Sync API records"). */
export type CollectionName = keyof RecordTypes;

/** The record of a collection: the wire's model in camelCase with exactly one variant, `{ generic: { … } }`. */
export type RecordOf<C extends CollectionName> = RecordTypes[C];

/** What the engine needs to know of a collection. */
export interface Collection {
  readonly name: CollectionName;
  /** Name of the field in SyncRecordsRequest. */
  readonly wireName: string;
  /** Number of the field in SyncRecordsRequest. */
  readonly fieldNumber: number;
  readonly model: "snapshot" | "event";
  /** Field of a record's variant that holds its id. Records without ids are counted twice if they arrive twice. */
  readonly idField: string | undefined;
}

/** Every collection. */
export const COLLECTIONS: Readonly<Record<CollectionName, Collection>> = WIRE;
