import type { EventCollection, SnapshotCollection } from "../../sync/generated/collections.js";
import type { Batch, BatchState } from "./batch.js";
import type { Installation } from "./installation.js";
import { type PlainRecord, plainRecord } from "./plain.js";
import type { Snapshot } from "./snapshot.js";

/** A record of a snapshot collection. */
export interface InspectedSnapshotRecord {
  /** Its stable id in the source. */
  readonly id: string;
  /** Whether it was marked removed. */
  readonly removed: boolean;
  /** The record as it was accepted last. */
  readonly record: PlainRecord;
}

/** A batch. Times are in milliseconds since the epoch, on the server's clock. */
export interface InspectedBatch {
  /** Id of the batch. */
  readonly id: string;
  /** What became of it so far. */
  readonly state: BatchState;
  /** When it was started. */
  readonly startedAt: number;
  /** When the lease runs out, or would have run out. */
  readonly leaseExpiresAt: number;
  /** When it was completed, was aborted or ran out; `null` while it is active. */
  readonly endedAt: number | null;
  /** Number of accepted records of each collection that the batch included. */
  readonly accepted: Readonly<Partial<Record<SnapshotCollection | EventCollection, number>>>;
}

/** What an installation holds. All of it is a copy. */
export interface Inspection {
  /** Id of the installation. */
  readonly installationId: string;
  /** Id of the workspace that it belongs to. */
  readonly workspaceId: string;
  /** The integration that is installed. */
  readonly integration: { readonly id: string; readonly name: string };
  /** The active batch; `null` when the installation is free. */
  readonly lock: { readonly batchId: string; readonly leaseExpiresAt: number } | null;
  /** The oldest first. */
  readonly batches: readonly InspectedBatch[];
  /** Every record that was ever accepted and its mark, in the order in which the ids were first seen. */
  readonly snapshots: { readonly [C in SnapshotCollection]: readonly InspectedSnapshotRecord[] };
  /** Every event, in the order of arrival. */
  readonly events: { readonly [C in EventCollection]: readonly PlainRecord[] };
}

/** @internal A copy of everything that the installation holds. */
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
      usage: Array.from(events.usage.present(), plainRecord),
      externallyDiscoveredUsage: Array.from(events.externallyDiscoveredUsage.present(), plainRecord),
      auditLogs: Array.from(events.auditLogs.present(), plainRecord),
      aiUsage: Array.from(events.aiUsage.present(), plainRecord),
      aiCost: Array.from(events.aiCost.present(), plainRecord),
    },
  };
}

function snapshotRecords<C extends SnapshotCollection>(snapshot: Snapshot<C>): InspectedSnapshotRecord[] {
  return Array.from(snapshot.all(), (row) => ({ ...row, record: plainRecord(row.record) }));
}

function inspectBatch(batch: Batch, now: number): InspectedBatch {
  const accepted: Partial<Record<SnapshotCollection | EventCollection, number>> = {};
  for (const [collection, tally] of batch.tallies) accepted[collection] = tally.accepted;
  return {
    id: batch.id,
    state: batch.stateAt(now),
    startedAt: batch.startedAt,
    leaseExpiresAt: batch.leaseExpiresAt,
    endedAt: batch.endedAt ?? null,
    accepted,
  };
}
