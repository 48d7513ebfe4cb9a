import { storeLedger } from "@saas-management/sdk";
import { beforeEach, expect, test } from "vitest";
import type { LedgerDraft } from "../../../src/runs/ledger/collection-ledger.js";
import { FileStore } from "../../../src/runs/ledger/file-store.js";
import { openLedger } from "../../../src/runs/ledger/ledger.js";
import { readLedger } from "../../../src/runs/ledger/state.js";
import { memoryStore } from "../../../src/runs/ledger/store.js";
import { collectionLedger, complete } from "../../support/ledgers.js";
import { quietLogger } from "../../support/observed.js";
import { until } from "../../support/promises.js";
import { isPutOf, watchedStore } from "../../support/stores.js";
import { heldBy, ids, testService } from "../../support/test-service.js";

let warnings: string[];
beforeEach(() => {
  warnings = [];
});
const service = testService({ sync: { logger: quietLogger({ warn: (text) => void warnings.push(text) }) } });

/** The operation fails until its retry is used up. */
const breakOnce = (
  operation: "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch",
  at: "request" | "answer" = "request",
) => {
  for (let nth = 1; nth <= 2; nth += 1) service.server.faults.add({ on: operation, nth, fault: "drop", at });
};

test("compares the next run with both snapshots after a completion of unknown outcome", async () => {
  await service.runAccounts(ids(10));
  const both = [...ids(10), ...ids(9, "new")];
  breakOnce("CompleteSyncBatch", "answer");
  breakOnce("AbortSyncBatch");
  const unknown = service.runAccounts(both, { retryForMs: 0 });
  await expect(unknown).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
  const error = await heldBy(service.runAccounts(ids(10)));
  expect(error.reasons[0]).toMatchObject({ known: 19, removed: 9 });
  const { collections } = await service.runAccounts(both);
  expect(collections.accounts).toMatchObject({ expected: { baseline: "unclear", known: 19, removed: 0 } });
});

test("keeps an unclear snapshot although the abort after it succeeds", async () => {
  await service.runAccounts(ids(100));
  // Nobody but this test knows that the service did not complete the batch.
  breakOnce("CompleteSyncBatch");
  const unclear = service.runAccounts(ids(140), { retryForMs: 0 });
  await expect(unclear).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
  expect(service.states()).toEqual(["completed", "aborted"]);
  const error = await heldBy(service.runAccounts(ids(100)));
  expect(error.reasons[0]).toMatchObject({ baseline: "unclear", known: 140, removed: 40 });
});

test("a run that is sent again after an unclear completion leaves one baseline", async () => {
  await service.runAccounts(ids(100));
  breakOnce("CompleteSyncBatch");
  expect(await service.runAccounts(ids(140))).toMatchObject({ restarts: 1 });
  const { collections } = await service.runAccounts(ids(140));
  expect(collections.accounts).toMatchObject({ expected: { baseline: "completed", known: 140, kept: 140 } });
});

test("keeps an unclear snapshot if the run is aborted at the start of its next batch", async () => {
  const store = memoryStore();
  const ledger = storeLedger(store);
  await service.runAccounts(ids(10), { ledger });
  const both = [...ids(10), ...ids(9, "new")];
  const stop = new AbortController();
  let drafts = 0;
  const stopping = watchedStore(store, (call, go) => {
    if (isPutOf("ids")(call)) {
      drafts += 1;
      if (drafts === 2) stop.abort();
    }
    return go();
  });
  breakOnce("CompleteSyncBatch", "answer");
  breakOnce("AbortSyncBatch");
  const run = service.runAccounts(both, { ledger: storeLedger(stopping), signal: stop.signal });
  await expect(run).rejects.toBeDefined();
  expect(drafts).toBe(2);
  service.server.faults.clear();
  const { collections } = await service.runAccounts(both, { ledger });
  expect(collections.accounts).toMatchObject({ expected: { baseline: "unclear", known: 19 } });
});

test.each(["file", "memory"])(
  "a %s ledger ignores a late promotion after a later batch was completed",
  async (kind) => {
    const store = kind === "file" ? new FileStore(service.directory) : memoryStore();
    const { installationId } = service;
    const scope = { endpoint: "https://sync.example.com", installationId, collection: "accounts" } as const;
    const ledger = collectionLedger(store, scope);
    const promote = ({ place }: LedgerDraft) =>
      complete(openLedger(storeLedger(store), scope), { accounts: { ...place, pasts: [] } });
    const save = async (id: string) => {
      const lines = async function* () {
        yield Buffer.from(`${id}\n`);
      };
      const draft = await ledger.draft(await ledger.read(), `run-${id}`, { lines, lists: {} });
      await draft.save();
      return draft;
    };
    const known = async () => {
      const found: string[] = [];
      for (const { state, lines } of ledger.known(await ledger.read()))
        for await (const piece of lines()) found.push(`${state} ${Buffer.from(piece).toString().trim()}`);
      return found.sort();
    };
    const early = await save("u1");
    const later = await save("u2");
    await promote(early);
    expect(await known()).toEqual(["completed u1", "unclear u2"]);
    const last = await save("u3");
    await promote(last);
    await promote(later);
    expect(await known()).toEqual(["completed u3"]);
  },
);

test("two runs that note their ends at once both stay known", async () => {
  const scope = { endpoint: "https://sync.example.com", installationId: "one" };
  const ledger = openLedger(storeLedger(memoryStore()), scope);
  const baseline = { sequence: 1, token: "run-batch", pasts: [] };
  await Promise.all([complete(ledger, { accounts: baseline }), complete(ledger, { plans: baseline })]);
  const { state } = await readLedger(ledger);
  const collections = { accounts: { completed: baseline }, plans: { completed: baseline } };
  expect(state).toMatchObject({ collections, runs: [{}, {}] });
});

const foreign = expect.stringContaining("but this run did not complete it");

/** A run whose batch another process completes while a window is on its way, or while its answer is. */
async function interrupted(
  at: "request" | "answer",
  ...[sent, options]: Parameters<typeof service.runAccounts>
): Promise<unknown> {
  const slow = service.server.faults.add({ on: "SyncRecords", fault: "delay", ms: 10_000, at });
  const run = service.runAccounts(sent, options);
  run.catch(() => {});
  await until(() => slow.fired > 0);
  const { batchId = "" } = service.inspect().lock ?? {};
  await service.plainClient().complete(batchId);
  service.clock.advance(10_000);
  return run;
}

test("does not take a batch for a success that another process completed early", async () => {
  await service.runAccounts(ids(10));
  const run = interrupted("request", ids(9));
  await expect(run).rejects.toMatchObject({ code: "BATCH_STATE", reason: "completed" });
  expect(warnings).toContainEqual(foreign);
  const error = await heldBy(service.runAccounts(ids(5)));
  expect(error.reasons[0]).toMatchObject({ baseline: "completed", known: 10, removed: 5 });
});

test("compares with both snapshots if another process completed the batch before the run", async () => {
  await service.runAccounts(ids(10));
  const run = interrupted("answer", [...ids(10), ...ids(9, "new")]);
  await expect(run).rejects.toMatchObject({ code: "BATCH_STATE", reason: "completed" });
  expect(warnings).toContainEqual(foreign);
  const error = await heldBy(service.runAccounts(ids(10)));
  expect(error.reasons[0]).toMatchObject({ known: 19, removed: 9 });
});

test("an approval whose run may have been completed covers the same run again, and no other", async () => {
  await service.runAccounts(ids(10));
  const { approvalId: approve } = await heldBy(service.runAccounts(ids(4)));
  const run = interrupted("answer", ids(4), { approve });
  await expect(run).rejects.toMatchObject({ code: "BATCH_STATE", reason: "completed" });
  const other = await heldBy(service.runAccounts(ids(3, "new"), { approve }));
  expect(other.reasons).toMatchObject([{ baseline: "unclear", removed: 10 }]);
  const { collections } = await service.runAccounts(ids(4), { approve });
  expect(collections.accounts?.expected).toMatchObject({ baseline: "unclear", removed: 6 });
});
