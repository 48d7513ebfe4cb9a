import {
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Stream,
} from "node:http2";
import type { SyncBatch, SyncClient } from "@saas-management/sdk";
import { StartSyncBatchResponse } from "../../src/sync/generated/contract.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { quickRetries, START, syncClient } from "./sync-client.js";
import { operationOf } from "./sync-service-client.js";
import { listen, type Peer } from "./tcp-peers.js";

/** A bare HTTP/2 server. By default it answers every call as StartSyncBatch. */
export interface BareServer extends Peer {
  /** Headers of the calls, in order. */
  readonly calls: IncomingHttpHeaders[];
  /** Number of connections whose client has acknowledged the settings. */
  readonly established: () => number;
  /** Number of received pings. */
  readonly pings: () => number;
  answer: (stream: ServerHttp2Stream, operation: string) => void;
}

/** Serves over TLS if there is a certificate, otherwise in plaintext. */
export async function startBareServer(
  tls?: SecureServerOptions,
  { port }: { readonly port?: number } = {},
): Promise<BareServer> {
  const server = tls === undefined ? createServer() : createSecureServer(tls);
  const calls: IncomingHttpHeaders[] = [];
  let established = 0;
  let pings = 0;
  const bare: Omit<BareServer, keyof Peer> = {
    calls,
    established: () => established,
    pings: () => pings,
    answer: (stream) => answerWith(stream, StartSyncBatchResponse.encode({ batchId: "batch-1" }).finish()),
  };
  server.on("sessionError", () => {});
  server.on("session", (session) => {
    session.once("localSettings", () => {
      established += 1;
    });
    session.on("ping", () => {
      pings += 1;
    });
  });
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    calls.push(headers);
    bare.answer(stream, operationOf(headers[":path"]));
  });
  return Object.assign(bare, await listen(server, port));
}

/** Answers with messages and the status OK. */
export function answerWith(stream: ServerHttp2Stream, ...messages: readonly Uint8Array[]): void {
  respondOk(stream, {}, Buffer.concat(messages.map((message) => framed(message, 0))));
}

/** Answers with messages and the status OK after the request has ended. */
export function answerWhenRead(stream: ServerHttp2Stream, ...messages: readonly Uint8Array[]): void {
  stream.resume().once("end", () => answerWith(stream, ...messages));
}

/** Answers with bytes as a compressed message and the status OK, after the request has ended. */
export function answerCompressed(stream: ServerHttp2Stream, encoding: string, bytes: Uint8Array): void {
  stream.resume().once("end", () => respondOk(stream, { "grpc-encoding": encoding }, framed(bytes, 1)));
}

function respondOk(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders, body: Uint8Array): void {
  const head = { ":status": 200, "content-type": "application/grpc", ...headers };
  stream.respond(head, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(body);
}

/** A message in a gRPC frame. */
function framed(message: Uint8Array, compressed: 0 | 1): Uint8Array {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(compressed);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Answers at once with a status and no message, even in the middle of a stream. */
export function refuseWith(stream: ServerHttp2Stream, code: number, details: string): void {
  stream.respond(
    {
      ":status": 200,
      "content-type": "application/grpc",
      "grpc-status": String(code),
      "grpc-message": details,
    },
    { endStream: true },
  );
}

export interface BareBatch {
  readonly server: BareServer;
  readonly client: SyncClient;
  readonly batch: SyncBatch;
}

/** Starts a batch on a bare server that answers all later calls with `answer`. */
export async function startBareBatch(
  answer: BareServer["answer"],
  options: Partial<SyncClientOptions> = {},
): Promise<BareBatch> {
  const server = await startBareServer();
  const { answer: started } = server;
  server.answer = (stream, operation) => {
    if (operation === "StartSyncBatch") started(stream, operation);
    else answer(stream, operation);
  };
  const client = syncClient(server, { retry: quickRetries(2), ...options });
  return { server, client, batch: await client.startBatch(START) };
}
