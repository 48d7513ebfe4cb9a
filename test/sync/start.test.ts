import { type SyncProgress, TimeoutError } from "@saas-management/sdk";
import { memoryLedger, TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectorOf } from "../support/connector.js";
import { type FaultKind, faultOn } from "../support/faults.js";
import { until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { START } from "../support/sync-client.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { testService } from "../support/test-service.js";

const MINUTE = 60_000;
const harness = useScriptedServer();
/** The server's clock stands still. */
const frozen = testService({ server: { clock: new TestClock({ startAt: new Date("2026-01-01") }) } });
const LOST = { code: 14, details: "connection dropped" };
const LOCKED = { code: 6, details: "locked" };

/** Collects the pauses of a start that waits for the lock, and advances the clock by each until the start settles. */
async function waitOut(clock: TestClock, pauses: readonly number[], starting: Promise<unknown>) {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  starting.then(settle, settle);
  for (let waits = 1; !settled; waits += 1) {
    await until(() => settled || (pauses.length === waits && clock.sleeping > 0));
    if (!settled) clock.advance(pauses.at(-1) ?? 0);
  }
}

function notePauses() {
  const pauses: number[] = [];
  const onProgress = (progress: SyncProgress) => {
    if (progress.type === "waiting-for-lock") pauses.push(progress.nextAttemptMs);
  };
  return { pauses, onProgress };
}

test.each<[string, object]>([
  ["no installation id", { installationId: "" }],
  ["waitForLockMs -1", { waitForLockMs: -1 }],
  ["waitForLockMs NaN", { waitForLockMs: Number.NaN }],
])("refuses a start with %s", async (_, wrong) => {
  await expect(harness.startBatch({}, wrong)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(harness.server.calls).toEqual([]);
});

test("refuses a start that is called with just an id", async () => {
  const client = harness.client();
  const started: Promise<unknown> = Reflect.apply(client.startBatch, client, ["installation-1"]);
  await expect(started).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(harness.server.calls).toEqual([]);
});

test.each([
  ["ALREADY_EXISTS", 6],
  ["FAILED_PRECONDITION", 9],
  ["ABORTED", 10],
])("reports a start that is refused with %s as another batch in progress", async (_, code) => {
  harness.server.scripts.StartSyncBatch.push({ code, details: "locked" });
  await expect(harness.startBatch()).rejects.toMatchObject({
    code: "BATCH_IN_PROGRESS",
    ...START,
    serverMessage: "locked",
    attempts: 1,
    mayBeOwn: false,
  });
});

test.each([
  ["a refusal", { code: 7, details: "no" }, { code: "PERMISSION_DENIED", attempts: 1 }],
  ["an outage", LOST, { code: "TRANSPORT_FAILED", attempts: 3 }],
])("doesn't wait for the lock after %s", async (_, answer, error) => {
  harness.server.scripts.StartSyncBatch.push(answer, answer, answer);
  await expect(harness.startBatch({}, { waitForLockMs: 1000 })).rejects.toMatchObject(error);
  expect(harness.server.calls).toHaveLength(error.attempts);
});

test("says that the lock may be the client's own if the answer to an earlier attempt was lost", async () => {
  harness.server.scripts.StartSyncBatch.push(LOST, LOCKED);
  await expect(harness.startBatch()).rejects.toMatchObject({ mayBeOwn: true, attempts: 2 });
});

test("rejects at once when the caller aborts, and aborts the batch that is still starting", async () => {
  const answer = harness.server.hold("StartSyncBatch");
  const stop = new AbortController();
  const starting = harness.startBatch({}, { signal: stop.signal });
  await until(() => harness.server.calls.includes("StartSyncBatch"));
  const reason = { my: "reason" };
  stop.abort(reason);
  await expect(starting).rejects.toBe(reason);
  expect(harness.server.calls).not.toContain("AbortSyncBatch");
  answer();
  await until(() => harness.server.calls.includes("AbortSyncBatch"));
});

test("rejects when it times out, and close waits until the batch that is still starting is aborted", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const answer = harness.server.hold("StartSyncBatch");
  const client = harness.client({ clock, timeoutMs: 5000 });
  const starting = client.startBatch(START);
  await until(() => harness.server.calls.includes("StartSyncBatch"));
  // The request itself continues, because the answer may come with a lock.
  expect(harness.server.timesLeftMs[0]).toBeGreaterThan(60_000);
  clock.advance(5000);
  await expect(starting).rejects.toBeInstanceOf(TimeoutError);
  const closing = client.close();
  answer();
  await closing;
  expect(harness.server.calls).toContain("AbortSyncBatch");
  expect(clock.sleeping).toBe(0);
});

// The first two are more than a grpc-js server can count, and the others are too long for gRPC's header.
test.each([2 ** 31 - 1, 2 ** 31, 2 ** 53, Number.MAX_VALUE])("accepts timeoutMs %d", async (timeoutMs) => {
  const client = harness.client({ timeoutMs, retry: false });
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timers.mockRestore());
  const batch = await client.startBatch(START);
  await expect(batch.write("accounts", accounts(1))).resolves.toMatchObject({
    accepted: 1,
  });
  await expect(batch.complete()).resolves.toBeDefined();
  // Node fires a timer at once if its time overflows.
  expect(timers.mock.calls.filter(([, ms = 0]) => !(ms >= 0 && ms < 2 ** 31))).toEqual([]);
});

test("waits for the lock with growing, jittered pauses of whole milliseconds, and reports each", async () => {
  harness.server.scripts.StartSyncBatch.push(LOCKED, LOCKED, LOCKED);
  const clock = new TestClock({ startAt: new Date(0) });
  const { pauses, onProgress } = notePauses();
  const starting = harness.startBatch({ clock }, { waitForLockMs: 10 * MINUTE, onProgress });
  await waitOut(clock, pauses, starting);
  await starting;
  expect(pauses).toHaveLength(3);
  for (const [i, pause] of pauses.entries()) {
    expect(Number.isInteger(pause)).toBe(true);
    expect(pause).toBeGreaterThanOrEqual(500 * 2 ** i);
    expect(pause).toBeLessThanOrEqual(1000 * 2 ** i);
  }
});

test("rejects when waitForLockMs is over, and says how long it waited", async () => {
  harness.server.scripts.StartSyncBatch.push(...Array.from({ length: 50 }, () => LOCKED));
  const clock = new TestClock({ startAt: new Date(0) });
  const { pauses, onProgress } = notePauses();
  const starting = harness.startBatch({ clock }, { waitForLockMs: 90_000, onProgress });
  const refused = expect(starting).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS", waitedMs: 90_000 });
  await waitOut(clock, pauses, starting);
  await refused;
});

test("a start after a lost one waits exactly until the client's own lock ends", async () => {
  const { clock, server, installationId } = frozen;
  server.faults.add({ on: "StartSyncBatch", fault: "drop", at: "answer" });
  const client = frozen.syncClient({ retry: false });
  await expect(client.startBatch({ installationId })).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  clock.advance(15 * MINUTE - 12_345);
  const { pauses, onProgress } = notePauses();
  await clock.drive(client.startBatch({ installationId, waitForLockMs: 15 * MINUTE, onProgress }));
  expect(pauses.reduce((sum, pause) => sum + pause)).toBe(12_345);
});

const TRANSIENT: readonly FaultKind[] = [
  { fault: "drop" },
  { fault: "reset" },
  { fault: "rst-stream", code: 2 },
  { fault: "goaway", grace: true },
  { fault: "goaway", grace: false },
  { fault: "status", status: "UNAVAILABLE" },
];

test.each(TRANSIENT.flatMap((kind) => (["request", "answer"] as const).map((at) => ({ ...kind, at }))))(
  "if $fault at the $at loses the answer to a start, another client's run begins when its lock ends",
  async (kind) => {
    const { clock, server, installationId } = frozen;
    const options = { installationId, ledger: memoryLedger() };
    const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(3)));
    server.faults.add(faultOn({ on: "StartSyncBatch" }, kind));
    const once = { firstRun: true, retryForMs: 0 };
    const first = frozen.syncClient({ retry: false }).run(connector, { ...options, ...once });
    const firstRun = await first.then(
      () => false,
      () => true,
    );
    const isLocked = frozen.states().at(-1) === "active";
    const leftMs = 12_345;
    clock.advance(15 * MINUTE - leftMs);
    for (const on of ["SyncRecords", "CompleteSyncBatch"]) server.faults.add(faultOn({ on }, kind));
    const next = frozen.syncClient().run(connector, { ...options, firstRun, waitForLockMs: 15 * MINUTE });
    const receipt = await clock.drive(next);
    expect(receipt.waitedForLockMs).toBe(isLocked ? leftMs : 0);
    expect(receipt.collections.accounts?.stats.accepted).toBe(3);
  },
);
