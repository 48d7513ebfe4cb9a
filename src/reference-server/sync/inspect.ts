import type { EventCollection, SnapshotCollection } from "../../sync/generated/collections.js";
import type { Timestamp } from "../../sync/generated/google/protobuf/timestamp.js";
import { SubscriptionModel } from "../../sync/generated/saas_management/sync/v1/access_records.js";
import type { Collection, MessageOf } from "../workspace.js";
import type { Batch, BatchState } from "./batch.js";
import { isTimestamp } from "./record-rules.js";
import type { Installation } from "./state.js";
import type { Snapshot } from "./stores.js";

/**
 * A record as plain data, in the form in which the SDK accepts it: `{ id: "u1" }`. Absent fields are left out, timestamps are ISO 8601 strings in UTC, maps are objects, enum values have no prefix.
 */
export type PlainRecord = Readonly<Record<string, unknown>>;

/** A record of a snapshot collection. */
export interface InspectedSnapshotRecord {
  /** Its stable id in the source. */
  readonly id: string;
  /** Whether it is marked removed. */
  readonly removed: boolean;
  /** The record as it was accepted last. */
  readonly record: PlainRecord;
}

/** A batch. Times are in milliseconds since the epoch, on the server's clock. */
export interface InspectedBatch {
  /** Id of the batch. */
  readonly id: string;
  /** State of the batch. */
  readonly state: BatchState;
  /** When it was started. */
  readonly startedAt: number;
  /** When the lease expires or would have expired. */
  readonly leaseExpiresAt: number;
  /** When it was completed, aborted or expired; `null` while it is active. */
  readonly endedAt: number | null;
  /** Number of accepted records of each collection that the batch included. */
  readonly accepted: Readonly<Partial<Record<SnapshotCollection | EventCollection, number>>>;
}

/** A copy of what an installation holds. */
export interface Inspection {
  /** Id of the installation. */
  readonly installationId: string;
  /** Id of its workspace. */
  readonly workspaceId: string;
  /** The integration that is installed. */
  readonly integration: { readonly id: string; readonly name: string };
  /** The active batch; `null` if the lock is free. */
  readonly lock: { readonly batchId: string; readonly leaseExpiresAt: number } | null;
  /** All batches, the oldest first. */
  readonly batches: readonly InspectedBatch[];
  /** Every record that was ever accepted, in the order in which the ids were first seen. */
  readonly snapshots: { readonly [C in SnapshotCollection]: readonly InspectedSnapshotRecord[] };
  /** Every event, in the order of arrival. */
  readonly events: { readonly [C in EventCollection]: readonly PlainRecord[] };
}

/** @internal */
export function inspect(installation: Installation, now: number): Inspection {
  const { id, workspace, integration, batches, snapshots, events } = installation;
  const holder = installation.lockHolder(now);
  return {
    installationId: id,
    workspaceId: workspace.id,
    integration: { ...integration },
    lock: holder === undefined ? null : { batchId: holder.id, leaseExpiresAt: holder.leaseExpiresAt },
    batches: batches.map((batch) => inspectBatch(batch, now)),
    snapshots: {
      accounts: snapshotRecords(snapshots.accounts),
      plans: snapshotRecords(snapshots.plans),
      licenses: snapshotRecords(snapshots.licenses),
      employees: snapshotRecords(snapshots.employees),
      groups: snapshotRecords(snapshots.groups),
      groupMembers: snapshotRecords(snapshots.groupMembers),
      devices: snapshotRecords(snapshots.devices),
    },
    events: {
      usage: events.usage.present().map(plainRecord),
      externallyDiscoveredUsage: events.externallyDiscoveredUsage.present().map(plainRecord),
      auditLogs: events.auditLogs.present().map(plainRecord),
      aiUsage: events.aiUsage.present().map(plainRecord),
      aiCost: events.aiCost.present().map(plainRecord),
    },
  };
}

function snapshotRecords<C extends SnapshotCollection>(snapshot: Snapshot<C>): InspectedSnapshotRecord[] {
  return snapshot.all().map((row) => ({ ...row, record: plainRecord(row.record) }));
}

function inspectBatch(batch: Batch, now: number): InspectedBatch {
  const accepted: Partial<Record<SnapshotCollection | EventCollection, number>> = {};
  for (const [collection, counts] of batch.counts) accepted[collection] = counts.accepted;
  return {
    id: batch.id,
    state: batch.stateAt(now),
    startedAt: batch.startedAt,
    leaseExpiresAt: batch.leaseExpiresAt,
    endedAt: batch.endedAt ?? null,
    accepted,
  };
}

function plainRecord({ variant }: MessageOf<Collection>): PlainRecord {
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

function plainFields(message: object): PlainRecord {
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
