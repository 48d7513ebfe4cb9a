import type { ServerHttp2Stream } from "node:http2";
import { gzipSync } from "node:zlib";
import { SyncClient } from "@saas-management/sdk/sync";
import { describe, expect, it, onTestFinished } from "vitest";
import { SyncRecordsResponse } from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";
import { startAnsweringServer } from "../support/answering-server.js";
import { startBareBatch } from "../support/bare-batch.js";
import { accounts } from "../support/sync-harness.js";
import {
  answerCompressed,
  answerWhenRead,
  answerWith,
  refuseWith,
  startBareServer,
} from "../support/tls-bare-server.js";

const EMPTY = new Uint8Array();

const accepting = (count: bigint) => SyncRecordsResponse.encode({ acceptedRecords: count }).finish();

describe("a service that does not keep to the contract:", () => {
  it("more records accepted than sent are a failure, whose records are unknown", async () => {
    const { batch, server } = await startBareBatch((stream) => answerWhenRead(stream, accepting(6n)));
    const error = await batch.write("accounts", accounts(5)).catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: "SYNC_PROTOCOL",
      retryable: false,
      message: expect.stringContaining("acknowledged 6 of 5 records"),
      outcomes: [{ outcome: "unknown", firstIndex: 0, records: 5 }],
    });
    expect(server.calls).toHaveLength(2);
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  });

  it("empty answers are taken for what they are: nothing is counted, and nothing is refused", async () => {
    const { batch } = await startBareBatch((stream) => answerWhenRead(stream, EMPTY));
    expect(await batch.write("accounts", accounts(5))).toMatchObject({ accepted: 5 });
    expect(await batch.complete()).toEqual({ snapshots: {}, events: {} });
  });

  it("an answer that is said to be packed, and not how, tells nothing: what it answers may be done", async () => {
    const server = await startAnsweringServer();
    onTestFinished(() => server.close());
    const client = new SyncClient({ endpoint: server.endpoint, apiKey: "key-1", retry: false });
    onTestFinished(() => client.close());
    const packed = { body: Uint8Array.of(1, 0, 0, 0, 3, 1, 2, 3) };
    server.answers = { SyncRecords: packed, CompleteSyncBatch: packed };
    await expect(client.openBatch("batch-1").complete({ unverified: true })).rejects.toMatchObject({
      code: "BATCH_OUTCOME_UNKNOWN",
    });
    await expect(client.openBatch("batch-1").write("accounts", accounts(1))).rejects.toMatchObject({
      code: "SYNC_PROTOCOL",
    });
  });

  it("a start without a batch id is a failure that is not tried again", async () => {
    const server = await startBareServer();
    server.answer = (stream) => answerWith(stream, EMPTY);
    const client = new SyncClient({ endpoint: `http://127.0.0.1:${server.port}`, apiKey: "key-1" });
    onTestFinished(() => client.close());
    await expect(client.startBatch({ installationId: "installation-1" })).rejects.toMatchObject({
      code: "SYNC_PROTOCOL",
      message: "StartSyncBatch: the service answered without a batch id.",
    });
    expect(server.calls).toHaveLength(1);
  });

  it("an answer before all was sent, that accepts all of it, is believed", async () => {
    const { batch } = await startBareBatch((stream) => answerWith(stream, accepting(350n)), {
      messageBytes: 100_000,
    });
    expect(await batch.write("accounts", accounts(350, 1000))).toMatchObject({ accepted: 350 });
  });

  it("an answer before all was sent, that does not say what it accepts, is no acceptance", async () => {
    const { batch, server } = await startBareBatch(
      (stream) => stream.once("data", () => answerWith(stream.pause(), EMPTY)),
      { messageBytes: 100_000 },
    );
    // More than HTTP/2 takes without being read: the answer comes before the last message can have been sent.
    const error = await batch.write("accounts", accounts(350, 1000)).catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: "SYNC_PROTOCOL",
      retryable: false,
      message: expect.stringContaining("answered before everything was sent"),
      outcomes: [{ outcome: "unknown", firstIndex: 0, records: 350 }],
    });
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
    expect(server.calls).toHaveLength(2);
  });

  it.each(["SyncRecords", "AbortSyncBatch"] as const)(
    "an answer to %s that is larger than maxReceiveMessageBytes is named as that, and not tried again",
    async (operation) => {
      const { batch, server } = await startBareBatch((stream) => answerWhenRead(stream, Buffer.alloc(2000)), {
        maxReceiveMessageBytes: 1000,
      });
      const call = operation === "SyncRecords" ? batch.write("accounts", accounts(1)) : batch.abort();
      const error = await call.catch((e: unknown) => e);
      expect(error).toMatchObject({
        code: "SYNC_PROTOCOL",
        retryable: false,
        grpcStatus: undefined,
        message: `${operation}: the answer is larger than maxReceiveMessageBytes, which is 1000. Raise it.`,
      });
      expect(server.calls).toHaveLength(2);
    },
  );

  const unreadable: [string, (stream: ServerHttp2Stream) => void][] = [
    ["OK without a message", (stream) => stream.resume().once("end", () => refuseWith(stream, 0, ""))],
    [
      "an answer in a compression that was not offered",
      (stream) => answerCompressed(stream, "snappy", EMPTY),
    ],
    ["an answer that is not what its compression says", (stream) => answerCompressed(stream, "gzip", EMPTY)],
    [
      "a compressed answer that is too large",
      (stream) => answerCompressed(stream, "gzip", gzipSync(Buffer.alloc(2000))),
    ],
  ];

  // Of a call with one message grpc-js reads one answer, and waits for its end until the time is up.
  const twoMessages: (typeof unreadable)[number] = [
    "OK with two messages",
    (stream) => answerWhenRead(stream, EMPTY, EMPTY),
  ];

  it.each([...unreadable, twoMessages])(
    "%s is no refusal: nobody knows what became of the records",
    async (_, answer) => {
      const { batch, server } = await startBareBatch(answer, { maxReceiveMessageBytes: 1000 });
      const event = { generic: { sourceActorId: "a", lastActivity: new Date(0) } };
      const error = await batch.write("externallyDiscoveredUsage", [event]).catch((e: unknown) => e);
      expect(error).toMatchObject({
        code: "SYNC_PROTOCOL",
        grpcStatus: undefined,
        message: expect.stringMatching(/the answer (cannot be read|is larger than maxReceiveMessageBytes)/),
        outcomes: [{ outcome: "unknown", records: 1 }],
      });
      expect(server.calls).toHaveLength(2);
    },
  );

  it.each(unreadable)("%s to a completion leaves its outcome unknown", async (_, answer) => {
    const { batch } = await startBareBatch(answer, { maxReceiveMessageBytes: 1000 });
    await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
    expect(batch.state).toBe("unknown");
  });

  it.each(unreadable)("%s to a start leaves a lock that may be the client's own", async (_, answer) => {
    const server = await startBareServer();
    server.answer = answer;
    const client = new SyncClient({
      endpoint: `http://127.0.0.1:${server.port}`,
      apiKey: "key-1",
      retry: false,
      maxReceiveMessageBytes: 1000,
    });
    onTestFinished(() => client.close());
    const start = () => client.startBatch({ installationId: "installation-1" });
    await expect(start()).rejects.toMatchObject({ code: "SYNC_PROTOCOL", grpcStatus: undefined });
    server.answer = (stream) => stream.resume().once("end", () => refuseWith(stream, 6, "locked"));
    await expect(start()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS", mayBeOwn: true });
  });

  it("GOAWAY in the middle of a stream that it goes on with changes nothing, and the next call is on a new connection", async () => {
    const { batch, server } = await startBareBatch((stream, operation) => {
      if (operation === "SyncRecords") stream.session?.goaway(0, 2 ** 31 - 1);
      answerWhenRead(stream, EMPTY);
    });
    expect(await batch.write("accounts", accounts(5))).toMatchObject({ accepted: 5, retries: 0 });
    await batch.complete();
    expect(server.accepted()).toBe(2);
  });

  it("GOAWAY that drops a stream has its window sent again, over a new connection", async () => {
    let streams = 0;
    const { batch, server } = await startBareBatch((stream) => {
      streams += 1;
      if (streams > 1) return answerWhenRead(stream, EMPTY);
      stream.session?.goaway(0, 0);
      stream.session?.destroy();
    });
    expect(await batch.write("accounts", accounts(5))).toMatchObject({ accepted: 5, retries: 1 });
    expect(server.accepted()).toBe(2);
  });
});
