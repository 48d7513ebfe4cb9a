import { readdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { fileLedger, type RunOptions } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { fileStaging } from "../../../src/sync/staging/staging.js";
import { ofSnapshots } from "../../support/adopted.js";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const staging = () => fileStaging(join(service.directory, "staging"));
const ledger = () => fileLedger(join(service.directory, "ledger"));

async function stage(runKey: string, parts: Readonly<Record<string, readonly string[]>>) {
  const staged = await service.sync.stage(staging(), {
    runKey,
    version: "1",
    partitions: { accounts: Object.keys(parts) },
    installationId: service.installationId,
    ledger: ledger(),
  });
  for (const [partition, own] of Object.entries(parts))
    await staged.extract("accounts", partition, accounts(own));
  return staged;
}

test("commits what was extracted, once", async () => {
  const staged = await stage("one", { "a-m": ids(5, "a"), "n-z": ids(5, "n") });
  expect(service.states()).toEqual([]);
  const receipt = await service.sync.commit(staged, { firstRun: true });
  expect(service.present()).toEqual([...ids(5, "a"), ...ids(5, "n")]);
  expect(receipt).toMatchObject({ runKey: "one", collections: { accounts: { stats: { accepted: 10 } } } });
  const again = await service.sync.commit(staged, { firstRun: true });
  expect(again).toEqual(receipt);
  expect(String(again)).toBe(String(receipt));
  expect(service.states()).toEqual(["completed"]);
});

test("holds before anything is sent, and commits with the approval", async () => {
  const first = await stage("one", { all: ids(10) });
  await service.sync.commit(first, { firstRun: true });
  const second = await stage("two", { all: ids(2) });
  const { approvalId, message } = await heldBy(service.sync.commit(second));
  expect(message).toContain("Nothing was sent.");
  expect(service.states()).toEqual(["completed"]);
  const receipt = await service.sync.commit(second, { approve: approvalId });
  expect(receipt.collections.accounts).toMatchObject({
    approved: ["removed"],
    ...ofSnapshots({ reported: { removed: 8 } }),
  });
  expect(service.present()).toEqual(ids(2));
});

test("runs a connector by way of a staging", async () => {
  const run = (count: number, options = {}) =>
    service.runAccounts(ids(count), { staging: staging(), ledger: ledger(), ...options });
  const receipt = await run(10);
  expect(receipt.collections.accounts?.stats.accepted).toBe(10);
  const { approvalId } = await heldBy(run(2));
  await service.run(
    ["accounts"],
    async () => {
      throw new Error("must not be called");
    },
    { staging: staging(), ledger: ledger(), approve: approvalId },
  );
  expect(service.present()).toEqual(ids(2));
});

/** A run by way of the staging. Returns whether the connector was called. */
async function runAsks(count: number, options: Partial<RunOptions> = {}): Promise<boolean> {
  let isAsked = false;
  await service.run(
    ["accounts"],
    async (batch) => {
      isAsked = true;
      await batch.write("accounts", accounts(count));
    },
    { staging: staging(), ledger: ledger(), restarts: 0, ...options },
  );
  return isAsked;
}

const segments = async () =>
  (await readdir(join(service.directory, "staging"), { recursive: true })).filter((name) =>
    /\/s\/./.test(name),
  );

test("sends again what a failed run has extracted, and does not call the connector", async () => {
  await runAsks(3);
  for (let nth = 1; nth <= 2; nth += 1)
    service.server.faults.add({ on: "SyncRecords", nth, fault: "drop", at: "answer" });
  await expect(runAsks(4)).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  expect(await runAsks(9)).toBe(false);
  expect(service.present()).toEqual(ids(4));
  expect(await runAsks(5)).toBe(true);
  expect(await segments()).toEqual([]);
});

test("calls the connector if the run that was left is older than one that was completed", async () => {
  await runAsks(3);
  for (let nth = 1; nth <= 2; nth += 1)
    service.server.faults.add({ on: "SyncRecords", nth, fault: "drop", at: "answer" });
  await expect(runAsks(4)).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  await service.runAccounts(ids(5), { ledger: ledger() });
  expect(await runAsks(6)).toBe(true);
  expect(service.present()).toEqual(ids(6));
  expect(await segments()).toEqual([]);
});

test("calls the connector if a segment of the run that was left is damaged", async () => {
  await runAsks(3);
  service.server.faults.add({ on: "StartSyncBatch", fault: "status", status: "PERMISSION_DENIED" });
  await expect(runAsks(4)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  const [segment = ""] = await segments();
  await truncate(join(service.directory, "staging", segment), 60);
  expect(await runAsks(5)).toBe(true);
  expect(await runAsks(6)).toBe(true);
  expect(service.present()).toEqual(ids(6));
  expect(await segments()).toEqual([]);
});

test("keeps nothing of an extraction that failed, and what was held until the next run", async () => {
  await runAsks(9);
  const failed = runAsks(2, { signal: AbortSignal.abort(new Error("stop")) });
  await expect(failed).rejects.toThrow("stop");
  const run = service.run(
    ["accounts"],
    async (batch) => {
      await batch.write("accounts", accounts(1));
      throw new Error("vendor API answered 500");
    },
    { staging: staging(), ledger: ledger() },
  );
  await expect(run).rejects.toThrow("vendor API answered 500");
  expect(await segments()).toEqual([]);
  await heldBy(runAsks(2));
  expect(await segments()).toHaveLength(1);
  expect(await runAsks(8)).toBe(true);
  expect(await segments()).toEqual([]);
  expect(service.present()).toEqual(ids(8));
});
