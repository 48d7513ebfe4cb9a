import type { SyncProgress } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { failureOf } from "../support/batch-internals.js";
import { rejection, until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";

const MINUTE = 60_000;
const harness = useScriptedServer();

const start = harness.startFrozenBatch;

test("warns once after four fifths of the lease, and fires the batch's signal when the lease ends", async () => {
  const { batch, clock, seen } = await start();
  clock.advance(12 * MINUTE);
  expect(seen.slice(1)).toEqual([{ type: "lease-warning", remainingMs: 3 * MINUTE }]);
  expect(batch.signal.aborted).toBe(false);
  clock.advance(3 * MINUTE);
  expect(seen).toHaveLength(2);
  expect(batch.signal.aborted).toBe(true);
  expect(batch.signal.reason).toMatchObject({ code: "BATCH_STATE", reason: "expired" });
  expect(batch.state).toBe("expired");
});

test("leaves no timer if the batch is closed by the warning", async () => {
  const onProgress = ({ type }: SyncProgress) => void (type === "lease-warning" && batch.close());
  const { batch, clock } = await start({ onProgress });
  clock.advance(12 * MINUTE);
  expect(batch.state).toBe("closed");
  expect(clock.sleeping).toBe(0);
});

test("a renewed lease begins when its message was sent, not when the answer came", async () => {
  const { batch, clock } = await start();
  clock.advance(MINUTE);
  const answer = harness.server.hold("SyncRecords");
  const write = batch.write("accounts", accounts(1));
  await until(() => harness.server.streams.length === 1);
  clock.advance(5 * MINUTE);
  answer();
  await write;
  expect(batch.lease.remainingMs).toBe(10 * MINUTE);
  expect(batch.lease.expiresAt.getTime()).toBe(clock.now() + 10 * MINUTE);
});

test("ends the write in flight when the lease ends, and completes nothing", async () => {
  const { batch, clock, seen } = await start();
  async function* silent() {
    yield accounts(1);
    await new Promise(() => {});
  }
  const write = batch.write("accounts", silent());
  await until(() => seen.at(-1)?.type === "sending");
  clock.advance(15 * MINUTE);
  await expect(write).rejects.toMatchObject({ code: "BATCH_STATE", reason: "expired" });
  await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "expired" });
});

test("ends each open collection with its own error when the lease ends", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const batch = await harness.startBatch({ clock, messageBytes: 300, windowBytes: 300 });
  const [people, plans] = [batch.writer("accounts"), batch.writer("plans")];
  await people.write(accounts(5));
  await plans.write([]);
  await until(() => batch.stats.accounts?.accepted !== 0);
  clock.advance(15 * MINUTE);
  const errors = [await rejection(plans.end()), await rejection(people.end())];
  expect(errors[0]).not.toBe(errors[1]);
  expect(errors).toMatchObject([
    { code: "BATCH_STATE", reason: "expired" },
    { code: "BATCH_STATE", reason: "expired" },
  ]);
});

test("sends nothing more if the lease ends in the pause before a retry", async () => {
  harness.server.scripts.SyncRecords.push({ code: 14, details: "connection dropped" });
  const clock = new TestClock({ startAt: new Date(0) });
  const seen: SyncProgress[] = [];
  const batch = await harness.startBatch(
    {
      clock,
      timeoutMs: 60 * MINUTE,
      retry: { retries: 3, minDelayMs: 30 * MINUTE, maxDelayMs: 30 * MINUTE },
    },
    { onProgress: (progress) => seen.push(progress) },
  );
  const write = batch.write("accounts", accounts(1));
  await until(() => seen.some(({ type }) => type === "retry"));
  clock.advance(15 * MINUTE);
  await expect(write).rejects.toMatchObject({ code: "BATCH_STATE", reason: "expired" });
  clock.advance(30 * MINUTE);
  await new Promise((resolve) => setImmediate(resolve));
  expect(harness.server.streams).toHaveLength(1);
  expect(batch.state).toBe("expired");
});

test("counts the lease by the wall clock if that is ahead of the monotonic clock, as after a suspend", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  let suspendedFor = 0;
  const now = clock.now.bind(clock);
  clock.now = () => now() + suspendedFor;
  const batch = await harness.startBatch({ clock });
  suspendedFor = 20 * MINUTE;
  expect(batch.state).toBe("expired");
  suspendedFor = -20 * MINUTE;
  expect(batch.state).toBe("active");
});

test("does not renew a lease after a call was refused because the lease had ended", async () => {
  const { batch, clock } = await start();
  const answer = harness.server.hold("SyncRecords");
  const write = batch.write("accounts", accounts(1));
  write.catch(() => {});
  await until(() => harness.server.streams.length === 1);
  const now = clock.now.bind(clock);
  clock.now = () => now() + 16 * MINUTE;
  await expect(batch.write("usage", [])).rejects.toMatchObject({ code: "BATCH_STATE", reason: "expired" });
  expect(batch.signal.aborted).toBe(true);
  expect(failureOf(batch)).toMatchObject({ code: "BATCH_STATE", reason: "expired" });
  answer();
  await expect(write).rejects.toMatchObject({ code: "BATCH_STATE", reason: "expired" });
  expect(batch.state).toBe("expired");
});

test("if the lease ends before the answer to a start, the batch is already expired, and can be aborted", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  harness.server.before.StartSyncBatch = async () => clock.advance(16 * MINUTE);
  const seen: SyncProgress[] = [];
  const batch = await harness.startBatch(
    { clock, timeoutMs: 60 * MINUTE },
    { onProgress: (progress) => seen.push(progress) },
  );
  expect(batch.state).toBe("expired");
  expect(batch.signal.reason).toMatchObject({ code: "BATCH_STATE", reason: "expired" });
  await expect(batch.write("accounts", accounts(1))).rejects.toMatchObject({ reason: "expired" });
  await batch.abort();
  expect(harness.server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
  expect(seen).toEqual([{ type: "started", attempt: 1, batchId: batch.id }]);
  expect(clock.sleeping).toBe(0);
});

test.each([
  ["records", 2],
  ["block of records", 20],
])("sends the %s of a slow source after flushAfterMs", async (_, records) => {
  const { batch, clock, seen } = await start();
  let more = () => {};
  async function* slow() {
    yield accounts(records);
    await new Promise<void>((resolve) => {
      more = resolve;
    });
    yield accounts(3);
  }
  const write = batch.write("accounts", slow());
  await until(() => seen.at(-1)?.type === "sending" && clock.sleeping === 2);
  clock.advance(5 * MINUTE - 1);
  expect(harness.server.streams).toHaveLength(0);
  clock.advance(1);
  await until(() => batch.stats.accounts?.accepted === records);
  expect(batch.lease.remainingMs).toBe(15 * MINUTE);
  more();
  await expect(write).resolves.toMatchObject({
    accepted: records + 3,
    messages: 2,
    sourceWaitMs: 5 * MINUTE,
  });
});

test("sends nothing when sealing a collection whose records were all sent", async () => {
  const { batch, clock, seen } = await start();
  const users = batch.writer("accounts");
  await users.write(accounts(2));
  clock.advance(5 * MINUTE);
  await until(() => batch.stats.accounts?.accepted === 2);
  clock.advance(10 * MINUTE);
  await expect(users.end()).resolves.toMatchObject({ accepted: 2, windows: 1 });
  expect(batch.lease.remainingMs).toBe(5 * MINUTE);
  expect(harness.server.streams).toHaveLength(1);
  expect(seen.filter(({ type }) => type === "sending")).toHaveLength(2);
});

test("combines records that arrive while the service does not answer", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const batch = await harness.startBatch({ clock, flushAfterMs: 1000 });
  const answer = harness.server.hold("SyncRecords");
  async function* dripping() {
    for (const [i, account] of accounts(20).entries()) {
      yield account;
      await until(() => harness.server.streams.length === Math.min(i, 1) && clock.sleeping >= 2);
      clock.advance(1000);
      if (i === 0) await until(() => harness.server.streams.length === 1);
    }
    answer();
  }
  await expect(batch.write("accounts", dripping())).resolves.toMatchObject({ accepted: 20, windows: 2 });
  batch.close();
});
