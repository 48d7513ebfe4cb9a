import type { RemovalGuardError } from "../../core/errors/index.js";
import type { Ledger } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import { newOffer, pendingIdFor, renewApproval, storeOffer } from "./approval.js";
import { type HeldJudgement, heldError } from "./held-error.js";
import type { GuardedSnapshot } from "./snapshot.js";

/** A snapshot that is held, before an approval is offered. */
export interface Held {
  readonly snapshot: GuardedSnapshot;
  readonly judgement: Omit<HeldJudgement, "listedIn">;
}

/**
 * Offers an approval and stores it for each held snapshot. It covers snapshots that were approved already, too: an
 * approval is one id, and the next run needs it for all of them.
 * @returns the error of the run
 */
export async function holdRun(
  batchId: string,
  held: readonly Held[],
  approved: readonly GuardedSnapshot[],
  ledger: Ledger | undefined,
  { clock, logger, ended }: Pick<SyncConfiguration, "clock" | "logger"> & { readonly ended: AbortSignal },
): Promise<RemovalGuardError> {
  const listed: HeldJudgement[] = held.map(({ judgement }) => ({ ...judgement, listedIn: undefined }));
  if (ledger === undefined) return heldError(batchId, listed, "no-ledger");
  const offer = newOffer(clock.now(), await pendingId(held, ledger, clock.now()));
  try {
    for (const [i, { snapshot, judgement }] of held.entries()) {
      const path = await storeOffer(ledger, offer, snapshot, judgement.held);
      const { sent, gone } = judgement.compared;
      const isListed = (judgement.held === "removals" ? gone : sent) > 0;
      listed[i] = { ...judgement, listedIn: isListed ? path : undefined };
    }
    for (const snapshot of approved) await renewApproval(ledger, offer, snapshot);
  } catch (error) {
    ended.throwIfAborted();
    logger.error("saas-management: the ledger could not store a pending approval", { error });
    return heldError(batchId, listed, "not-stored");
  }
  const renewed = approved.map(({ scope }) => scope.collection);
  return heldError(batchId, listed, offer, renewed);
}

/** The pending approval for the same snapshots, if there is one. */
async function pendingId(held: readonly Held[], ledger: Ledger, now: number): Promise<string | undefined> {
  const ids = new Set<string | undefined>();
  for (const { snapshot, judgement } of held)
    ids.add(await pendingIdFor(ledger, snapshot, judgement.held, now));
  const [id] = ids;
  return ids.size === 1 ? id : undefined;
}
