/** The state of a ledger: only the value with the highest sequence counts. */
import { copyFile, writeFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { fileLedger, type Store, storeLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { readInstallations } from "../../../src/runs/history.js";
import type { InstallationLedger } from "../../../src/runs/ledger/installation-ledger.js";
import { openLedger } from "../../../src/runs/ledger/ledger.js";
import { noteHeld } from "../../../src/runs/ledger/notes.js";
import { readLedger } from "../../../src/runs/ledger/state.js";
import { memoryStore } from "../../../src/runs/ledger/store.js";
import { complete } from "../../support/ledgers.js";
import { isPutOf, isState, watchedStore } from "../../support/stores.js";
import { heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const NEVER = new AbortController().signal;
const BASELINE = { sequence: 1, token: "run-batch", pasts: [] };
const SCOPE = { endpoint: "https://sync.example.com", installationId: "one" };
const ledgerOf = (store: Store) => openLedger(storeLedger(store), SCOPE);

/** Notes a held run of plans. */
function hold(ledger: InstallationLedger, approval: string, sequence = 9): Promise<void> {
  const run = { approval, at: 0, expiresAt: 1, report: {}, text: "" };
  const baselines = { plans: { sequence, token: approval, pasts: [] } };
  return noteHeld(ledger, { run, baselines, approve: undefined, now: 0 }, NEVER);
}

/** A store whose first put of a state waits until it is released. */
function stalled(below: Store) {
  let release = () => {};
  let isStalled = () => {};
  const reached = new Promise<void>((resolve) => {
    isStalled = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const store = watchedStore(below, async (call, go) => {
    if (isPutOf("state")(call)) {
      isStalled();
      await released;
    }
    return go();
  });
  return { store, reached, release: () => release() };
}

test("a completed run of a suspended process is not lost when other processes record their runs", async () => {
  const below = memoryStore();
  const ledger = ledgerOf(below);
  await hold(ledger, "first");
  const { store, reached, release } = stalled(below);
  const noting = complete(ledgerOf(store), { plans: BASELINE });
  await reached;
  for (const id of ["a", "b", "c"]) await hold(ledger, id);
  release();
  await noting;
  expect((await readLedger(ledger)).state.collections).toEqual({
    plans: { completed: BASELINE, held: { sequence: 9, token: "c", pasts: [] } },
  });
});

test.each([
  ["ends a hold that was there when it sent its records", 1, []],
  ["does not end a hold that came when its snapshot was stored", 2, ["later"]],
  ["ends a hold that came while its snapshot was being stored", 1, []],
])("a completed run that is recorded late %s", async (_, sequence, held) => {
  const ledger = ledgerOf(memoryStore());
  await hold(ledger, "later", sequence);
  await complete(ledger, { plans: BASELINE });
  expect((await readLedger(ledger)).state.held.map(({ approval }) => approval)).toEqual(held);
});

test("a hold is refused if a later snapshot was already completed", async () => {
  const ledger = ledgerOf(memoryStore());
  await complete(ledger, { plans: { ...BASELINE, sequence: 7 } });
  await expect(hold(ledger, "late", 7)).rejects.toThrow("Another run has completed plans in the meantime.");
});

test("a run is recorded only once if the store wrongly says that another run has put that state", async () => {
  const below = memoryStore();
  let puts = 0;
  const store: Store = {
    ...below,
    putIfAbsent: async (key, value) => (await below.putIfAbsent(key, value)) && ++puts > 1,
  };
  await complete(ledgerOf(store), { plans: BASELINE });
  expect((await readLedger(ledgerOf(below))).state.runs).toHaveLength(1);
});

test("a run whose ledger has a damaged state is held, with the removals among the readable ids", async () => {
  await service.runAccounts(ids(39));
  await service.runAccounts(ids(40));
  await writeFile(await service.file(/state\.00000002$/), "{}");
  const { reasons, approvalId: approve } = await heldBy(service.runAccounts(ids(10)));
  expect(reasons).toMatchObject([{ rule: "unreadable-ledger", known: 40, kept: 10, removed: 30 }]);
  expect(reasons[0]?.message).toContain("30 of the 40 ids that can be read would be removed");
  expect((await service.runAccounts(ids(10), { approve })).surprises).toEqual([]);
});

test("a person's copy of a state is ignored, and kept", async () => {
  await service.runAccounts(ids(4));
  const path = await service.file(/state\.00000001$/);
  const copy = `${path}.before.bak`;
  await copyFile(path, copy);
  for (let run = 0; run < 3; run += 1) {
    const { collections } = await service.runAccounts(ids(4));
    expect(collections.accounts?.expected).toMatchObject({ baseline: "completed", known: 4 });
  }
  expect(await service.files()).toContain(copy);
});

test("a held run that cannot be recorded is given up when nobody is waiting", async () => {
  const below = memoryStore();
  await service.runAccounts(ids(40), { ledger: storeLedger(below) });
  let puts = 0;
  const taken: Store = {
    ...below,
    putIfAbsent: async (key, value) => {
      if (!isState(key)) return below.putIfAbsent(key, value);
      puts += 1;
      await setImmediate();
      return false;
    },
  };
  await heldBy(service.clock.drive(service.runAccounts(ids(2), { ledger: storeLedger(taken) })));
  const before = puts;
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  // One put may have been under way when time ran out.
  expect(puts - before).toBeLessThanOrEqual(1);
});

test("a run held before a damaged state cannot be approved, because a later run may have been completed", async () => {
  await service.runAccounts(ids(40));
  const { approvalId = "" } = await heldBy(service.runAccounts(ids(10)));
  await service.runAccounts(ids(40));
  const path = await service.file(/state\.00000003$/);
  await writeFile(path, "{}");
  const { installationId } = service;
  const ledger = fileLedger(service.directory);
  const history = () => service.sync.history({ installationId, ledger });
  await expect(history()).rejects.toMatchObject({ message: expect.stringContaining(path) });
  const own = openLedger(ledger, { endpoint: service.server.syncUrl, installationId });
  expect(await readInstallations([own], Date.now())).toMatchObject([{ held: [] }]);
  const { error } = await heldBy(service.runAccounts(ids(40), { approve: approvalId }));
  expect((await history()).held).toMatchObject([{ approval: error.report.approval }]);
});

test("a run without snapshots ends before it sends anything if a state is damaged", async () => {
  const { server, installationId } = service;
  await service.runAccounts(ids(40));
  const { approvalId: approve = "" } = await heldBy(service.runAccounts(ids(10)));
  for (const on of ["CompleteSyncBatch", "AbortSyncBatch"] as const)
    server.faults.add({ on, times: 2, fault: "drop", at: "answer" });
  const unclear = service.runAccounts(ids(10), { approve, retryForMs: 0 });
  await expect(unclear).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
  await writeFile(await service.file(/state\.00000002$/), "{}");
  const events = service.run([], async () => {});
  await expect(events).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  expect((await heldBy(service.runAccounts(ids(40)))).reasons).toMatchObject([{ rule: "unreadable-ledger" }]);
  await heldBy(service.runAccounts(ids(10), { approve }));
  expect(server.inspect(installationId).batches.filter(({ state }) => state === "completed")).toHaveLength(2);
});

test("a state that is listed but briefly missing is read again", async () => {
  const below = memoryStore();
  await service.runAccounts(ids(4), { ledger: storeLedger(below) });
  let gets = 0;
  const store: Store = {
    ...below,
    get: async (key) => (isState(key) && ++gets === 1 ? undefined : below.get(key)),
  };
  const { collections } = await service.runAccounts(ids(4), { ledger: storeLedger(store) });
  expect(collections.accounts?.expected).toMatchObject({ baseline: "completed", known: 4 });
});
