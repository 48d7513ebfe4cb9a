import { once } from "node:events";
import { constants } from "node:http2";
import { gzipSync } from "node:zlib";
import { type HostileClients, repeat, times, write } from "./hostile-clients.js";
import {
  added,
  callHeaders,
  END_HEADERS,
  END_STREAM,
  FrameType,
  frame,
  LATEST,
  literal,
} from "./http2-frames.js";

export interface Misbehaviour {
  readonly name: string;
  readonly act: (clients: HostileClients) => Promise<unknown>;
  /** Bytes that the server may hold while it lasts, beside those of each connection. @default 0 */
  readonly heldBytes?: number;
}

const MEBIBYTE = 1024 * 1024;
const SERVICE = "/saas_management.sync.v1.SyncService";
const RECORDS_PATH = `${SERVICE}/SyncRecords`;
const RECORDS = callHeaders(RECORDS_PATH);
const START = callHeaders(`${SERVICE}/StartSyncBatch`);

/** Calls on one connection; the server allows 100. */
const CALLS = 90;
/** What the server may hold for an open call. */
const CALL_BYTES = 16 * 1024;

const streamNumber = (index: number) => index * 2 + 1;
const headers = (index: number, block: Buffer, flags = END_HEADERS) =>
  frame(FrameType.headers, flags, streamNumber(index), block);
const data = (index: number, bytes: Buffer, flags = 0) =>
  frame(FrameType.data, flags, streamNumber(index), bytes);
const withKey = (clients: HostileClients) =>
  Buffer.concat([RECORDS, literal("authorization", `ApiKey ${clients.server.apiKey}`)]);

/** A message of gRPC. @param length the length that it claims to have */
function message(bytes: Uint8Array, length = bytes.length, compressed = false): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(compressed ? 1 : 0, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, bytes]);
}

const ZIP_BOMB = message(gzipSync(Buffer.alloc(16 * MEBIBYTE - 1)), undefined, true);

async function sendMessage(clients: HostileClients, bytes: Buffer, extra: object = {}): Promise<void> {
  const stream = await clients.call(RECORDS_PATH, extra);
  const closed = once(stream, "close");
  stream.end(bytes);
  await closed;
}

const SYNC: readonly Misbehaviour[] = [
  {
    name: "calls without a key",
    act: (clients) =>
      clients.sendFrames(
        repeat(CALLS, (i) =>
          Buffer.concat([
            headers(i, i % 2 === 0 ? START : RECORDS),
            data(i, message(Buffer.alloc(500)), END_STREAM),
          ]),
        ),
      ),
  },
  {
    name: "messages that are never finished",
    heldBytes: CALLS * (CALL_BYTES + 100_000),
    act: (clients) =>
      times(CALLS, async () => {
        const stream = await clients.call(`${SERVICE}/StartSyncBatch`);
        stream.write(message(Buffer.alloc(50_000), 16 * MEBIBYTE - 1));
      }),
  },
  {
    name: "messages that unpack to 16 MiB",
    act: (clients) => sendMessage(clients, ZIP_BOMB, { "grpc-encoding": "gzip" }),
  },
  {
    name: "16 MiB of garbage",
    act: (clients) => sendMessage(clients, message(Buffer.alloc(16 * MEBIBYTE - 1, 0xab))),
  },
  {
    name: "messages with a wrong length",
    act: (clients) =>
      clients.sendFrames(
        repeat(CALLS, (i) =>
          Buffer.concat([
            headers(i, withKey(clients)),
            data(i, message(Buffer.alloc(600), i % 2 === 0 ? 0xffff_ffff : 1), END_STREAM),
          ]),
        ),
      ),
  },
  {
    name: "streams that are neither used nor ended",
    heldBytes: CALLS * CALL_BYTES,
    act: (clients) =>
      clients.sendFrames(
        repeat(CALLS, (i) => Buffer.concat([headers(i, withKey(clients)), data(i, Buffer.alloc(i % 6))])),
      ),
  },
];

const HTTP2: readonly Misbehaviour[] = [
  {
    name: "connections to the Sync API that send nothing, half a frame or HTTP/1",
    act: (clients) => {
      const hellos = [
        "",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0",
        "POST / HTTP/1.1\r\n\r\n",
        "\u0016\u0003\u0001",
      ];
      return times(240, (i) => clients.send(clients.server.syncUrl, hellos[i % hellos.length] ?? ""));
    },
  },
  {
    name: "calls that are reset immediately",
    act: (clients) =>
      clients.sendFrames(
        repeat(400, (i) =>
          Buffer.concat([
            headers(i, withKey(clients)),
            frame(FrameType.reset, 0, streamNumber(i), Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL])),
          ]),
        ),
      ),
  },
  {
    name: "headers without end",
    act: (clients) =>
      clients.sendFrames(
        headers(0, RECORDS, 0),
        repeat(200, (i) => frame(FrameType.continuation, 0, 1, literal(`x-${i}`, "x".repeat(16_000)))),
      ),
  },
  {
    name: "headers of one byte that expand to 4 KB",
    act: (clients) =>
      clients.sendFrames(
        repeat(10, (i) => {
          const block = [RECORDS, added("x-large", "x".repeat(4000)), repeat(12_000, () => LATEST)];
          return headers(i, Buffer.concat(block), END_HEADERS | END_STREAM);
        }),
      ),
  },
  {
    name: "pings, settings, priorities, windows and unknown frames",
    act: (clients) =>
      clients.sendFrames(
        repeat(1500, (i) =>
          Buffer.concat([
            frame(FrameType.ping, 0, 0, Buffer.alloc(8)),
            frame(FrameType.settings, 0, 0),
            frame(FrameType.priority, 0, streamNumber(i), Buffer.from([0, 0, 0, 0, 1])),
            frame(FrameType.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1])),
            frame(FrameType.unknown, 0, 0, Buffer.alloc(100)),
          ]),
        ),
      ),
  },
];

const CHUNKED = "POST /graphql HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const post = (body: string, key = "") =>
  `POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const DEEP = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
const QUERY = "{ applications { totalCount } }";
const BODIES = [
  JSON.stringify({ query: "{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }" }),
  JSON.stringify({ query: "{ a ".repeat(3000) + "}".repeat(3000) }),
  JSON.stringify({ query: `{ ${"__typename ".repeat(20_000)} }` }),
  `{"query":"${QUERY}","variables":{"a":${DEEP}}}`,
  JSON.stringify(Array.from({ length: 3000 }, () => ({ query: QUERY }))),
];

const GRAPHQL: readonly Misbehaviour[] = [
  {
    name: "connections to the GraphQL API that send half a request",
    act: (clients) => {
      const halves = ["", "POST /gra", "POST /graphql HTTP/1.1\r\nHost: a\r\n", `${CHUNKED}100000\r\nx`];
      return times(240, (i) => clients.sendHttp(halves[i % halves.length] ?? ""));
    },
  },
  {
    name: "clients that send their requests byte by byte",
    act: async (clients) => {
      const sockets = await Promise.all(
        Array.from({ length: 30 }, (_, i) => clients.sendHttp(i % 2 === 0 ? "POST /graphql HT" : CHUNKED)),
      );
      for (const byte of "1\r\nx\r\n1\r\nx\r\n") {
        for (const socket of sockets) await write(socket, byte);
        await clients.server.quiet();
      }
    },
  },
  {
    name: "large and many headers",
    act: async (clients) => {
      await clients.sendHttp(`POST /graphql HTTP/1.1\r\nX: ${"x".repeat(MEBIBYTE)}\r\n\r\n`);
      await clients.sendHttp(`POST /graphql HTTP/1.1\r\n${"X: y\r\n".repeat(20_000)}\r\n`);
    },
  },
  {
    name: "bodies of 8 MiB without a key",
    act: async (clients) => {
      await clients.sendHttp(post("x".repeat(8 * MEBIBYTE)));
      await clients.sendHttp(CHUNKED + chunk("x".repeat(MEBIBYTE)).repeat(8));
    },
  },
  {
    name: "invalid documents and deeply nested variables",
    act: (clients) =>
      times(BODIES.length, (i) => clients.sendHttp(post(BODIES[i] ?? "", clients.server.apiKey))),
  },
];

export const MISBEHAVIOURS: readonly Misbehaviour[] = [...SYNC, ...HTTP2, ...GRAPHQL];
