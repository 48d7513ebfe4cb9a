import { isCollection } from "../collection-names.js";
import type { CollectionName } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import type { CompleteSyncBatchResponse } from "../generated/saas_management/sync/v1/sync_service.js";
import type { CompletionCounts, SnapshotCounts } from "../transport.js";

/** Reads the counts of an answer to CompleteSyncBatch; collections that the SDK does not know are left out. */
export function toCompletionCounts({ snapshots, events }: CompleteSyncBatchResponse): CompletionCounts {
  const names = new Map<string, CollectionName>();
  for (const [name, { wireName }] of Object.entries(WIRE)) if (isCollection(name)) names.set(wireName, name);
  const snapshotCounts: Partial<Record<CollectionName, SnapshotCounts>> = {};
  const eventCounts: Partial<Record<CollectionName, { readonly accepted: number }>> = {};
  for (const { collection, added, updated, removed } of snapshots) {
    const name = names.get(collection);
    if (name !== undefined) {
      snapshotCounts[name] = { added: Number(added), updated: Number(updated), removed: Number(removed) };
    }
  }
  for (const { collection, accepted } of events) {
    const name = names.get(collection);
    if (name !== undefined) eventCounts[name] = { accepted: Number(accepted) };
  }
  return { snapshots: snapshotCounts, events: eventCounts };
}
