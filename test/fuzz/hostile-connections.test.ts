import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { expectService } from "../support/expect-service.js";
import {
  added,
  callHeaders,
  END_HEADERS,
  END_STREAM,
  FrameType,
  frame,
  LATEST,
  literal,
  PREFACE,
} from "../support/http2-frames.js";
import { forkReferenceServer, type ReferenceServerProcess } from "../support/reference-server-process.js";

const MEBIBYTE = 1024 * 1024;
/** What the server may hold more than before: some hundred times less than what it is sent or made to unpack. */
const ALLOWED_BYTES = 48 * MEBIBYTE;
const RECORDS = callHeaders("/saas_management.sync.v1.SyncService/SyncRecords");
const START = callHeaders("/saas_management.sync.v1.SyncService/StartSyncBatch");

let server: ReferenceServerProcess;
/**
 * The server has ended a connection on which headers were begun. It takes seconds, which other tests pass meanwhile.
 */
let unfinishedEnded: Promise<unknown>;
beforeAll(async () => {
  server = await forkReferenceServer();
  const unfinished = connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
  unfinishedEnded = once(unfinished, "close");
  unfinished.resume().write("POST /graphql HTTP/1.1\r\nHost: a\r\n");
}, 120_000);
afterAll(() => server?.stop());

/** A connection that the test leaves open at its end. */
async function open(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Sends all of it, as far as the server takes it, and reads nothing of what comes back. */
async function pour(socket: Socket, bytes: Buffer): Promise<void> {
  socket.pause();
  await new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.write(bytes, () => resolve());
  });
}

const repeat = (count: number, make: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));
/** Numbers of a client's streams are odd. */
const stream = (index: number) => index * 2 + 1;
const settings = frame(FrameType.settings, 0, 0);
const CANCEL = Buffer.from([0, 0, 0, 8]);

const FLOODS: readonly [string, () => Buffer][] = [
  [
    "20,000 calls that are reset at once",
    () =>
      repeat(20_000, (i) =>
        Buffer.concat([
          frame(FrameType.headers, END_HEADERS, stream(i), RECORDS),
          frame(FrameType.reset, 0, stream(i), CANCEL),
        ]),
      ),
  ],
  [
    "headers that never end",
    () =>
      Buffer.concat([
        frame(FrameType.headers, 0, 1, RECORDS),
        repeat(4000, (i) => frame(FrameType.continuation, 0, 1, literal(`x-${i}`, "x".repeat(16_000)))),
      ]),
  ],
  [
    "headers of one byte each that stand for 4 KB",
    () =>
      repeat(50, (i) => {
        const block = Buffer.concat([
          RECORDS,
          added("x-large", "x".repeat(4000)),
          repeat(12_000, () => LATEST),
        ]);
        return frame(FrameType.headers, END_HEADERS | END_STREAM, stream(i), block);
      }),
  ],
  ["50,000 settings", () => repeat(50_000, () => settings)],
  ["50,000 pings", () => repeat(50_000, () => frame(FrameType.ping, 0, 0, Buffer.alloc(8)))],
  [
    "100,000 priorities",
    () => repeat(100_000, (i) => frame(FrameType.priority, 0, stream(i), Buffer.from([0, 0, 0, 0, 1]))),
  ],
  ["100,000 frames of a type that is not known", () => repeat(100_000, () => frame(FrameType.unknown, 0, 0))],
  [
    "100,000 empty pieces of one call",
    () =>
      Buffer.concat([
        frame(FrameType.headers, END_HEADERS, 1, RECORDS),
        repeat(100_000, () => frame(FrameType.data, 0, 1)),
      ]),
  ],
  [
    "windows that overflow",
    () => repeat(1000, () => frame(FrameType.windowUpdate, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff]))),
  ],
  [
    "90 messages without a key that are announced as 16 MiB and never finished",
    () =>
      repeat(90, (i) =>
        Buffer.concat([
          frame(FrameType.headers, END_HEADERS, stream(i), START),
          frame(
            FrameType.data,
            0,
            stream(i),
            Buffer.concat([Buffer.from([0, 0, 0xff, 0xff, 0xff]), Buffer.alloc(8000)]),
          ),
        ]),
      ),
  ],
];

describe("the Sync API of the reference server", { timeout: 120_000 }, () => {
  it.each(FLOODS)(
    "serves others, and holds no more memory afterwards, when a connection brings %s",
    async (_, flood) => {
      await expectService(server);
      const before = await server.held();
      const socket = await open(server.syncUrl);
      await pour(socket, Buffer.concat([PREFACE, settings, flood()]));
      await expectService(server);
      expect((await server.held()) - before).toBeLessThan(ALLOWED_BYTES);
    },
  );

  it("serves others when 300 connections bring HTTP/1, a TLS handshake, nothing, or half a frame", async () => {
    await expectService(server);
    const before = await server.held();
    const hellos = [
      "POST /graphql HTTP/1.1\r\nHost: a\r\n\r\n",
      "\u0016\u0003\u0001\u0002\u0000",
      "",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0",
    ];
    for (let i = 0; i < 300; i += 1)
      (await open(server.syncUrl)).write(hellos[i % hellos.length] ?? "", "latin1");
    await expectService(server);
    expect((await server.held()) - before).toBeLessThan(ALLOWED_BYTES);
  });
});

describe("the GraphQL API of the reference server", { timeout: 120_000 }, () => {
  it.each<[string, () => Buffer]>([
    [
      "a header of 10 MiB",
      () => Buffer.from(`POST /graphql HTTP/1.1\r\nX: ${"x".repeat(10 * MEBIBYTE)}\r\n\r\n`),
    ],
    ["100,000 headers", () => Buffer.from(`POST /graphql HTTP/1.1\r\n${"X: y\r\n".repeat(100_000)}\r\n`)],
    [
      "10,000 requests in one go",
      () => Buffer.from("GET /graphql HTTP/1.1\r\nHost: a\r\n\r\n".repeat(10_000)),
    ],
    [
      "a body of 64 MiB in pieces",
      () =>
        Buffer.concat([
          Buffer.from("POST /graphql HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"),
          repeat(64, () =>
            Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(MEBIBYTE, "x"), Buffer.from("\r\n")]),
          ),
        ]),
    ],
    ["HTTP/2", () => Buffer.concat([PREFACE, settings])],
  ])("serves others, and holds no more memory afterwards, when a connection brings %s", async (_, flood) => {
    await expectService(server);
    const before = await server.held();
    await pour(await open(server.baseUrl), flood());
    await expectService(server);
    expect((await server.held()) - before).toBeLessThan(ALLOWED_BYTES);
  });

  it("ends a connection on which the headers of a request are never finished", async () => {
    await unfinishedEnded;
    await expectService(server);
  });
});
