import { InvalidInputError } from "../core/errors/index.js";
import { describeType, suggestKey } from "../core/validate.js";
import { WIRE } from "./generated/collections.js";
import type { RecordTypes } from "./generated/records.js";

export type { EventCollection, SnapshotCollection } from "./generated/collections.js";

/** Name of a collection, as in `batch.write("accounts", …)` (service description, "Sync API records"). */
export type CollectionName = keyof RecordTypes;

/** The record of a collection: the wire's model in camelCase with exactly one variant, `{ generic: { … } }`. */
export type RecordOf<C extends CollectionName> = RecordTypes[C];

/** What the engine knows of a collection. */
export interface Collection {
  readonly name: CollectionName;
  /** Name of the field in SyncRecordsRequest. */
  readonly wireName: string;
  /** Number of the field in SyncRecordsRequest. */
  readonly fieldNumber: number;
  readonly model: "snapshot" | "event";
  /** Field of a record's variant that holds its id. A record without one counts twice if it arrives twice. */
  readonly idField: string | undefined;
}

export const COLLECTIONS: Readonly<Record<CollectionName, Collection>> = WIRE;

export function isCollection(name: unknown): name is CollectionName {
  return typeof name === "string" && Object.hasOwn(WIRE, name);
}

/** Returns the entries of an object keyed by collection, without those that are undefined. */
export function collectionEntries<Value>(
  record: Partial<Record<CollectionName, Value>>,
): [CollectionName, Value][] {
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
      ? `There is no collection ${quote(name)}.${suggestKey(name, names)}`
      : `The collection must be a name, got ${describeType(name)}.`;
  return new InvalidInputError(`${problem} Collections: ${names.join(", ")}.`);
}

/** @param names The snapshot collections that there are. */
export function notSnapshotsError(snapshots: unknown, names: readonly string[]): InvalidInputError {
  return new InvalidInputError(
    `snapshots must be an array of the snapshot collections that the run writes (${names.join(", ")}). ${snapshotsProblem(snapshots, names)}`,
  );
}

function snapshotsProblem(snapshots: unknown, names: readonly string[]): string {
  if (!Array.isArray(snapshots)) return `Got ${describeType(snapshots)}.`;
  const wrong: unknown = snapshots.find((name) => !names.includes(name));
  if (typeof wrong !== "string") return `It contains ${describeType(wrong)}.`;
  if (!isCollection(wrong)) return `There is no collection ${quote(wrong)}.${suggestKey(wrong, names)}`;
  return `${wrong} is an event collection; events are written without being declared, so leave it out.`;
}

/** Longest name that a message shows. */
const MAX_SHOWN = 60;

function quote(name: string): string {
  return name.length > MAX_SHOWN ? `${JSON.stringify(name.slice(0, MAX_SHOWN))}…` : JSON.stringify(name);
}
