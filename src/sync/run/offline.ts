import { randomUUID } from "node:crypto";
import { Credential } from "../../core/credential.js";
import { resolveCommonOptions } from "../../core/options.js";
import type { BatchWatch } from "../batch/session.js";
import type { BatchOptions } from "../batch/start.js";
import type { BatchHandle } from "../batch/sync-batch.js";
import type { SyncConfiguration } from "../options.js";
import type { SyncTransport } from "../transport.js";

/** An engine whose batches no service gets, for previews and extractions. */
export interface OfflineEngine {
  start(options: BatchOptions, watch: BatchWatch): Promise<BatchHandle>;
  close(): Promise<void>;
}

export type OpenOffline = (configuration: SyncConfiguration, transport: SyncTransport) => OfflineEngine;

/** Accepts everything and keeps nothing. */
export const OFFLINE: SyncTransport = {
  startBatch: async () => ({ batchId: randomUUID() }),
  syncRecords: async () => ({ accepted: undefined }),
  completeBatch: async () => ({}),
  abortBatch: async () => {},
  close: () => {},
};

/** There is no lock that could be lost: such a batch lives for a hundred years, in milliseconds. */
export const OFFLINE_LEASE_MS = 100 * 365 * 24 * 60 * 60 * 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What a client's configuration is without the service: no credential, hooks, retries and deadlines. */
export function offlineConfiguration(client: SyncConfiguration): SyncConfiguration {
  const { clock, logger } = client;
  const common = resolveCommonOptions({ clock, logger, retry: false, timeoutMs: LONGEST_TIMER_MS });
  const credential = new Credential({ authorization: () => "offline" }, "");
  return { ...client, ...common, isTraced: false, credential };
}
