import type { SyncBatch } from "@saas-management/sdk";
import { BatchClient } from "../../src/sync/client.js";
import { resolveSyncOptions } from "../../src/sync/options.js";

const silent = () => new Promise<never>(() => {});

/** A batch of a service that answers its start and nothing after that. */
export function batchOfSilentService(): Promise<SyncBatch> {
  const transport = {
    startBatch: async () => ({ batchId: "batch-1" }),
    syncRecords: silent,
    completeBatch: silent,
    abortBatch: silent,
    close: () => {},
  };
  const options = { endpoint: "https://sync.example.com", apiKey: "key-1" };
  return new BatchClient(resolveSyncOptions(options), transport, "installation-1").startBatch();
}
