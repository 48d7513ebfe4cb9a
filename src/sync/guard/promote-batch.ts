import type { SnapshotCollection } from "../collections.js";
import { CollectionLedger } from "../ledger/collection-ledger.js";
import type { InstallationScope } from "../ledger/entry.js";
import type { LedgerParts } from "../ledger/ledger.js";
import { daysOf, remembered } from "./history.js";
import type { ResolvedGuard } from "./rules.js";

/**
 * Makes the ids of a batch the known ones, which another attempt has saved: the batch was completed.
 * @param token That of the batch.
 * @param approve Id of the approval that the run was given.
 */
export async function promoteBatch(
  ledger: LedgerParts,
  scope: InstallationScope,
  rules: ResolvedGuard,
  {
    token,
    collections,
    approve,
  }: {
    readonly token: string;
    readonly collections: readonly SnapshotCollection[];
    readonly approve: string | undefined;
  },
): Promise<void> {
  for (const collection of collections) {
    const own = new CollectionLedger(ledger, { ...scope, collection });
    const known = await own.known();
    const saved = known.find((ids) => ids.token === token && ids.state === "unclear");
    // Promoted before, or a later snapshot was completed meanwhile.
    if (saved === undefined) continue;
    const past = await saved.past();
    const isApproved = approve !== undefined && (await own.held())?.id === approve;
    const history = await known.find(({ state }) => state === "completed")?.history();
    await saved.promote(
      past === undefined ? [] : remembered(history ?? [], past, isApproved, daysOf(rules.ruleOf(collection))),
    );
  }
}
