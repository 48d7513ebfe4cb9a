import { ENUM_VALUES, type Timestamp } from "../../sync/generated/contract.js";
import type { RecordTypes } from "../../sync/generated/records.js";
import type { Collection, MessageOf } from "../workspace.js";
import { isTimestamp } from "./record-rules.js";
import type { Installation } from "./state.js";

/** A copy of an installation's data. */
export interface Inspection {
  /**
   * The latest version of every record that was ever accepted, without absent fields, and with timestamps as ISO 8601
   * strings in UTC. Records of snapshots are in the order in which their ids first arrived, and may be marked as
   * removed. Events are in order of arrival; an event without an id has the id `""`.
   */
  readonly snapshots: {
    readonly [C in keyof RecordTypes]: readonly {
      readonly id: string;
      readonly removed: boolean;
      readonly record: RecordTypes[C];
    }[];
  };
  /** The active batch and the end of its lease on the server's clock; `null` if the lock is free. */
  readonly lock: { readonly batchId: string; readonly expiresAt: Date } | null;
  /** All batches, the oldest first: `active`, `completed`, `aborted` or `expired`. */
  readonly batches: readonly { readonly id: string; readonly state: string }[];
}

/** @internal */
export function inspect(installation: Installation, now: number): Inspection {
  const holder = installation.lockHolder(now);
  const snapshots = Object.entries(installation.stores).map(([name, store]) => [
    name,
    store.all().map((row) => ({ ...row, record: plainRecord(row.record, ENUM_VALUES[name] ?? {}) })),
  ]);
  return {
    snapshots: Object.fromEntries(snapshots),
    lock: holder === undefined ? null : { batchId: holder.id, expiresAt: new Date(holder.leaseExpiresAt) },
    batches: installation.batches.map((batch) => ({ id: batch.id, state: batch.stateAt(now) })),
  };
}

/** The names of enum values, by the path of the enum's field. */
type Enums = Readonly<Record<string, Readonly<Record<number, string>>>>;

function plainRecord({ variant }: MessageOf<Collection>, enums: Enums): object {
  if (variant === undefined) return {};
  const isFlat = variant.$case === "generic";
  const fields = plainFields(variant.value, enums, isFlat ? "" : `${variant.$case}.`);
  return isFlat ? fields : { [variant.$case]: fields };
}

function plain(value: unknown, enums: Enums, path: string): unknown {
  const names = enums[path];
  if (names !== undefined && typeof value === "number") return names[value];
  if (Array.isArray(value)) return value.map((entry) => plain(entry, enums, path));
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) return Object.fromEntries(value);
  if (isTimestamp(value)) return isoTime(value);
  // A message that has only a oneof is shown as the selected variant.
  if ("variant" in value) return plain(value.variant, enums, path);
  if ("$case" in value && "value" in value) {
    const variant = String(value.$case);
    return { [variant]: plain(value.value, enums, `${path}.${variant}`) };
  }
  return plainFields(value, enums, `${path}.`);
}

function plainFields(message: object, enums: Enums, prefix: string): object {
  const entries = Object.entries(message).filter(([, field]) => !isAbsent(field));
  return Object.fromEntries(entries.map(([name, field]) => [name, plain(field, enums, `${prefix}${name}`)]));
}

/** On the wire, an empty list or map looks the same as a missing one. */
function isAbsent(field: unknown): boolean {
  if (Array.isArray(field)) return field.length === 0;
  return field === undefined || (field instanceof Map && field.size === 0);
}

function isoTime({ seconds, nanos }: Timestamp): string {
  const time = new Date(Number(seconds) * 1000 + Math.trunc(nanos / 1e6)).toISOString();
  return nanos % 1e6 === 0 ? time : time.replace(/\d{3}Z$/, `${String(nanos).padStart(9, "0")}Z`);
}
