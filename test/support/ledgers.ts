/** Ledgers as the guard sees them. */
import { type SnapshotCollection, type Store, storeLedger } from "@saas-management/sdk";
import { CollectionLedger } from "../../src/sync/ledger/collection-ledger.js";
import type { InstallationScope } from "../../src/sync/ledger/installation-ledger.js";
import { openLedger } from "../../src/sync/ledger/ledger.js";
import type { PastSnapshots } from "../../src/sync/ledger/past.js";

export function collectionLedger(
  store: Store,
  scope: InstallationScope & { readonly collection: SnapshotCollection },
): CollectionLedger {
  return new CollectionLedger(openLedger(storeLedger(store), scope), scope.collection);
}

/** What is remembered of the last completed snapshot and those before it. */
export async function pastsOf(ledger: CollectionLedger): Promise<PastSnapshots> {
  const completed = (await ledger.known()).find(({ state }) => state === "completed");
  return completed === undefined ? [] : completed.pasts();
}
