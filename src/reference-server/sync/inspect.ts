import type { Timestamp } from "../../sync/generated/google/protobuf/timestamp.js";
import type { RecordTypes } from "../../sync/generated/records.js";
import { SubscriptionModel } from "../../sync/generated/saas_management/sync/v1/access_records.js";
import type { Collection, MessageOf } from "../workspace.js";
import { isTimestamp } from "./record-rules.js";
import type { Installation } from "./state.js";

/** A copy of what an installation holds. */
export interface Inspection {
  /**
   * Every record that was ever accepted, as accepted last: absent fields are left out, timestamps are ISO 8601 strings
   * in UTC. Records of snapshots are in the order in which their ids were first seen, and may be marked removed; events
   * are in the order of arrival, and have the id `""` if their records have none.
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
    store.all().map((row) => ({ ...row, record: plainRecord(row.record) })),
  ]);
  return {
    snapshots: Object.fromEntries(snapshots),
    lock: holder === undefined ? null : { batchId: holder.id, expiresAt: new Date(holder.leaseExpiresAt) },
    batches: installation.batches.map((batch) => ({ id: batch.id, state: batch.stateAt(now) })),
  };
}

function plainRecord({ variant }: MessageOf<Collection>): object {
  if (variant === undefined) return {};
  const fields = plainFields(variant.value);
  return variant.$case === "generic" ? fields : { [variant.$case]: fields };
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) return Object.fromEntries(value);
  if (isTimestamp(value)) return isoTime(value);
  // A message that has only a oneof is shown as the selected variant.
  if ("variant" in value) return plain(value.variant);
  if ("$case" in value && "value" in value) return { [String(value.$case)]: plain(value.value) };
  return plainFields(value);
}

function plainFields(message: object): object {
  const entries = Object.entries(message).filter(([, field]) => !isAbsent(field));
  return Object.fromEntries(
    entries.map(([name, field]) => [name, isEnum(name, field) ? enumName(field) : plain(field)]),
  );
}

/** On the wire an empty list or map cannot be told from a missing one. */
function isAbsent(field: unknown): boolean {
  if (Array.isArray(field)) return field.length === 0;
  return field === undefined || (field instanceof Map && field.size === 0);
}

function isoTime({ seconds, nanos }: Timestamp): string {
  const time = new Date(Number(seconds) * 1000 + Math.trunc(nanos / 1e6)).toISOString();
  return nanos % 1e6 === 0 ? time : time.replace(/\d{3}Z$/, `${String(nanos).padStart(9, "0")}Z`);
}

/** The only enum of the records. AI usage has a `model` too, which is a string. */
function isEnum(name: string, value: unknown): value is SubscriptionModel {
  return name === "model" && typeof value === "number";
}

function enumName(value: SubscriptionModel): string {
  return SubscriptionModel[value].replace("SUBSCRIPTION_MODEL_", "");
}
