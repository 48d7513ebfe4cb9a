import { InvalidInputError, type RecordTypes, type SyncBatch } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { SyncRecordsRequest } from "../../src/sync/generated/contract.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { recordsOf } from "../support/sync-server.js";

const harness = useScriptedServer();
const SMALL = { messageBytes: 300, windowBytes: 300 };
const plan = (id: string) => ({
  id,
  externalPlanName: id,
  details: { model: "SEAT_BASED" as const, seatBased: {} },
});
const messages = () => harness.server.streams.flatMap((stream) => stream.messages);
const collectionIn = (bytes: Uint8Array) => SyncRecordsRequest.decode(bytes).collection?.$case;

async function expectIncomplete(batch: SyncBatch): Promise<void> {
  await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
  expect(harness.server.calls).not.toContain("CompleteSyncBatch");
}

test("interleaves two writers that share a source", async () => {
  const batch = await harness.startBatch({ messageBytes: 500, windowBytes: 500 });
  const users = batch.writer("accounts");
  const plans = batch.writer("plans");
  for (const [i, account] of accounts(20).entries()) {
    await users.write(account);
    await plans.write([plan(`p${i}`)]);
  }
  await expect(users.end()).resolves.toMatchObject({ accepted: 20 });
  await expect(plans.end()).resolves.toMatchObject({ accepted: 20 });
  await batch.complete();
  expect(new Set(messages().map(collectionIn))).toEqual(new Set(["accounts", "plans"]));
  expect(messages().flatMap(recordsOf)).toHaveLength(40);
  expect(harness.server.mostOpenStreams()).toBe(1);
});

test.each([
  ["alone", (record: RecordTypes["accounts"]) => record],
  ["in an array", (record: RecordTypes["accounts"]) => [record]],
])("refuses a record object that is written again before its write has resolved, %s", async (_, form) => {
  const batch = await harness.startBatch();
  const users = batch.writer("accounts");
  const record = { id: "u1" };
  void users.write(form(record));
  record.id = "u2";
  await expect(users.write(form(record))).rejects.toMatchObject({ code: "INVALID_INPUT" });
  await expect(users.end()).rejects.toMatchObject({ code: "INVALID_INPUT" });
  await expectIncomplete(batch);
});

test("rejects the first and any repeated end of a writer that expects a different number of records", async () => {
  const batch = await harness.startBatch();
  const users = batch.writer("accounts", { expectedCount: 2 });
  await users.write(accounts(1));
  for (let i = 0; i < 2; i += 1) await expect(users.end()).rejects.toMatchObject({ code: "INVALID_INPUT" });
  await expectIncomplete(batch);
});

test("refuses to complete before a writer has ended, and completes afterwards", async () => {
  const batch = await harness.startBatch();
  const users = batch.writer("accounts");
  await batch.write("plans", [plan("p1")]);
  const message = expect.stringContaining("the writer of accounts has not ended");
  await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", message });
  await expectIncomplete(batch);
  await users.end();
  await batch.complete();
});

test("completes after writes and ends that weren't awaited", async () => {
  const batch = await harness.startBatch(SMALL);
  const users = batch.writer("accounts");
  const plans = batch.writer("plans");
  for (const account of accounts(10)) void users.write(account);
  void plans.write(plan("p1"));
  void users.end();
  void plans.end();
  await batch.complete();
  expect(batch.stats).toMatchObject({ accounts: { accepted: 10 }, plans: { accepted: 1 } });
  expect(harness.server.calls).toContain("CompleteSyncBatch");
});

test.each([
  ["it is open already", (batch: SyncBatch) => batch.writer("accounts")],
  ["an option is wrong", (batch: SyncBatch) => batch.writer("plans", { expectedCount: Number.NaN })],
  [
    "an option is misspelled",
    // @ts-expect-error -- the types know the options
    (batch: SyncBatch) => batch.writer("plans", { expectedcount: 0 }),
  ],
  [
    "there is no such collection",
    // @ts-expect-error -- the types know the collections
    (batch: SyncBatch) => batch.writer("acounts"),
  ],
])("makes the batch incomplete if a collection cannot be opened because %s", async (_, open) => {
  const batch = await harness.startBatch();
  const users = batch.writer("accounts");
  await users.write(accounts(1));
  expect(() => open(batch)).toThrow(InvalidInputError);
  await expect(users.end()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
  await expectIncomplete(batch);
});

test("rejects the end of a writer with the service's refusal of a window", async () => {
  harness.server.scripts.SyncRecords.push({ code: 3, details: "no" });
  const batch = await harness.startBatch(SMALL);
  const users = batch.writer("accounts");
  for (const account of accounts(10)) await users.write(account).catch(() => {});
  await expect(users.end()).rejects.toMatchObject({ code: "SYNC_PROTOCOL" });
  await expectIncomplete(batch);
});
