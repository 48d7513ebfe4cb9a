import {
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Stream,
} from "node:http2";
import type { Metadata } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import { COLLECTIONS, type Collection, isSnapshot } from "../../src/sync/collections.js";
import {
  AbortSyncBatchResponse,
  CompleteSyncBatchResponse,
  StartSyncBatchResponse,
  SyncRecordsRequest,
  SyncRecordsResponse,
} from "../../src/sync/generated/contract.js";
import { answerWith, readMessages, reply } from "./grpc-replies.js";
import { operationOf } from "./sync-service-client.js";
import { openServer, type Peer } from "./tcp-peers.js";

/** How a call is refused; `undefined` is success. */
export interface Script {
  readonly code?: number;
  readonly details?: string;
  readonly metadata?: Metadata;
}

type Operation = "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";

/** A SyncRecords stream that the server received. */
export interface SeenStream {
  readonly messages: Uint8Array[];
  readonly headers: IncomingHttpHeaders;
}

/** A scripted Sync API server that records the bytes it receives; it may answer as no real server would. */
export interface SyncServer extends Peer {
  readonly endpoint: string;
  /** Headers of all calls, in order. */
  readonly headers: readonly IncomingHttpHeaders[];
  readonly streams: SeenStream[];
  /** Names of the unary calls, in order. */
  readonly calls: string[];
  /** Time left until the deadline of each unary call, in milliseconds. */
  readonly timesLeftMs: number[];
  /** Most streams that were open at the same time. */
  readonly mostOpenStreams: () => number;
  /** Number of connections whose client has acknowledged the settings. */
  readonly established: () => number;
  /** Number of received pings. */
  readonly pings: () => number;
  /** The next answers, by operation. */
  readonly scripts: Record<Operation, (Script | "never" | undefined)[]>;
  /** Number of records that the answer to a stream acknowledges. */
  acknowledge: (records: number) => number | undefined;
  /** Awaited before a call is answered, by operation. */
  readonly before: Record<Operation, () => Promise<unknown>>;
  /** Holds back the answers to an operation. @returns a function that lets them go */
  hold(operation: Operation): () => void;
  /** Called for each call once its headers arrive. The default reads the request and answers by the scripts. */
  answer: (stream: ServerHttp2Stream, operation: string, headers: IncomingHttpHeaders) => void;
}

interface Where {
  readonly tls?: SecureServerOptions | undefined;
  readonly port?: number | undefined;
}

/** A server that ends with the test. The server uses TLS if there is a certificate, otherwise plaintext. */
export async function startSyncServer(tls?: SecureServerOptions, where: Where = {}): Promise<SyncServer> {
  const server = await openSyncServer({ tls, ...where });
  onTestFinished(() => server.close());
  return server;
}

const nothing = async () => {};

/** The messages of successful answers. */
const UNARY = {
  StartSyncBatch: StartSyncBatchResponse.encode({ batchId: "batch-1" }).finish(),
  CompleteSyncBatch: CompleteSyncBatchResponse.encode({ snapshots: [], events: [] }).finish(),
  AbortSyncBatch: AbortSyncBatchResponse.encode({}).finish(),
};
const isUnary = (operation: string): operation is keyof typeof UNARY => operation in UNARY;

/** A server that the caller closes. */
export async function openSyncServer({ tls, port }: Where = {}): Promise<SyncServer> {
  const limits = { maxSessionMemory: 10_000 };
  const server = tls === undefined ? createServer(limits) : createSecureServer({ ...limits, ...tls });
  const counts = { established: 0, pings: 0, open: 0, mostOpen: 0 };
  const headers: IncomingHttpHeaders[] = [];
  server.on("sessionError", () => {});
  server.on("session", (session) => {
    session.on("error", () => {});
    session.once("localSettings", () => {
      counts.established += 1;
    });
    session.on("ping", () => {
      counts.pings += 1;
    });
  });
  server.on("stream", (stream, received) => {
    stream.on("error", () => {});
    headers.push(received);
    seen.answer(stream, operationOf(received[":path"]), received);
  });
  const peer = await openServer(server, port);
  const seen: SyncServer = {
    ...peer,
    endpoint: `${tls === undefined ? "http" : "https"}://127.0.0.1:${peer.port}`,
    headers,
    streams: [],
    calls: [],
    timesLeftMs: [],
    mostOpenStreams: () => counts.mostOpen,
    established: () => counts.established,
    pings: () => counts.pings,
    scripts: { StartSyncBatch: [], SyncRecords: [], CompleteSyncBatch: [], AbortSyncBatch: [] },
    acknowledge: (records) => records,
    before: {
      StartSyncBatch: nothing,
      SyncRecords: nothing,
      CompleteSyncBatch: nothing,
      AbortSyncBatch: nothing,
    },
    hold: (operation) => {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      seen.before[operation] = () => released;
      return release;
    },
    answer: (stream, operation, received) => {
      if (operation === "SyncRecords") answerRecords(stream, received);
      else if (isUnary(operation)) answerUnary(stream, operation, received);
    },
  };

  function answerUnary(
    stream: ServerHttp2Stream,
    operation: keyof typeof UNARY,
    received: IncomingHttpHeaders,
  ): void {
    stream.resume().once("end", async () => {
      seen.calls.push(operation);
      seen.timesLeftMs.push(timeoutMs(received["grpc-timeout"]));
      await seen.before[operation]();
      answerNext(stream, operation, () =>
        operation === "CompleteSyncBatch" ? completed() : UNARY[operation],
      );
    });
  }

  /** The counts that the answer to a completion has for each collection that was sent. */
  function completed(): Uint8Array {
    const sent = seen.streams.flatMap(({ messages }) => messages).map(collectionOf);
    const included = [...new Set(sent)].filter((collection) => collection !== undefined);
    return CompleteSyncBatchResponse.encode({
      snapshots: included.filter(isSnapshot).map((collection) => ({
        collection: COLLECTIONS[collection].wireName,
        added: 0n,
        updated: 0n,
        removed: 0n,
      })),
      events: included
        .filter((collection) => !isSnapshot(collection))
        .map((collection) => ({ collection: COLLECTIONS[collection].wireName, accepted: 0n })),
    }).finish();
  }

  function answerRecords(stream: ServerHttp2Stream, received: IncomingHttpHeaders): void {
    const messages: Uint8Array[] = [];
    seen.streams.push({ messages, headers: received });
    counts.open += 1;
    counts.mostOpen = Math.max(counts.mostOpen, counts.open);
    readMessages(stream, (message) => void messages.push(message));
    stream.once("end", async () => {
      await seen.before.SyncRecords();
      counts.open -= 1;
      answerNext(stream, "SyncRecords", () => {
        const records = messages.reduce((sum, bytes) => sum + recordsOf(bytes).length, 0);
        const accepted = seen.acknowledge(records);
        const acceptedRecords = accepted === undefined ? undefined : BigInt(accepted);
        return SyncRecordsResponse.encode({ acceptedRecords }).finish();
      });
    });
  }

  function answerNext(stream: ServerHttp2Stream, operation: Operation, message: () => Uint8Array): void {
    const script = seen.scripts[operation].shift();
    if (script === "never") return;
    if (script === undefined) answerWith(stream, message());
    else {
      const { code: status = 2, details = "", metadata } = script;
      reply(stream, { status, details: encodeURI(details), trailers: metadata?.toHttp2Headers() ?? {} });
    }
  }

  return seen;
}

function collectionOf(bytes: Uint8Array): Collection | undefined {
  return SyncRecordsRequest.decode(bytes).collection?.$case;
}

/** The records of an encoded message. */
export function recordsOf(bytes: Uint8Array): unknown[] {
  const { collection } = SyncRecordsRequest.decode(bytes);
  return collection?.value.records ?? [];
}

const UNITS_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** A call's time limit, from its header `grpc-timeout`. */
function timeoutMs(header: string | string[] | undefined): number {
  const text = String(header);
  return Number(text.slice(0, -1)) * (UNITS_MS[text.slice(-1)] ?? Number.NaN);
}
