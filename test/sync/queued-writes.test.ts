import { getEventListeners } from "node:events";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { quietLogger } from "../support/observed.js";
import { until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();

/** A batch whose first write waits for the service until `answer` is called. */
async function startBusy() {
  const answer = harness.server.hold("SyncRecords");
  const batch = await harness.startBatch();
  const first = batch.write("accounts", accounts(1));
  await until(() => harness.server.streams[0]?.messages.length === 1);
  return { batch, first, answer };
}

/** A batch whose warnings are collected, on a clock that stands still. */
async function startWatched() {
  const clock = new TestClock({ startAt: new Date(0) });
  const warnings: string[] = [];
  const logger = quietLogger({ warn: (message) => void warnings.push(message) });
  return { clock, warnings, batch: await harness.startBatch({ clock, logger }) };
}

test("rejects a queued write at once if its signal fires, and does not read its source", async () => {
  const { batch, first, answer } = await startBusy();
  const stop = new AbortController();
  let read = 0;
  function* source() {
    read += 1;
    yield* accounts(1);
  }
  const queued = batch.write("plans", [], { signal: stop.signal });
  const another = batch.write("accounts", source(), { signal: stop.signal });
  stop.abort("enough");
  // The first write still waits for the service.
  await expect(queued).rejects.toBe("enough");
  await expect(another).rejects.toBe("enough");
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
  answer();
  await expect(first).resolves.toMatchObject({ accepted: 1 });
  expect(read).toBe(0);
  expect(harness.server.streams).toHaveLength(1);
});

test("makes the batch incomplete if a queued write is aborted, even if the write in flight succeeds", async () => {
  const { batch, first, answer } = await startBusy();
  const stop = new AbortController();
  const queued = batch.write("plans", [], { signal: stop.signal });
  const after = batch.write("plans", []);
  stop.abort("enough");
  await expect(queued).rejects.toBe("enough");
  await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
  answer();
  await first;
  await expect(after).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
  expect(harness.server.calls).toEqual(["StartSyncBatch"]);
});

test("warns once if a write waits 30 s behind a source that itself awaits the write", async () => {
  const { batch, clock, warnings } = await startWatched();
  let waits = false;
  async function* source() {
    yield* accounts(1);
    waits = true;
    await batch.write("plans", []);
  }
  const write = batch.write("accounts", source());
  await until(() => waits);
  clock.advance(29_999);
  expect(warnings).toEqual([]);
  clock.advance(1);
  expect(warnings).toEqual([expect.stringMatching(/the write of plans .* the write of accounts/)]);
  clock.advance(60_000);
  expect(warnings).toHaveLength(1);
  batch.close();
  await expect(write).rejects.toMatchObject({ code: "CLOSED" });
});

test("warns if complete() is awaited within a source of its own batch", async () => {
  const { batch, clock, warnings } = await startWatched();
  let waits = false;
  async function* source() {
    yield* accounts(1);
    waits = true;
    await batch.complete();
  }
  const write = batch.write("accounts", source());
  await until(() => waits);
  clock.advance(30_000);
  expect(warnings).toEqual([expect.stringContaining("complete()")]);
  batch.close();
  await expect(write).rejects.toMatchObject({ code: "CLOSED" });
});

test("does not warn about a queued write while the write in front of it waits for the service", async () => {
  const { batch, clock, warnings } = await startWatched();
  harness.server.hold("SyncRecords");
  void batch.write("accounts", accounts(1));
  void batch.write("plans", []);
  await until(() => harness.server.streams[0]?.messages.length === 1);
  for (let i = 0; i < 3; i += 1) clock.advance(30_000);
  expect(warnings).toEqual([]);
});

test("does not warn of a write that waits for a source that keeps yielding records", async () => {
  const { batch, clock, warnings } = await startWatched();
  const nothing = () => {};
  let give = nothing;
  async function* source() {
    for (const account of accounts(4)) {
      await new Promise<void>((resolve) => {
        give = resolve;
      });
      yield account;
    }
  }
  const writes = [batch.write("accounts", source()), batch.write("plans", [])];
  for (let given = 0; given < 4; given += 1) {
    await until(() => give !== nothing);
    clock.advance(20_000);
    give();
    give = nothing;
  }
  await Promise.all(writes);
  expect(warnings).toEqual([]);
});
