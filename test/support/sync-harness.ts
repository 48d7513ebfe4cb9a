import {
  type StartBatchOptions,
  type SyncBatch,
  SyncClient,
  type SyncClientOptions,
} from "@saas-management/sdk/sync";
import { afterEach, beforeEach } from "vitest";
import { type ScriptedSyncServer, startScriptedSyncServer } from "./scripted-sync-server.js";

export { accounts } from "./accounts.js";
export { until } from "./promises.js";

/** A scripted server for each test of a file, and clients that are closed after the test. */
export interface SyncHarness {
  readonly server: ScriptedSyncServer;
  client(options?: Partial<SyncClientOptions>): SyncClient;
  startBatch(options?: Partial<SyncClientOptions>, start?: Partial<StartBatchOptions>): Promise<SyncBatch>;
}

export function useScriptedServer(): SyncHarness {
  let server: ScriptedSyncServer | undefined;
  let clients: SyncClient[] = [];
  beforeEach(async () => {
    server = await startScriptedSyncServer();
  });
  afterEach(async () => {
    const ended = clients;
    clients = [];
    for (const client of ended) await client.close();
    server?.close();
  });
  const harness: SyncHarness = {
    get server() {
      if (server === undefined) throw new Error("The server runs within tests only.");
      return server;
    },
    client(options = {}) {
      const retry = { retries: 2, minDelayMs: 1, maxDelayMs: 1 };
      const client = new SyncClient({
        endpoint: harness.server.endpoint,
        apiKey: "key-1",
        retry,
        ...options,
      });
      clients.push(client);
      return client;
    },
    startBatch: (options, start) =>
      harness.client(options).startBatch({ installationId: "installation-1", ...start }),
  };
  return harness;
}
