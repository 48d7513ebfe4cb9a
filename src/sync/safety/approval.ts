import { randomUUID } from "node:crypto";
import { goneLines, isApproved } from "./comparison.js";
import type { GuardedSnapshot } from "./guarded-snapshot.js";
import type { HoldReason, Ledger, PendingApproval } from "./ledger.js";

/** How long an approval can be given. */
const APPROVAL_MS = 7 * 24 * 60 * 60 * 1000;

/** What is offered to a person who may approve of what was held. */
export interface Offer {
  readonly id: string;
  readonly expiresAt: number;
}

/** Makes an offer. */
export function newOffer(now: number): Offer {
  return { id: randomUUID(), expiresAt: now + APPROVAL_MS };
}

/** Keeps the offer for one snapshot; where its list can be read. */
export function store(
  ledger: Ledger,
  offer: Offer,
  { scope, ids, knownIds }: GuardedSnapshot,
  reason: HoldReason,
): Promise<string | undefined> {
  // Where the known ids cannot be read, what would be removed is not known either.
  const lines = () => goneLines(ids.table, reason === "removals" ? knownIds : []);
  return ledger.hold(scope, { ...offer, reason, lines });
}

/**
 * Whether what a snapshot is held for was approved of.
 * @returns why it was not; undefined where it was
 */
export async function refusalOf(
  ledger: Ledger,
  approvalId: string,
  { scope, ids, knownIds }: GuardedSnapshot,
  reason: HoldReason,
  now: number,
): Promise<string | undefined> {
  let pending: PendingApproval | undefined;
  try {
    pending = await ledger.held(scope);
    if (pending === undefined) return "no approval waits for it: it was used up, or never asked for";
    if (pending.id !== approvalId) return "it is not the one that waits";
    if (pending.expiresAt <= now) return "it expired";
    if (pending.reason !== reason) return "it was asked for because of something else";
    if (reason !== "removals" || (await isApproved(ids.table, knownIds, pending.lines()))) return undefined;
    return "other records would be removed than those that were approved of";
  } catch {
    return "what was approved of cannot be read";
  }
}
