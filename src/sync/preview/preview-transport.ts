import { randomUUID } from "node:crypto";
import type { SyncTransport } from "../transport.js";

/** A transport that leads nowhere: everything is accepted, and nothing is kept. */
export const PREVIEW_TRANSPORT: SyncTransport = {
  startBatch: async () => ({ batchId: randomUUID() }),
  syncRecords: async () => ({ accepted: undefined }),
  completeBatch: async () => ({ snapshots: {}, events: {} }),
  abortBatch: async () => {},
  close: () => {},
};
