import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileLedger, storeLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { openLedger } from "../../../src/runs/ledger/ledger.js";
import { noteApproved } from "../../../src/runs/ledger/notes.js";
import { memoryStore } from "../../../src/runs/ledger/store.js";
import { failingStore, isPutOf } from "../../support/stores.js";
import { heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();

const history = () =>
  service.sync.history({
    installationId: service.installationId,
    ledger: fileLedger(service.directory),
  });

function ledgerOf() {
  const { server, installationId } = service;
  return openLedger(fileLedger(service.directory), { endpoint: server.syncUrl, installationId });
}

test("the history has the receipts of the last 30 runs, the latest one last", async () => {
  expect(await history()).toEqual({ isKnown: false, runs: [], held: [] });
  const receipt = await service.runAccounts(ids(1));
  for (let run = 2; run <= 32; run += 1) await service.runAccounts(ids(run));
  const { runs } = await history();
  expect(runs).toHaveLength(30);
  expect(runs.map(({ collections }) => collections.accounts?.stats.sent)).toEqual(
    Array.from({ length: 30 }, (_, i) => i + 3),
  );
  expect(runs[0]?.completedAt).toBeInstanceOf(Date);
  expect(Object.keys(runs[0] ?? {})).toEqual([...Object.keys(receipt), "completedAt"]);
  expect(String(runs[29])).toMatch(/^Run completed: batch .*\n.*\naccounts +32 /);
});

test("the history has the report of a held run until a run completes", async () => {
  await service.runAccounts(ids(40));
  const { error } = await heldBy(service.runAccounts(ids(10)));
  const { held, runs } = await history();
  expect(held).toEqual([{ ...error.report, heldAt: expect.any(Date), isApproved: false }]);
  expect(String(held[0])).toBe(String(error.report));
  expect(runs).toHaveLength(1);
  await service.runAccounts(ids(40));
  expect((await history()).held).toEqual([]);
});

test("a first run that the ledger could not record may be repeated, and the two runs are compared", async () => {
  const store = memoryStore();
  const fails = failingStore(store, isPutOf("state"), new Error("The database restarts."));
  await service.runAccounts(ids(40), { ledger: storeLedger(fails) });
  const ledger = storeLedger(store);
  const { installationId } = service;
  expect(await service.sync.history({ installationId, ledger })).toMatchObject({ isKnown: false, runs: [] });
  await heldBy(service.runAccounts(ids(41), { ledger, firstRun: false }));
  const { collections } = await service.runAccounts(ids(41), { ledger, firstRun: true });
  expect(collections.accounts?.expected).toMatchObject({ baseline: "unclear", known: 40, added: 1 });
});

test("an approval survives another held run of the collection", async () => {
  await service.runAccounts(ids(40));
  const first = await heldBy(service.runAccounts(ids(10)));
  await noteApproved(ledgerOf(), first.approvalId ?? "");
  expect((await history()).held).toMatchObject([{ isApproved: true }]);
  const second = await heldBy(service.runAccounts(ids(5)));
  expect((await history()).held).toMatchObject([
    { isApproved: true, approval: { id: first.approvalId } },
    { isApproved: false, approval: { id: second.approvalId } },
  ]);
  await service.runAccounts(ids(9));
  expect((await history()).held).toEqual([]);
});

test("the ids of a held run are only in the list of removals", async () => {
  await service.runAccounts(ids(40, "person-"));
  const { reasons } = await heldBy(service.runAccounts(ids(10, "person-")));
  const noted = (await service.files()).filter((path) => basename(path).startsWith("state."));
  for (const path of noted) expect(await readFile(path, "utf8")).not.toContain("person-");
  expect((await history()).held[0]?.reasons[0]?.examples).toEqual(reasons[0]?.examples);
});

test("without a ledger, there is no history", async () => {
  const { installationId } = service;
  expect(await service.sync.history({ installationId, ledger: "none" })).toEqual({
    isKnown: false,
    runs: [],
    held: [],
  });
});
