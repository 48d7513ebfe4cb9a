import type { SyncBatch, SyncClient, SyncProgress } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { afterEach, beforeEach } from "vitest";
import type { SyncEngine } from "../../src/runs/engine.js";
import { createSyncClient } from "../../src/runs/engine.js";
import type { BatchOptions } from "../../src/sync/batch/start.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { quickRetries, START, syncClient } from "./sync-client.js";
import { openSyncServer, type SyncServer, startSyncServer } from "./sync-server.js";

/** A scripted server for each test of a file, and clients that are closed after the test. */
export interface SyncHarness {
  readonly server: SyncServer;
  client(options?: Partial<SyncClientOptions>): SyncEngine;
  startBatch(options?: Partial<SyncClientOptions>, start?: Partial<BatchOptions>): Promise<SyncBatch>;
  /** Starts a batch on a frozen clock, and records its progress. */
  startFrozenBatch(start?: Partial<BatchOptions>): Promise<FrozenBatch>;
}

export interface FrozenBatch {
  readonly batch: SyncBatch;
  readonly clock: TestClock;
  readonly seen: readonly SyncProgress[];
}

export function useScriptedServer(): SyncHarness {
  let server: SyncServer | undefined;
  let clients: SyncEngine[] = [];
  beforeEach(async () => {
    server = await openSyncServer();
  });
  afterEach(async () => {
    const ended = clients;
    clients = [];
    for (const client of ended) await client.close();
    await server?.close();
  });
  const harness: SyncHarness = {
    get server() {
      if (server === undefined) throw new Error("The server runs within tests only.");
      return server;
    },
    client(options = {}) {
      const retry = { retries: 2, minDelayMs: 1, maxDelayMs: 1 };
      const client = createSyncClient({
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
    startFrozenBatch: async (start) => {
      const clock = new TestClock({ startAt: new Date(Date.UTC(2026, 0, 1)) });
      const seen: SyncProgress[] = [];
      const batch = await harness.startBatch(
        { clock, timeoutMs: 60 * 60_000 },
        { onProgress: (progress) => void seen.push(progress), ...start },
      );
      return { batch, clock, seen };
    },
  };
  return harness;
}

export interface BareBatch {
  readonly server: SyncServer;
  readonly client: SyncClient;
  readonly batch: SyncBatch;
}

/** Starts a batch on a bare server that answers all later calls with `answer`. */
export async function startBareBatch(
  answer: SyncServer["answer"],
  options: Partial<SyncClientOptions> = {},
): Promise<BareBatch> {
  const server = await startSyncServer();
  const { answer: started } = server;
  server.answer = (stream, operation, headers) => {
    const answering = operation === "StartSyncBatch" ? started : answer;
    answering(stream, operation, headers);
  };
  const client = syncClient(server, { retry: quickRetries(2), ...options });
  return { server, client, batch: await client.startBatch(START) };
}
