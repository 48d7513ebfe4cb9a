import { randomUUID } from "node:crypto";
import type { HoldReason, Ledger, PendingApproval } from "../ledger/ledger.js";
import { areOnlyTheseGone, areSameIds, keepsHeldRun } from "./approved-ids.js";
import { goneLines } from "./comparison.js";
import type { ResolvedRule } from "./rules.js";
import type { GuardedSnapshot } from "./snapshot.js";

/** How long an approval can be given. */
const APPROVAL_MS = 7 * 24 * 60 * 60 * 1000;

/** What is offered to a person who may approve of what was held. */
export interface Offer {
  readonly id: string;
  readonly expiresAt: number;
}

/** Makes an offer, with the id of the one that waits for the same. */
export function newOffer(now: number, waitingId: string = randomUUID()): Offer {
  return { id: waitingId, expiresAt: now + APPROVAL_MS };
}

/**
 * Id of the offer that waits for just this: a person who reads of it may answer after the run was held once more.
 * @returns undefined where none waits, or one that is about something else
 */
export async function waitingId(
  ledger: Ledger,
  snapshot: GuardedSnapshot,
  reason: HoldReason,
  now: number,
): Promise<string | undefined> {
  try {
    const pending = await ledger.held(snapshot.scope);
    if (pending === undefined || pending.expiresAt <= now || pending.reason !== reason) return undefined;
    return (await areSameIds(pending.lines(), linesOf(snapshot, reason))) ? pending.id : undefined;
  } catch {
    return undefined;
  }
}

/** Puts an approval that was given under another offer, with the list that it has. */
export async function renew(ledger: Ledger, offer: Offer, { scope }: GuardedSnapshot): Promise<void> {
  const pending = await ledger.held(scope);
  if (pending === undefined || pending.id === offer.id) return;
  const { reason } = pending;
  await ledger.hold(scope, { ...offer, reason, lines: () => pending.lines() });
}

/** Keeps the offer for one snapshot; where its list can be read. */
export function store(
  ledger: Ledger,
  offer: Offer,
  snapshot: GuardedSnapshot,
  reason: HoldReason,
): Promise<string | undefined> {
  return ledger.hold(snapshot.scope, { ...offer, reason, lines: () => linesOf(snapshot, reason) });
}

/** What an approval is of: where nobody knows what would be removed, it is of what was sent. */
function linesOf(snapshot: GuardedSnapshot, reason: HoldReason): AsyncIterable<Uint8Array> {
  return reason === "removals" ? goneLines(snapshot.ids.table, snapshot.knownIds) : snapshot.sentLines();
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
  { rule, now }: { readonly rule: ResolvedRule; readonly now: number },
): Promise<string | undefined> {
  let pending: PendingApproval | undefined;
  try {
    pending = await ledger.held(scope);
    if (pending === undefined) return "no approval waits for it: it was used up, or never asked for";
    if (pending.id !== approvalId) return "it is not the one that waits";
    if (pending.expiresAt <= now) return "it expired";
    if (pending.reason !== reason) return "it was asked for because of something else";
    if (reason === "removals") {
      if (await areOnlyTheseGone(ids.table, knownIds, pending.lines())) return undefined;
      return "other records would be removed than those that were approved of";
    }
    if (await keepsHeldRun(ids.table, knownIds, pending.lines(), rule)) return undefined;
    return "too many of the records are missing that the held run had, which was approved of";
  } catch {
    return "what was approved of cannot be read";
  }
}
