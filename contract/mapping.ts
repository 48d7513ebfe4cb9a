import type { Mapping } from "./types.js";

/** What each part of the service's contract is for, and the SDK's names where the contract uses others. */
export const MAPPING: Mapping = {
  assumed: true,
  service: "saas_management.sync.v1.SyncService",
  methods: {
    start: "StartSyncBatch",
    sync: "SyncRecords",
    complete: "CompleteSyncBatch",
    abort: "AbortSyncBatch",
  },
  start: { installationId: "installation_id", batchId: "batch_id" },
  sync: { batchId: "batch_id", accepted: "accepted_records" },
  complete: {
    batchId: "batch_id",
    snapshots: {
      list: "snapshots",
      collection: "collection",
      added: "added",
      updated: "updated",
      removed: "removed",
    },
    events: { list: "events", collection: "collection", accepted: "accepted" },
  },
  abort: { batchId: "batch_id" },
  batchState: "batch-state",
  names: {},
};
