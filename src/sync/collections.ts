import type { MessageEncoder } from "./encoding/record-writer.js";
import { textInVariant } from "./encoding/variant-field.js";
import { WIRE } from "./generated/collections.js";
import { ENCODERS } from "./generated/encoders.js";
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
  /** Whether its records have an id, so that one that arrives twice is still one record. */
  readonly hasIds: boolean;
  /** Checks a record and encodes it. */
  readonly encoder: MessageEncoder;
  /** The record's id, where it has one and it can be read. */
  identify(record: unknown): string | undefined;
}

function collection(name: CollectionName): Collection {
  const { idField, ...facts } = WIRE[name];
  return {
    name,
    ...facts,
    hasIds: idField !== undefined,
    encoder: ENCODERS[name],
    identify: (record) => (idField === undefined ? undefined : textInVariant(record, idField)),
  };
}

/** Every collection. */
export const COLLECTIONS: Readonly<Record<CollectionName, Collection>> = {
  accounts: collection("accounts"),
  plans: collection("plans"),
  licenses: collection("licenses"),
  employees: collection("employees"),
  groups: collection("groups"),
  groupMembers: collection("groupMembers"),
  devices: collection("devices"),
  usage: collection("usage"),
  externallyDiscoveredUsage: collection("externallyDiscoveredUsage"),
  auditLogs: collection("auditLogs"),
  aiUsage: collection("aiUsage"),
  aiCost: collection("aiCost"),
};
