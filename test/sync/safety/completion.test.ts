import { storeLedger } from "@saas-management/sdk";
import { beforeEach, expect, test } from "vitest";
import { memoryStore } from "../../../src/runs/ledger/store.js";
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
  // Only this test knows that the service did not complete the batch.
  breakOnce("CompleteSyncBatch");
  const unclear = service.runAccounts(ids(140), { retryForMs: 0 });
  await expect(unclear).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
  expect(service.states()).toEqual(["completed", "aborted"]);
  const error = await heldBy(service.runAccounts(ids(100)));
  expect(error.reasons[0]).toMatchObject({ baseline: "unclear", known: 140, removed: 40 });
});

test("a run that is resent after an unclear completion leaves one baseline", async () => {
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

const foreign = expect.stringContaining("but this run didn't complete it");

/** A run whose batch another process completes while a window, or its answer, is on its way. */
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

test("reports no success if another process completed the batch early", async () => {
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

test("a flood of new ids is reported together with the size of the snapshot that it exceeds", async () => {
  await service.runAccounts(ids(10));
  const run = interrupted("answer", ids(40), { guard: { added: false } });
  await expect(run).rejects.toMatchObject({ code: "BATCH_STATE" });
  const { error, reasons } = await heldBy(service.runAccounts(ids(41)));
  expect(reasons[0]).toMatchObject({ baseline: "unclear", known: 40, added: 1 });
  expect(error.report.summary).toBe(
    "Held: accounts: 31 of 41 ids are new; the ledger knew 10. Nothing was sent.",
  );
});

test("an approval whose run may have been completed still covers exactly that run", async () => {
  await service.runAccounts(ids(10));
  const { approvalId: approve } = await heldBy(service.runAccounts(ids(4)));
  const run = interrupted("answer", ids(4), { approve });
  await expect(run).rejects.toMatchObject({ code: "BATCH_STATE", reason: "completed" });
  const other = await heldBy(service.runAccounts(ids(3, "new"), { approve }));
  expect(other.reasons).toMatchObject([{ baseline: "unclear", removed: 10 }]);
  const { collections } = await service.runAccounts(ids(4), { approve });
  expect(collections.accounts?.expected).toMatchObject({ baseline: "unclear", removed: 6 });
});
