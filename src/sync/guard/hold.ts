import type { RemovalGuardError } from "../../core/errors/index.js";
import type { Ledger } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import { newOffer, type Offer, renew, store, waitingId } from "./approval.js";
import { type HeldJudgement, heldError, type NoOffer } from "./held-error.js";
import type { GuardedSnapshot } from "./snapshot.js";

/** A snapshot that is held, before an approval was offered. */
export interface Held {
  readonly snapshot: GuardedSnapshot;
  readonly judgement: Omit<HeldJudgement, "listedIn">;
}

/**
 * Holds a run: offers an approval, and keeps the offer beside each snapshot that it is about. It is about those too that
 * were approved of already: an approval is one id, and the next run needs it for all of them.
 * @returns what the run ends with
 */
export async function holdRun(
  batchId: string,
  held: readonly Held[],
  approved: readonly GuardedSnapshot[],
  ledger: Ledger | undefined,
  { clock, logger }: Pick<SyncConfiguration, "clock" | "logger">,
): Promise<RemovalGuardError> {
  if (ledger === undefined) return heldError(batchId, held.map(unlisted), "no-ledger");
  let offer: Offer | NoOffer = await offerFor(held, ledger, clock.now());
  const listed: HeldJudgement[] = [];
  const renewed: string[] = [];
  const keep = async (step: (offer: Offer) => Promise<void>) => {
    if (typeof offer === "string") return;
    try {
      await step(offer);
    } catch (error) {
      offer = "not-stored";
      logger.error("saas-management: the ledger could not keep a pending approval", { error });
    }
  };
  for (const { snapshot, judgement } of held) {
    let listedIn: string | undefined;
    await keep(async (offer) => {
      const path = await store(ledger, offer, snapshot, judgement.held);
      const { sent, gone } = judgement.compared;
      // What only an earlier attempt of the run had sent is in no list.
      if ((judgement.held === "removals" ? gone : sent) > 0) listedIn = path;
    });
    listed.push({ ...judgement, listedIn });
  }
  for (const snapshot of approved) {
    await keep(async (offer) => {
      await renew(ledger, offer, snapshot);
      renewed.push(snapshot.scope.collection);
    });
  }
  return heldError(batchId, listed, offer, renewed);
}

/** The offer that waits for the same snapshots already, for some days more; else a new one. */
async function offerFor(held: readonly Held[], ledger: Ledger, now: number): Promise<Offer> {
  const waiting = new Set<string | undefined>();
  for (const { snapshot, judgement } of held)
    waiting.add(await waitingId(ledger, snapshot, judgement.held, now));
  const [id] = waiting;
  return newOffer(now, waiting.size === 1 ? id : undefined);
}

function unlisted({ judgement }: Held): HeldJudgement {
  return { ...judgement, listedIn: undefined };
}
