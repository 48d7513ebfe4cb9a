import { InvalidInputError } from "../core/errors/index.js";
import { describeType, isObject, suggestKey } from "../core/validate.js";
import { type SnapshotCollection, WIRE } from "./generated/collections.js";
import type { RecordTypes } from "./generated/records.js";

export type { EventCollection, SnapshotCollection } from "./generated/collections.js";

/** Name of a collection, as in `batch.write("accounts", …)` (service description, "Sync API records"). */
export type Collection = keyof RecordTypes;

/**
 * The record of a collection (service description, "Sync API records"): the fields of its generic model in camelCase,
 * or another model under its own name, such as `{ microsoft: { … } }`. `null` means absent.
 */
export type RecordOf<C extends Collection> = RecordTypes[C];

export interface CollectionInfo {
  readonly name: Collection;
  readonly wireName: string;
  /** Field numbers from SyncRecordsRequest down to the collection's message; `recordsNumber` is its list of records. */
  readonly path: readonly number[];
  readonly recordsNumber: number;
  /** Whether records have their fields directly, without a variant's message around them. */
  readonly isFlat: boolean;
  readonly model: "snapshot" | "event";
  /** Field with a record's id. Without an id, a record that arrives twice counts twice. */
  readonly idField: string | undefined;
  /** Names of the variants that aren't written flat. */
  readonly variants: readonly string[];
  /** For each field that refers to a record: the collections that may contain that record. */
  readonly references: Readonly<Record<string, readonly SnapshotCollection[]>>;
  /** Fingerprint of the record format; it changes whenever a field changes. */
  readonly contract: string;
}

export const COLLECTIONS: Readonly<Record<Collection, CollectionInfo>> = WIRE;

export function isCollection(name: unknown): name is Collection {
  return typeof name === "string" && Object.hasOwn(WIRE, name);
}

export function isSnapshot(name: Collection): name is SnapshotCollection {
  return COLLECTIONS[name].model === "snapshot";
}

/** Returns the object with a record's fields: the record itself, or the object under its variant's name. */
export function fieldsOf(
  record: unknown,
  { variants }: Pick<CollectionInfo, "variants">,
): object | undefined {
  if (!isObject(record)) return undefined;
  return variants.map((name): unknown => Reflect.get(record, name)).find(isObject) ?? record;
}

/** Returns the string in a field of a record, if there is one. The record may be invalid. */
export function stringIn(
  record: unknown,
  collection: CollectionInfo,
  field = collection.idField,
): string | undefined {
  const fields = fieldsOf(record, collection);
  const value: unknown = fields && field !== undefined ? Reflect.get(fields, field) : undefined;
  return typeof value === "string" ? value : undefined;
}

export function truncateId(id: string): string {
  return id.slice(0, 200);
}

/** Returns the entries of an object keyed by collection, without undefined values. */
export function collectionEntries<Value>(record: Partial<Record<Collection, Value>>): [Collection, Value][] {
  return Object.keys(record)
    .filter(isCollection)
    .flatMap((name) => {
      const value = record[name];
      return value === undefined ? [] : [[name, value]];
    });
}

export function unknownCollectionError(name: unknown): InvalidInputError {
  const names = Object.keys(WIRE);
  const problem =
    typeof name === "string"
      ? `There is no collection ${JSON.stringify(name)}.${suggestKey(name, names)}`
      : `The collection must be a name, got ${describeType(name)}.`;
  return new InvalidInputError(`${problem} Collections: ${names.join(", ")}.`);
}

export function notSnapshotsError(snapshots: unknown, names: readonly string[]): InvalidInputError {
  const wrong: unknown = Array.isArray(snapshots)
    ? snapshots.find((name) => !names.includes(name))
    : snapshots;
  const got = typeof wrong === "string" ? JSON.stringify(wrong) : describeType(wrong);
  const suggestion = typeof wrong === "string" ? suggestKey(wrong, names) : "";
  const isEvent = isCollection(wrong) && !names.includes(wrong);
  const advice = isEvent ? " Events don't need to be declared: leave it out." : suggestion;
  return new InvalidInputError(
    `snapshots must be an array of the snapshot collections that the run writes (${names.join(", ")}), got ${got}.${advice}`,
  );
}
