import { Metadata } from "@grpc/grpc-js";
import {
  BatchOutcomeUnknownError,
  ClosedError,
  type SyncBatch,
  type SyncProgress,
} from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import type { SyncEngine } from "../../src/runs/engine.js";
import { rejection, until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { quickRetries } from "../support/sync-client.js";
import { useScriptedServer } from "../support/sync-harness.js";

// What each call does in each state is in state-table.test.ts.

const harness = useScriptedServer();
const { startBatch } = harness;
const LOST = { code: 14, details: "connection dropped" };
/** Completes a batch that nothing was written to. */
const UNVERIFIED = { unverified: true } as const;

/** The service's refusal of a call because the batch is in this state. */
function batchIs(state: string) {
  const metadata = new Metadata();
  metadata.set("batch-state", state);
  metadata.set("x-request-id", "request-2");
  return { code: 9, details: "not active", metadata };
}

/** How a call ended: `ok`, the reason of a BATCH_STATE, or the code of another error. */
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "ok",
    ({ code, reason }: { code: string; reason?: string }) => reason ?? code,
  );

/** A source that yields one record and then hangs. */
function stuckSource() {
  let returned = 0;
  let pulls = 0;
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        pulls += 1;
        if (pulls === 1) return { done: false as const, value: accounts(1) };
        return new Promise<never>(() => {});
      },
      return: async () => {
        returned += 1;
        return { done: true as const, value: undefined };
      },
    }),
  };
  return { source, returned: () => returned, stuck: () => until(() => pulls === 2) };
}

test("sends no completion after a failed write, and says why in the refusal", async () => {
  const batch = await startBatch();
  const broken = new Error("vendor API answered 500");
  async function* source() {
    yield accounts(1);
    throw broken;
  }
  await expect(batch.write("accounts", source())).rejects.toBe(broken);
  const refused = { code: "BATCH_STATE", reason: "incomplete", cause: broken };
  await expect(batch.write("plans", [])).rejects.toMatchObject(refused);
  await expect(batch.complete()).rejects.toMatchObject(refused);
  expect(harness.server.calls).not.toContain("CompleteSyncBatch");
  await batch.abort();
  expect(batch.state).toBe("aborted");
});

const BROKEN = "broke down";
const REFUSED = { code: 3, details: "a stream is open" };
const UNKNOWN = ["BATCH_OUTCOME_UNKNOWN", "unknown"] as const;

/** Answers that don't rule out that the batch was completed. */
const NO_PROOFS = [
  ["UNKNOWN", { code: 2, details: BROKEN }],
  ["INTERNAL", { code: 13, details: BROKEN }],
  ["DATA_LOSS", { code: 15, details: BROKEN }],
  ["a status that gRPC does not know", { code: 17, details: BROKEN }],
  ["what .NET does not send", { code: 8, details: "Sending message exceeds the maximum message size." }],
  ["what Go does not send", { code: 8, details: "grpc: trying to send message larger than max (70 vs. 50)" }],
  ["what C++ does not send", { code: 8, details: "Sent message larger than max (70 vs. 50)" }],
  ["what Node does not send", { code: 8, details: "Attempted to send message with a size larger than 50" }],
] as const;

/** What the service answers to a completion, the code of the outcome, and the state of the batch. */
test.each<readonly [string, readonly object[], string, string]>([
  [
    "asks again when the answer to a completion is lost, and believes that the batch is completed",
    [LOST, batchIs("completed")],
    "ok",
    "completed",
  ],
  [
    "never guesses: if an answer is lost and the next one only says not active, the outcome is unknown",
    [LOST, { code: 9, details: "not active" }],
    ...UNKNOWN,
  ],
  ["leaves a batch active if its completion is refused at once", [REFUSED], "SYNC_PROTOCOL", "active"],
  ...NO_PROOFS.map(([what, ...answer]) => [`takes ${what} for no proof`, answer, ...UNKNOWN] as const),
])("%s", async (_, answers, outcome, state) => {
  harness.server.scripts.CompleteSyncBatch.push(...answers);
  const batch = await startBatch();
  expect(await codeOf(batch.complete(UNVERIFIED))).toBe(outcome);
  expect(batch.state).toBe(state);
});

/** The service's answers to a completion and to the following abort, the abort's outcome, and the batch's state. */
test.each<[string, readonly object[], object, string, string]>([
  ["the service has completed it", [LOST, LOST, LOST], batchIs("completed"), "completed", "completed"],
  ["the abort of an unclear one is refused", [LOST, LOST, LOST], REFUSED, "SYNC_PROTOCOL", "unknown"],
  ["its lease is over", [REFUSED], batchIs("expired"), "expired", "aborting"],
  ["the abort after a refusal is refused", [REFUSED], REFUSED, "SYNC_PROTOCOL", "aborting"],
])("does not say that a batch is aborted if %s", async (_, completions, abort, outcome, state) => {
  harness.server.scripts.CompleteSyncBatch.push(...completions);
  harness.server.scripts.AbortSyncBatch.push(abort);
  const batch = await startBatch();
  await expect(batch.complete(UNVERIFIED)).rejects.toThrow();
  expect(await codeOf(batch.abort())).toBe(outcome);
  expect(batch.state).toBe(state);
  // No matter which call was refused, the batch can't be completed any more.
  const refused = await rejection(batch.complete(UNVERIFIED));
  expect(refused).toMatchObject({ code: "BATCH_STATE" });
  expect(String(refused)).not.toContain("was aborted");
});

test.each([
  ["nothing", async () => {}, "INVALID_INPUT"],
  ["events", (batch: SyncBatch) => batch.write("usage", []), "ok"],
  ["an empty snapshot", (batch: SyncBatch) => batch.write("accounts", []), "ok"],
] as const)(
  "a batch that wrote %s can be completed, unless it wrote nothing and unverified is not set",
  async (_, write, outcome) => {
    const batch = await startBatch();
    await write(batch);
    expect(await codeOf(batch.complete())).toBe(outcome);
    if (outcome === "ok") return;
    expect(batch.state).toBe("active");
    await batch.complete(UNVERIFIED);
    expect(batch.state).toBe("completed");
  },
);

test("a batch of unknown outcome has ended: its signal fires, and no timer is left", async () => {
  harness.server.scripts.CompleteSyncBatch.push(LOST);
  const clock = new TestClock({ startAt: new Date(0) });
  const batch = await startBatch({ clock, retry: false });
  const error = await rejection(batch.complete(UNVERIFIED));
  expect(error).toBeInstanceOf(BatchOutcomeUnknownError);
  expect(batch.signal.reason).toBe(error);
  expect(clock.sleeping).toBe(0);
  await batch.abort();
  expect(harness.server.calls.at(-1)).toBe("AbortSyncBatch");
  await expect(batch.abort()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "unknown" });
});

test("cancels the write in flight, rejects the queued one and closes the source when aborted", async () => {
  const batch = await startBatch();
  const stuck = stuckSource();
  const writes = [batch.write("accounts", stuck.source), batch.write("plans", [])];
  await stuck.stuck();
  const completion = batch.complete();
  const refused = expect(completion).rejects.toMatchObject({ reason: "aborted" });
  await batch.abort();
  await refused;
  for (const write of writes)
    await expect(write).rejects.toMatchObject({ code: "BATCH_STATE", reason: "aborted" });
  expect(stuck.returned()).toBe(1);
  expect(harness.server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
});

test("shares an abort in progress, repeats a failed abort, and refuses an abort after a successful one", async () => {
  harness.server.scripts.AbortSyncBatch.push(LOST, LOST, LOST);
  const batch = await startBatch();
  await expect(batch.abort()).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  await Promise.all([batch.abort(), batch.abort()]);
  await expect(batch.abort()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "aborted" });
  batch.close();
  expect(batch.state).toBe("aborted");
  expect(harness.server.calls.filter((call) => call === "AbortSyncBatch")).toHaveLength(4);
});

test("an abort waits for the outcome of a completion that was sent", async () => {
  const answer = harness.server.hold("CompleteSyncBatch");
  const batch = await startBatch();
  const completion = batch.complete(UNVERIFIED);
  await until(() => harness.server.calls.includes("CompleteSyncBatch"));
  const abortion = batch.abort();
  answer();
  await completion;
  await expect(abortion).rejects.toMatchObject({ code: "BATCH_STATE", reason: "completed" });
  expect(harness.server.calls).not.toContain("AbortSyncBatch");
});

test("rejects pending calls when closed, and sends nothing to the service", async () => {
  const batch = await startBatch();
  const stuck = stuckSource();
  const ends = [batch.write("accounts", stuck.source), batch.complete()].map(rejection);
  await stuck.stuck();
  batch.close();
  for (const end of await Promise.all(ends)) expect(end).toBeInstanceOf(ClosedError);
  expect(harness.server.calls).toEqual(["StartSyncBatch"]);
});

test("sends nothing to the service when closed while an abort waits for a completion", async () => {
  const batch = await startBatch();
  const answer = harness.server.hold("CompleteSyncBatch");
  const ends = [rejection(batch.complete(UNVERIFIED))];
  await until(() => harness.server.calls.includes("CompleteSyncBatch"));
  ends.push(rejection(batch.abort()));
  batch.close();
  for (const end of await Promise.all(ends)) expect(end).toBeInstanceOf(Error);
  answer();
  expect(batch.state).toBe("closed");
  expect(harness.server.calls).toEqual(["StartSyncBatch", "CompleteSyncBatch"]);
});

test.each([
  ["handle", (batch: SyncBatch) => batch.close()],
  ["client", (_: SyncBatch, client: SyncEngine) => client.close()],
])("reports an unknown outcome if the %s is closed while CompleteSyncBatch is pending", async (_, close) => {
  const answer = harness.server.hold("CompleteSyncBatch");
  const client = harness.client();
  const batch = await client.startBatch({ installationId: "i" });
  const completion = rejection(batch.complete(UNVERIFIED));
  await until(() => harness.server.calls.includes("CompleteSyncBatch"));
  await close(batch, client);
  expect(await completion).toMatchObject({
    code: "BATCH_OUTCOME_UNKNOWN",
    batchId: "batch-1",
    cause: expect.any(ClosedError),
  });
  expect(batch.state).toBe("closed");
  answer();
});

test("reports an unknown outcome if closed in the pause after the answer to a completion was lost", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const seen: string[] = [];
  const onProgress = ({ type }: SyncProgress) => void seen.push(type);
  const batch = await startBatch({ clock }, { onProgress });
  harness.server.scripts.CompleteSyncBatch.push(LOST);
  const completion = rejection(batch.complete(UNVERIFIED));
  await until(() => seen.includes("retry"));
  batch.close();
  expect(await completion).toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN", cause: expect.any(ClosedError) });
});

test("closes at the end of an await using block", async () => {
  const handle = await startBatch();
  {
    await using batch = handle;
    await batch.write("accounts", accounts(1));
  }
  expect(handle.state).toBe("closed");
  expect(harness.server.calls).toEqual(["StartSyncBatch"]);
});

test("closes its batches with the client, which then refuses new ones", async () => {
  const client = harness.client();
  const batch = await client.startBatch({ installationId: "i" });
  await client.close();
  expect(batch.state).toBe("closed");
  await expect(client.startBatch({ installationId: "i" })).rejects.toBeInstanceOf(ClosedError);
  await expect(client.abortBatch("batch-1")).rejects.toBeInstanceOf(ClosedError);
});

const SECOND_ATTEMPT = { attempts: 2, stoppedBecause: "not-retryable", requestId: "request-2" };

test("the error of a call refused because of the batch's state has the attempts and the request id", async () => {
  harness.server.scripts.SyncRecords.push(LOST, batchIs("expired"));
  const batch = await startBatch();
  await expect(batch.write("accounts", accounts(1))).rejects.toMatchObject({
    ...SECOND_ATTEMPT,
    code: "BATCH_STATE",
    reason: "expired",
  });
  expect(batch.signal.reason).toMatchObject({ code: "BATCH_STATE", reason: "expired" });
  expect(batch.lease.remainingMs).toBe(0);
});

test("keeps the attempts and the request id in the error after waiting for a lock", async () => {
  const locked = { ...batchIs("active"), code: 6 };
  harness.server.scripts.StartSyncBatch.push(locked, LOST, locked);
  const clock = new TestClock({ startAt: new Date(0) });
  const seen: string[] = [];
  const onProgress = ({ type }: SyncProgress) => void seen.push(type);
  const starting = startBatch({ clock, retry: quickRetries(2) }, { waitForLockMs: 1, onProgress });
  const refused = expect(starting).rejects.toMatchObject({ ...SECOND_ATTEMPT, waitedMs: 2, mayBeOwn: true });
  await until(() => seen.at(-1) === "waiting-for-lock" && clock.sleeping === 1);
  clock.advance(1);
  // Two sleeps: the pause, and the operation's time limit.
  await until(() => seen.at(-1) === "retry" && clock.sleeping === 2);
  clock.advance(1);
  await refused;
});
