/** Ledgers as the guard sees them. */
import { randomUUID } from "node:crypto";
import { type SnapshotCollection, type Store, storeLedger } from "@saas-management/sdk";
import { CollectionLedger } from "../../src/runs/ledger/collection-ledger.js";
import type { InstallationLedger, InstallationScope } from "../../src/runs/ledger/installation-ledger.js";
import { openLedger } from "../../src/runs/ledger/ledger.js";
import { type Completion, noteCompleted } from "../../src/runs/ledger/notes.js";
import type { PastSnapshots } from "../../src/runs/ledger/past.js";
import { quietLogger } from "./observed.js";

export function collectionLedger(
  store: Store,
  scope: InstallationScope & { readonly collection: SnapshotCollection },
): CollectionLedger {
  return new CollectionLedger(openLedger(storeLedger(store), scope), scope.collection);
}

/** What the ledger remembers of the last completed snapshot and of those before it. */
export async function pastsOf(ledger: CollectionLedger): Promise<PastSnapshots> {
  const completed = ledger.known(await ledger.read()).find(({ state }) => state === "completed");
  return completed === undefined ? [] : completed.pasts();
}

/** Notes a completed run of these snapshots. */
export async function complete(
  ledger: InstallationLedger,
  snapshots: Completion["snapshots"],
): Promise<void> {
  const run = { at: 0, token: randomUUID(), receipt: {} };
  const completion = { run, snapshots, advanced: {}, before: {} };
  await noteCompleted(ledger, completion, { ...ledger.limits, logger: quietLogger({}) });
}
