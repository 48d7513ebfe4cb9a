import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerErrorResponse,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import type { SyncBatch, SyncProgress } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { afterEach, beforeEach } from "vitest";
import type { BatchOptions } from "../../src/sync/batch/start.js";
import { createSyncClient } from "../../src/sync/client.js";
import type { SyncEngine } from "../../src/sync/engine.js";
import {
  type AbortSyncBatchRequest,
  type CompleteSyncBatchRequest,
  CompleteSyncBatchResponse,
  type StartSyncBatchRequest,
  SyncRecordsRequest,
  type SyncRecordsResponse,
  SyncServiceService,
} from "../../src/sync/generated/contract.js";
import type { SyncClientOptions } from "../../src/sync/options.js";

/** The answer to a call; `undefined` is success. */
export type Script = Partial<ServerErrorResponse> | "never" | undefined;

/** A SyncRecords stream that the server received. */
export interface SeenStream {
  readonly messages: Uint8Array[];
  readonly metadata: Metadata;
}

/** A Sync API server that records the bytes it receives and answers by a script, also as no real server would. */
export interface ScriptedSyncServer {
  readonly endpoint: string;
  readonly streams: SeenStream[];
  /** Names of the unary calls, in order. */
  readonly calls: string[];
  /** Time left until the deadline of each, in milliseconds. */
  readonly timesLeftMs: number[];
  /** Most streams that were open at the same time. */
  readonly mostOpenStreams: () => number;
  /** The next answers, by operation. */
  readonly scripts: Record<
    "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch",
    Script[]
  >;
  /** Number of records that the answer to a stream acknowledges. */
  acknowledge: (records: number) => number | undefined;
  /** Awaited before a stream is answered. */
  beforeAnswer: () => Promise<void>;
  /** Awaited before a start is answered. */
  beforeStart: () => Promise<void>;
  /** Awaited before a completion is answered. */
  beforeCompletion: () => Promise<void>;
  /** Awaited before an abort is answered. */
  beforeAbort: () => Promise<void>;
  close(): void;
}

export async function startScriptedSyncServer(): Promise<ScriptedSyncServer> {
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  let open = 0;
  let mostOpen = 0;
  const seen: ScriptedSyncServer = {
    endpoint: "",
    streams: [],
    calls: [],
    timesLeftMs: [],
    mostOpenStreams: () => mostOpen,
    scripts: { StartSyncBatch: [], SyncRecords: [], CompleteSyncBatch: [], AbortSyncBatch: [] },
    acknowledge: (records) => records,
    beforeAnswer: async () => {},
    beforeStart: async () => {},
    beforeCompletion: async () => {},
    beforeAbort: async () => {},
    close: () => server.forceShutdown(),
  };
  const unary =
    <Request, Response>(operation: keyof ScriptedSyncServer["scripts"], response: () => Response) =>
    async (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) => {
      seen.calls.push(operation);
      seen.timesLeftMs.push(Number(call.getDeadline()) - Date.now());
      if (operation === "StartSyncBatch") await seen.beforeStart();
      if (operation === "CompleteSyncBatch") await seen.beforeCompletion();
      if (operation === "AbortSyncBatch") await seen.beforeAbort();
      const script = seen.scripts[operation].shift();
      if (script === "never") return;
      if (script === undefined) callback(null, response());
      else callback(script);
    };
  const { syncRecords } = SyncServiceService;
  server.addService(
    {
      ...SyncServiceService,
      // Keeps the bytes.
      syncRecords: { ...syncRecords, requestDeserialize: (bytes: Buffer) => new Uint8Array(bytes) },
    },
    {
      startSyncBatch: unary<StartSyncBatchRequest, { batchId: string }>("StartSyncBatch", () => ({
        batchId: "batch-1",
      })),
      completeSyncBatch: unary<CompleteSyncBatchRequest, CompleteSyncBatchResponse>("CompleteSyncBatch", () =>
        CompleteSyncBatchResponse.decode(new Uint8Array()),
      ),
      abortSyncBatch: unary<AbortSyncBatchRequest, object>("AbortSyncBatch", () => ({})),
      syncRecords: (
        call: ServerReadableStream<Uint8Array, SyncRecordsResponse>,
        callback: sendUnaryData<SyncRecordsResponse>,
      ) => {
        const stream: SeenStream = { messages: [], metadata: call.metadata };
        seen.streams.push(stream);
        open += 1;
        mostOpen = Math.max(mostOpen, open);
        call.on("error", () => {});
        call.on("data", (bytes: Uint8Array) => stream.messages.push(bytes));
        call.on("end", async () => {
          await seen.beforeAnswer();
          open -= 1;
          const script = seen.scripts.SyncRecords.shift();
          if (script === "never") return;
          if (script !== undefined) return callback(script);
          const records = stream.messages.reduce((sum, bytes) => sum + countRecords(bytes), 0);
          const accepted = seen.acknowledge(records);
          callback(null, { acceptedRecords: accepted === undefined ? undefined : BigInt(accepted) });
        });
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return Object.assign(seen, { endpoint: `http://127.0.0.1:${port}` });
}

/** The records of an encoded message. */
export function recordsOf(bytes: Uint8Array): unknown[] {
  const { collection } = SyncRecordsRequest.decode(bytes);
  return collection?.value.records ?? [];
}

function countRecords(bytes: Uint8Array): number {
  return recordsOf(bytes).length;
}

/** A scripted server for each test of a file, and clients that are closed after the test. */
export interface SyncHarness {
  readonly server: ScriptedSyncServer;
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
  let server: ScriptedSyncServer | undefined;
  let clients: SyncEngine[] = [];
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
