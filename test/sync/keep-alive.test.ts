import { Metadata } from "@grpc/grpc-js";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { SyncRecordsRequest } from "../../src/sync/generated/contract.js";
import { accounts } from "../support/accounts.js";
import { observedHooks } from "../support/observed.js";
import { until } from "../support/promises.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { recordsOf } from "../support/sync-server.js";

const MINUTE = 60_000;
const harness = useScriptedServer();

const start = harness.startFrozenBatch;

test("keeps the lease alive with empty messages of an event collection, up to maxIdleMs", async () => {
  const { batch, clock } = await start({ maxIdleMs: 20 * MINUTE });
  for (let sent = 1; sent <= 2; sent += 1) {
    clock.advance(7.5 * MINUTE);
    await until(() => harness.server.streams.length === sent && batch.lease.remainingMs === 15 * MINUTE);
  }
  const messages = harness.server.streams.flatMap((stream) => stream.messages);
  expect(messages.map((bytes) => SyncRecordsRequest.decode(bytes).collection?.$case)).toEqual([
    "usage",
    "usage",
  ]);
  expect(messages.flatMap(recordsOf)).toEqual([]);
  clock.advance(7.5 * MINUTE);
  clock.advance(7.5 * MINUTE);
  expect(batch.state).toBe("expired");
  expect(harness.server.streams).toHaveLength(2);
});

test("reports keep-alive messages to the hook", async () => {
  const { hooks, responses } = observedHooks();
  const clock = new TestClock({ startAt: new Date(0) });
  const batch = await harness.startBatch({ clock, ...hooks }, { maxIdleMs: 20 * MINUTE });
  clock.advance(7.5 * MINUTE);
  await until(() => responses.length === 2);
  expect(responses[1]).toMatchObject({ operation: "SyncRecords", batchId: batch.id, outcome: "success" });
  batch.close();
});

test("completes only after a keep-alive message under way is answered", async () => {
  const { batch, clock } = await start({ maxIdleMs: 60 * MINUTE });
  await batch.write("accounts", accounts(1));
  const answer = harness.server.hold("SyncRecords");
  clock.advance(7.5 * MINUTE);
  await until(() => harness.server.streams[1]?.messages.length === 1);
  const completed = batch.complete();
  await until(() => batch.state === "completing");
  await new Promise((resolve) => setImmediate(resolve));
  expect(harness.server.calls).not.toContain("CompleteSyncBatch");
  answer();
  await completed;
  expect(harness.server.calls).toContain("CompleteSyncBatch");
});

test("keeps the lease alive again when something is written after a silence longer than maxIdleMs", async () => {
  const { batch, clock } = await start({ maxIdleMs: 10 * MINUTE });
  for (let sent = 1; sent <= 2; sent += 1) {
    clock.advance(7.5 * MINUTE);
    if (sent === 1) await until(() => batch.lease.remainingMs === 15 * MINUTE);
  }
  clock.advance(MINUTE);
  expect(harness.server.streams).toHaveLength(1);
  await batch.write("accounts", accounts(1));
  for (let step = 0; step < 15 && harness.server.streams.length < 3; step += 1) {
    clock.advance(MINUTE / 2);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => harness.server.streams.length === 3 && batch.lease.remainingMs > 14 * MINUTE);
  batch.close();
  expect(clock.sleeping).toBe(0);
});

test("ends the batch when the answer to a keep-alive message says that the lease is over", async () => {
  const { batch, clock } = await start({ maxIdleMs: 60 * MINUTE });
  const metadata = new Metadata();
  metadata.set("batch-state", "expired");
  harness.server.scripts.SyncRecords.push({ code: 9, details: "lease over", metadata });
  clock.advance(7.5 * MINUTE);
  await until(() => batch.signal.aborted);
  expect(batch.signal.reason).toMatchObject({ code: "BATCH_STATE", reason: "expired" });
  expect(batch.state).toBe("expired");
  await until(() => clock.sleeping === 0);
});

test("sends no keep-alive messages while the batch writes often enough", async () => {
  const { batch, clock } = await start({ maxIdleMs: 20 * MINUTE });
  for (let i = 0; i < 4; i += 1) {
    clock.advance(5 * MINUTE);
    await batch.write("accounts", accounts(1));
  }
  expect(harness.server.streams).toHaveLength(4);
});
