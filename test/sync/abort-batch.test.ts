import { expect, test } from "vitest";
import { rejection } from "../support/promises.js";
import { accounts, ids, testService } from "../support/test-service.js";

const service = testService();

test("aborts a batch that another process abandoned, which frees its lock and removes nothing", async () => {
  await service.runAccounts(ids(20));
  const left = await service.startBatch();
  await left.write("accounts", accounts(2));
  left.close();
  await service.syncClient().abortBatch(left.id);
  expect(service.states()).toEqual(["completed", "aborted"]);
  expect(service.present()).toHaveLength(20);
  await service.runAccounts(ids(20));
});

test("says how a batch ended when you abort it afterwards", async () => {
  const batch = await service.startBatch();
  await batch.complete({ unverified: true });
  expect(await rejection(service.sync.abortBatch(batch.id))).toMatchObject({
    code: "BATCH_STATE",
    reason: "completed",
  });
});

test.each([
  ["an unknown id", "no-such-batch", { code: "SYNC_PROTOCOL", grpcStatus: "NOT_FOUND" }],
  ["no id", "", { code: "INVALID_INPUT" }],
])("refuses to abort %s", async (_, id, error) => {
  expect(await rejection(service.sync.abortBatch(id))).toMatchObject(error);
});

test("an abort that is given up rejects with its signal's reason", async () => {
  const batch = await service.startBatch();
  service.server.faults.add({ on: "AbortSyncBatch", fault: "stall" });
  const stop = new AbortController();
  const aborted = rejection(service.sync.abortBatch(batch.id, { signal: stop.signal }));
  const reason = new Error("enough");
  stop.abort(reason);
  expect(await aborted).toBe(reason);
});

test("a write rejects with the reason aborted, even if its batch was aborted by id", async () => {
  const batch = await service.startBatch();
  await service.syncClient().abortBatch(batch.id);
  expect(await rejection(batch.write("accounts", accounts(2)))).toMatchObject({
    code: "BATCH_STATE",
    reason: "aborted",
  });
});
