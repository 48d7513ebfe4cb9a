import { BatchStateError, InvalidInputError, type SyncBatch } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { SyncRecordsRequest } from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";
import { recordsOf } from "../support/scripted-sync-server.js";
import { accounts, useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const plan = (id: string) => ({
  generic: { id, externalPlanName: id, details: { model: "SEAT_BASED" as const, seatBased: {} } },
});
const messages = () => harness.server.streams.flatMap((stream) => stream.messages);
const collectionOf = (bytes: Uint8Array) => SyncRecordsRequest.decode(bytes).collection?.$case;

describe("open collections", () => {
  it("interleave: a source that fans out to two of them does not block itself", async () => {
    const batch = await harness.startBatch({ messageBytes: 500, windowBytes: 500 });
    const users = batch.open("accounts");
    const plans = batch.open("plans");
    for (const [i, account] of accounts(20).entries()) {
      await users.push(account);
      await plans.push([plan(`p${i}`)]);
    }
    await expect(users.seal()).resolves.toMatchObject({ collection: "accounts", accepted: 20 });
    await expect(plans.seal()).resolves.toMatchObject({ collection: "plans", accepted: 20 });
    await batch.complete();
    expect(new Set(messages().map(collectionOf))).toEqual(new Set(["accounts", "plans"]));
    expect(messages().flatMap(recordsOf)).toHaveLength(40);
    expect(harness.server.mostOpenStreams()).toBe(1);
  });

  it("keep the order of pushes that are not awaited", async () => {
    const batch = await harness.startBatch({ messageBytes: 300, windowBytes: 300 });
    const users = batch.open("accounts");
    for (const account of accounts(10)) void users.push(account);
    await users.seal();
    const ids = messages()
      .flatMap(recordsOf)
      .map((record) => /"id":"(u\d+)"/.exec(JSON.stringify(record))?.[1]);
    expect(ids).toEqual(accounts(10).map(({ generic }) => generic.id));
  });

  it("take an array as it was when it was pushed, whatever becomes of it afterwards", async () => {
    const batch = await harness.startBatch({ messageBytes: 300, windowBytes: 300 });
    const users = batch.open("accounts");
    const page: ReturnType<typeof accounts> = [];
    for (const account of accounts(20)) {
      page.push(account);
      if (page.length < 10) continue;
      void users.push(page);
      page.length = 0;
    }
    await expect(users.seal()).resolves.toMatchObject({ accepted: 20 });
    await batch.complete();
  });

  it.each([
    ["alone", (record: ReturnType<typeof accounts>[number]) => record],
    ["in an array", (record: ReturnType<typeof accounts>[number]) => [record]],
  ])("refuse a record object that is filled anew before its push has resolved, %s", async (_, form) => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    const [first, second] = accounts(2);
    if (first === undefined || second === undefined) throw new Error("there are two");
    void users.push(form(first));
    Object.assign(first.generic, second.generic);
    const again = users.push(form(first));
    await expect(again).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("Await each push"),
    });
    await expect(users.seal()).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  });

  it("take the same record object again when its push has resolved", async () => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    const record = { generic: { id: "" } };
    for (const id of ["u1", "u2"]) {
      record.generic.id = id;
      await users.push(record);
    }
    await expect(users.seal()).resolves.toMatchObject({ accepted: 2 });
    expect(JSON.stringify(messages().flatMap(recordsOf))).toMatch(/u1.*u2/);
  });

  it("are sealed with the options of the call, whatever becomes of their object", async () => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    void users.push(accounts(1));
    const options = { expectedCount: 2 };
    const sealed = users.seal(options);
    options.expectedCount = 1;
    await expect(sealed).rejects.toThrow(/had 1 records, and expectedCount says 2/);
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  });

  it("that are sealed again are held to the number that the second seal says", async () => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    await users.push(accounts(1));
    await users.seal();
    await expect(users.seal({ expectedCount: 5 })).rejects.toThrow(/had 1 records, and expectedCount says 5/);
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  });

  it("are pushed what an array holds, whatever its own methods say", async () => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    const page = Object.assign(accounts(3), { slice: () => [] });
    await users.push(page);
    await expect(users.seal()).resolves.toMatchObject({ accepted: 3 });
  });

  it("that are sealed without records are empty snapshots, and sealing again changes nothing", async () => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    await users.seal();
    await users.seal();
    expect(messages().map(collectionOf)).toEqual(["accounts"]);
    await expect(users.push(accounts(1))).rejects.toThrow(/sealed/);
  });

  it("whose pushes and seals nobody awaits are waited for by complete", async () => {
    const batch = await harness.startBatch({ messageBytes: 300, windowBytes: 300 });
    const users = batch.open("accounts");
    const plans = batch.open("plans");
    for (const account of accounts(10)) void users.push(account);
    void plans.push(plan("p1"));
    void users.seal();
    void plans.seal();
    await batch.complete();
    expect(batch.stats).toMatchObject({ accounts: { accepted: 10 }, plans: { accepted: 1 } });
    expect(harness.server.calls).toContain("CompleteSyncBatch");
  });

  it("whose seal fails while complete waits for it keep the batch from being completed", async () => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    void users.push(accounts(1));
    void users.seal({ expectedCount: 2 });
    await expect(batch.complete()).rejects.toMatchObject({
      code: "BATCH_STATE",
      reason: "incomplete",
      cause: { code: "INVALID_INPUT" },
    });
    expect(harness.server.calls).not.toContain("CompleteSyncBatch");
  });

  it("that are not sealed stand in the way of complete", async () => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    await users.push(accounts(1));
    await expect(batch.complete()).rejects.toBeInstanceOf(BatchStateError);
    expect(harness.server.calls).not.toContain("CompleteSyncBatch");
    await users.seal();
    await batch.complete();
  });

  it.each([
    ["it is open already", (batch: SyncBatch) => batch.open("accounts"), /accounts failed .*is open already/],
    [
      "an option is wrong",
      (batch: SyncBatch) => batch.open("plans", { expectedCount: Number.NaN }),
      /plans failed .*expectedCount must be/,
    ],
    [
      "an option is misspelled",
      // @ts-expect-error -- the types know the options
      (batch: SyncBatch) => batch.open("plans", { expectedcount: 0 }),
      /plans failed .*expectedcount/,
    ],
    [
      "there is no such collection",
      // @ts-expect-error -- the types know the collections
      (batch: SyncBatch) => batch.open("acounts"),
      /a collection that does not exist failed .*acounts/,
    ],
  ])("that cannot be opened keep the batch from being completed: %s", async (_, open, why) => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    await users.push(accounts(1));
    expect(() => open(batch)).toThrow(InvalidInputError);
    await expect(users.seal()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
    await expect(batch.complete()).rejects.toMatchObject({
      code: "BATCH_STATE",
      reason: "incomplete",
      message: expect.stringMatching(why),
      cause: { code: "INVALID_INPUT" },
    });
    expect(harness.server.calls).not.toContain("CompleteSyncBatch");
  });

  it("poison the batch with an invalid record, also when nobody awaits the push", async () => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    void users.push([{ generic: { id: "ok" } }, { generic: { id: "" } }]);
    await expect(users.seal()).rejects.toBeInstanceOf(InvalidInputError);
    await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
    expect(messages()).toHaveLength(0);
  });

  it("poison the batch when a window is refused, and seal tells the server's reason", async () => {
    harness.server.scripts.SyncRecords.push({ code: 3, details: "no" });
    const batch = await harness.startBatch({ messageBytes: 300, windowBytes: 300 });
    const users = batch.open("accounts");
    for (const account of accounts(10)) await users.push(account).catch(() => {});
    await expect(users.seal()).rejects.toMatchObject({ code: "SYNC_PROTOCOL" });
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  });

  it("end with the batch", async () => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    await users.push(accounts(1));
    await batch.abort();
    await expect(users.push(accounts(1))).rejects.toMatchObject({ reason: "aborted" });
    await expect(users.seal()).rejects.toMatchObject({ reason: "aborted" });
    expect(() => batch.open("plans")).toThrow(BatchStateError);
  });
});
