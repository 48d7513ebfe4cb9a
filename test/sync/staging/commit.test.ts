import { join } from "node:path";
import { fileLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { fileStaging } from "../../../src/sync/staging/staging.js";
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
  expect(receipt.collections.accounts).toMatchObject({ approved: ["removed"], reported: { removed: 8 } });
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
