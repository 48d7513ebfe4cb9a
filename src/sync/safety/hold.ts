import type { RemovalGuardError } from "../../errors.js";
import type { SyncConfiguration } from "../configuration.js";
import { newOffer, type Offer, store } from "./approval.js";
import type { GuardedSnapshot } from "./guarded-snapshot.js";
import { type HeldJudgement, heldError, type NoOffer } from "./held-error.js";
import type { Ledger } from "./ledger.js";

/** A snapshot that is held, before an approval was offered. */
export interface Held {
  readonly snapshot: GuardedSnapshot;
  readonly judgement: Omit<HeldJudgement, "listedIn">;
}

/**
 * Holds a run: offers an approval, and keeps the offer beside each snapshot that it is about.
 * @returns what the run ends with
 */
export async function holdRun(
  batchId: string,
  held: readonly Held[],
  ledger: Ledger | undefined,
  { clock, logger }: Pick<SyncConfiguration, "clock" | "logger">,
): Promise<RemovalGuardError> {
  let offer: Offer | NoOffer = ledger === undefined ? "no-ledger" : newOffer(clock.now());
  const listed: HeldJudgement[] = [];
  for (const { snapshot, judgement } of held) {
    let listedIn: string | undefined;
    try {
      if (ledger !== undefined && typeof offer !== "string")
        listedIn = await store(ledger, offer, snapshot, judgement.held);
    } catch (error) {
      offer = "not-stored";
      logger.error("saas-management: the ledger could not keep a pending approval", { error });
    }
    listed.push({ ...judgement, listedIn });
  }
  return heldError(batchId, listed, offer);
}
