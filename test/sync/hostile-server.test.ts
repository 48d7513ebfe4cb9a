import type { ServerHttp2Stream } from "node:http2";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { CompleteSyncBatchResponse, SyncRecordsResponse } from "../../src/sync/generated/contract.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { testOfAcceptedCounts, testOfAssumedContract } from "../support/adopted.js";
import { answerWhenRead, answerWith, framed, replyWhenRead } from "../support/grpc-replies.js";
import { accounts } from "../support/records.js";
import { quickRetries, START, syncClient } from "../support/sync-client.js";
import { startBareBatch } from "../support/sync-harness.js";
import { startSyncServer } from "../support/sync-server.js";

const EMPTY = new Uint8Array();

const accepting = (count: bigint) => SyncRecordsResponse.encode({ acceptedRecords: count }).finish();

test("leaves the outcome of a completion unknown if its compressed answer names no compression", async () => {
  const packed = { body: Uint8Array.of(1, 0, 0, 0, 3, 1, 2, 3) };
  const { batch } = await startBareBatch((stream) => replyWhenRead(stream, packed));
  await expect(batch.complete({ unverified: true })).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
});

test.each<[string, Uint8Array]>([
  ["has no batch id", EMPTY],
  ["cannot be read", Buffer.from("\u0007canary")],
])("does not retry a start whose answer %s, and does not quote it", async (_, answer) => {
  const server = await startSyncServer();
  server.answer = (stream) => answerWith(stream, answer);
  const error = await syncClient(server, { retry: quickRetries(3) })
    .startBatch(START)
    .catch((e: unknown) => e);
  expect(error).toMatchObject({ code: "SYNC_PROTOCOL", grpcStatus: undefined, attempts: 1 });
  expect(String(error)).not.toContain("canary");
  expect(server.headers).toHaveLength(1);
});

test.each(["<!DOCTYPE html><title>canary</title>", "\n<html>", '{"error":"canary"}'])(
  "says that an answer isn't gRPC if it is the text %j",
  async (answer) => {
    const server = await startSyncServer();
    server.answer = (stream) => {
      stream.respond({ ":status": 200, "content-type": "text/html" });
      stream.end(answer);
    };
    const error = await syncClient(server)
      .startBatch(START)
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "SYNC_PROTOCOL", message: expect.stringContaining("is text") });
    expect(String(error)).not.toContain("canary");
  },
);

testOfAcceptedCounts("accepts an answer that counts all records before all were sent", async () => {
  const { batch } = await startBareBatch((stream) => answerWith(stream, accepting(350n)), {
    messageBytes: 100_000,
  });
  expect(await batch.write("accounts", accounts(350, 1000))).toMatchObject({ accepted: 350 });
});

test("does not treat an early answer without a count as an acceptance", async () => {
  const { batch, server } = await startBareBatch(
    (stream) => stream.once("data", () => answerWith(stream.pause(), EMPTY)),
    { messageBytes: 100_000 },
  );
  // HTTP/2 can't deliver this much to a server that doesn't read, so the answer comes before everything is sent.
  await expect(batch.write("accounts", accounts(350, 1000))).rejects.toMatchObject({
    code: "SYNC_PROTOCOL",
    retryable: false,
  });
  await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  expect(server.headers).toHaveLength(2);
});

testOfAssumedContract.each([
  [16 * 1024 * 1024, {}, "completed"],
  [16 * 1024 * 1024 + 1, {}, "unknown"],
  [17_000_000, { maxReceiveMessageBytes: 17_000_000 }, "completed"],
])("handles a completion's answer of %i bytes with %j: the batch is %s", async (bytes, options, state) => {
  // The other 10 bytes are the prefixes of the two nested fields.
  const snapshots = [{ collection: "x".repeat(bytes - 10), added: 0n, updated: 0n, removed: 0n }];
  const message = CompleteSyncBatchResponse.encode({ snapshots, events: [] }).finish();
  expect(message).toHaveLength(bytes);
  const { batch, server } = await startBareBatch((stream) => answerWith(stream, message), options);
  await batch.complete({ unverified: true }).catch((error: unknown) => {
    expect(error).toMatchObject({
      code: "BATCH_OUTCOME_UNKNOWN",
      cause: expect.objectContaining({ code: "SYNC_PROTOCOL", retryable: false }),
    });
  });
  expect(batch.state).toBe(state);
  expect(server.headers).toHaveLength(2);
});

const SMALL: Partial<SyncClientOptions> = { maxReceiveMessageBytes: 1000 };

function answerCompressed(stream: ServerHttp2Stream, encoding: string, bytes: Uint8Array): void {
  const body = framed(bytes);
  body[0] = 1;
  replyWhenRead(stream, { headers: { "grpc-encoding": encoding }, body });
}

/** Answers that cannot be read: the service may have said OK. */
const UNREADABLE: readonly (readonly [string, (stream: ServerHttp2Stream) => void])[] = [
  ["OK without a message", (stream) => replyWhenRead(stream, {})],
  ["an answer in a compression that was not offered", (stream) => answerCompressed(stream, "snappy", EMPTY)],
  ["an answer that is not what its compression says", (stream) => answerCompressed(stream, "gzip", EMPTY)],
  [
    "a compressed answer that is too large",
    (stream) => answerCompressed(stream, "gzip", gzipSync(Buffer.alloc(2000))),
  ],
  ["an answer that is too large", (stream) => answerWhenRead(stream, Buffer.alloc(2000))],
];

// For a call with one message, grpc-js reads one answer, then waits for the stream to end until the call times out.
const TWO_MESSAGES: (typeof UNREADABLE)[number] = [
  "OK with two messages",
  (stream) => answerWhenRead(stream, EMPTY, EMPTY),
];

test.each([...UNREADABLE, TWO_MESSAGES])(
  "leaves the outcome of records unknown after %s, and does not retry",
  async (_, answer) => {
    const { batch, server } = await startBareBatch(answer, SMALL);
    const event = { sourceActorId: "a", lastActivity: new Date(1e12) };
    await expect(batch.write("externallyDiscoveredUsage", [event])).rejects.toMatchObject({
      code: "SYNC_PROTOCOL",
      retryable: false,
      grpcStatus: undefined,
    });
    expect(server.headers).toHaveLength(2);
  },
);

test.each(UNREADABLE)("leaves the outcome of a completion unknown after %s", async (_, answer) => {
  const { batch } = await startBareBatch(answer, SMALL);
  await expect(batch.complete({ unverified: true })).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
  expect(batch.state).toBe("unknown");
});

test.each(UNREADABLE)(
  "says that the lock may be the client's own after a start with %s",
  async (_, answer) => {
    const server = await startSyncServer();
    server.answer = answer;
    const client = syncClient(server, SMALL);
    await expect(client.startBatch(START)).rejects.toMatchObject({
      code: "SYNC_PROTOCOL",
      grpcStatus: undefined,
    });
    server.answer = (stream) => replyWhenRead(stream, { status: 6 });
    await expect(client.startBatch(START)).rejects.toMatchObject({
      code: "BATCH_IN_PROGRESS",
      mayBeOwn: true,
    });
  },
);

/** A batch on a server that answers a SyncRecords stream as usual if `happens` returns true for it. */
async function startBatchBehind(happens: (stream: ServerHttp2Stream, streams: number) => boolean) {
  const server = await startSyncServer();
  const { answer } = server;
  let streams = 0;
  server.answer = (stream, operation, headers) => {
    if (operation !== "SyncRecords" || happens(stream, ++streams)) answer(stream, operation, headers);
  };
  return { server, batch: await syncClient(server, { retry: quickRetries(2) }).startBatch(START) };
}

test("makes the next call on a new connection after GOAWAY on a stream that still succeeds", async () => {
  const { batch, server } = await startBatchBehind((stream) => {
    stream.session?.goaway(0, 2 ** 31 - 1);
    return true;
  });
  expect(await batch.write("accounts", accounts(5))).toMatchObject({ accepted: 5, retries: 0 });
  await batch.complete();
  expect(server.accepted()).toBe(2);
});

test("resends a window over a new connection after GOAWAY drops its stream", async () => {
  const { batch, server } = await startBatchBehind((stream, streams) => {
    if (streams > 1) return true;
    stream.session?.goaway(0, 0);
    stream.session?.destroy();
    return false;
  });
  expect(await batch.write("accounts", accounts(5))).toMatchObject({ accepted: 5, retries: 1 });
  expect(server.accepted()).toBe(2);
});
