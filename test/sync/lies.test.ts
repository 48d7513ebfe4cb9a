import type { SyncBatch } from "@saas-management/sdk";
import { memoryLedger, TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { CompleteSyncBatchResponse, StartSyncBatchResponse } from "../../src/sync/generated/contract.js";
import { testOfAcceptedCounts } from "../support/adopted.js";
import { connectorOf } from "../support/connector.js";
import { answerWith } from "../support/grpc-replies.js";
import { rejection, until } from "../support/promises.js";
import { accounts, usage } from "../support/records.js";
import { START } from "../support/sync-client.js";
import { useScriptedServer } from "../support/sync-harness.js";
import type { SyncServer } from "../support/sync-server.js";

// What a proxy may answer instead of the service, without forwarding anything.

const harness = useScriptedServer();
const EMPTY = new Uint8Array();

const connector = connectorOf(["accounts"], async (batch, { advance }) => {
  await batch.write("usage", [usage("e1")]);
  await batch.write("accounts", accounts(2));
  advance("usage", "2026-01-01");
});

const COUNTS = [
  ["an empty OK", () => undefined],
  ["an empty OK to a snapshot", (records: number) => (records === 2 ? undefined : records)],
  ["fewer records than were sent", (records: number) => records - 1],
  ["more records than were sent", (records: number) => records + 1],
] as const;

testOfAcceptedCounts.each([...COUNTS])(
  "a write accepts nothing if SyncRecords gets %s",
  async (_, acknowledge) => {
    harness.server.acknowledge = acknowledge;
    const batch = await harness.startBatch();
    await expect(batch.write("accounts", accounts(2))).rejects.toMatchObject({
      code: "SYNC_PROTOCOL",
      retryable: false,
    });
    expect(batch.stats).toMatchObject({ accounts: { sent: 2, accepted: 0 } });
    await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
    expect(harness.server.streams).toHaveLength(1);
  },
);

testOfAcceptedCounts("an empty OK does not make an empty snapshot accepted", async () => {
  harness.server.acknowledge = () => undefined;
  const batch = await harness.startBatch();
  await expect(batch.write("accounts", [])).rejects.toMatchObject({ code: "SYNC_PROTOCOL" });
  await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
});

testOfAcceptedCounts.each([...COUNTS])(
  "a run completes nothing and remembers nothing if SyncRecords gets %s",
  async (_, acknowledge) => {
    harness.server.acknowledge = acknowledge;
    const options = { installationId: "i", ledger: memoryLedger() };
    const client = harness.client();
    await expect(client.run(connector, { ...options, firstRun: true })).rejects.toMatchObject({
      code: "SYNC_PROTOCOL",
    });
    expect(harness.server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
    expect(await client.history(options)).toMatchObject({ isKnown: false, runs: [] });
  },
);

/** Makes the server answer an operation with these messages in one body. */
function lie({ server }: { readonly server: SyncServer }, operation: string, ...messages: Uint8Array[]) {
  const { answer } = server;
  let lies = 0;
  server.answer = (stream, called, headers) => {
    if (called !== operation) return answer(stream, called, headers);
    lies += 1;
    stream.resume().once("end", () => answerWith(stream, ...messages));
  };
  return { told: () => lies };
}

const WRITES: readonly (readonly [string, (batch: SyncBatch) => Promise<unknown>])[] = [
  ["a snapshot", (batch) => batch.write("accounts", accounts(2))],
  ["an empty snapshot", (batch) => batch.write("accounts", [])],
  ["events", (batch) => batch.write("usage", [usage("e1")])],
];

testOfAcceptedCounts.each([...WRITES])(
  "an empty OK of CompleteSyncBatch leaves the outcome of %s unknown, and is not repeated",
  async (_, write) => {
    const { told } = lie(harness, "CompleteSyncBatch", EMPTY);
    const batch = await harness.startBatch();
    await write(batch);
    await expect(batch.complete()).rejects.toMatchObject({
      code: "BATCH_OUTCOME_UNKNOWN",
      cause: { code: "SYNC_PROTOCOL" },
    });
    expect(told()).toBe(1);
    expect(batch.state).toBe("unknown");
    await batch.abort();
    expect(batch.state).toBe("unknown");
  },
);

testOfAcceptedCounts("an empty batch needs no counts", async () => {
  lie(harness, "CompleteSyncBatch", EMPTY);
  const batch = await harness.startBatch();
  await batch.complete({ unverified: true });
  expect(batch.state).toBe("completed");
});

testOfAcceptedCounts("a run does not remember what an empty OK of CompleteSyncBatch completed", async () => {
  const { told } = lie(harness, "CompleteSyncBatch", EMPTY);
  const options = { installationId: "i", ledger: memoryLedger() };
  const client = harness.client();
  await expect(client.run(connector, { ...options, firstRun: true, retryForMs: 0 })).rejects.toMatchObject({
    code: "BATCH_OUTCOME_UNKNOWN",
  });
  expect(told()).toBe(1);
  expect(await client.history(options)).toMatchObject({ runs: [] });
});

function completed(collection: string): Uint8Array {
  const snapshots = [{ collection, added: 2n, updated: 0n, removed: 0n }];
  return CompleteSyncBatchResponse.encode({ snapshots, events: [] }).finish();
}

const STARTED = StartSyncBatchResponse.encode({ batchId: "b" }).finish();

/** For a call with one message, grpc-js reads one answer, then waits for the stream to end until the call times out. */
async function endOf(call: Promise<unknown>, clock: TestClock, isTold: () => boolean): Promise<unknown> {
  const ended = rejection(call);
  await until(isTold);
  clock.advance(100_000);
  return ended;
}

testOfAcceptedCounts.each([
  ["two answers", [EMPTY, EMPTY]],
  ["a right answer and a second one", [completed("accounts"), EMPTY]],
])("a completion that gets %s is unknown, and not repeated", async (_, messages) => {
  const clock = new TestClock({ startAt: new Date(0) });
  const { told } = lie(harness, "CompleteSyncBatch", ...messages);
  const batch = await harness.startBatch({ clock });
  await batch.write("accounts", accounts(2));
  const error = await endOf(batch.complete(), clock, () => told() === 1);
  expect(error).toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN", cause: { code: "TIMEOUT" } });
  expect(told()).toBe(1);
});

testOfAcceptedCounts("a run does not remember a completion that counts another collection", async () => {
  lie(harness, "CompleteSyncBatch", completed("plans"));
  const options = { installationId: "i", ledger: memoryLedger() };
  const client = harness.client();
  await expect(client.run(connector, { ...options, firstRun: true, retryForMs: 0 })).rejects.toMatchObject({
    code: "BATCH_OUTCOME_UNKNOWN",
  });
  expect(await client.history(options)).toMatchObject({ runs: [] });
});

test("a start that gets an empty OK has no batch, and may have left a lock", async () => {
  const { answer } = harness.server;
  lie(harness, "StartSyncBatch", EMPTY);
  const client = harness.client();
  await expect(client.startBatch(START)).rejects.toMatchObject({ code: "SYNC_PROTOCOL" });
  harness.server.answer = answer;
  harness.server.scripts.StartSyncBatch.push({ code: 6, details: "locked" });
  await expect(client.startBatch(START)).rejects.toMatchObject({ mayBeOwn: true });
});

test("a start that gets two answers has no batch", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const { told } = lie(harness, "StartSyncBatch", STARTED, STARTED);
  const client = harness.client({ clock });
  const error = await endOf(client.startBatch(START), clock, () => told() === 1);
  expect(error).toMatchObject({ code: "TIMEOUT" });
  expect(harness.server.calls).toEqual([]);
  const closed = client.close();
  clock.advance(5000);
  await closed;
});

test("an abort that gets two answers does not count as done", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const { answer } = harness.server;
  const { told } = lie(harness, "AbortSyncBatch", EMPTY, EMPTY);
  const batch = await harness.startBatch({ clock });
  expect(await endOf(batch.abort(), clock, () => told() === 1)).toMatchObject({ code: "TIMEOUT" });
  expect(batch.state).toBe("aborting");
  harness.server.answer = answer;
  await batch.abort();
  expect(batch.state).toBe("aborted");
});
