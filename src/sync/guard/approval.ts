import { randomUUID } from "node:crypto";
import { IdHash } from "../ids/id-hash.js";
import type { HoldReason, KnownIds, Ledger } from "../ledger/ledger.js";
import { forEachId, goneLines, tableOf } from "./comparison.js";
import { exceeds, type ResolvedRule } from "./rules.js";
import type { GuardedSnapshot } from "./snapshot.js";

type Lines = AsyncIterable<Uint8Array>;

/** How long an approval is valid. */
const APPROVAL_MS = 7 * 24 * 60 * 60 * 1000;

/** An approval that is offered for a held run. */
export interface Offer {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Creates an offer, or renews the one with the id. */
export function newOffer(now: number, id: string = randomUUID()): Offer {
  return { id, expiresAt: now + APPROVAL_MS };
}

/**
 * Id of the pending approval for exactly this snapshot: a person may answer after the run was held again.
 * @returns undefined if there is none, or one for something else
 */
export async function pendingIdFor(
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

/** Stores an offer with the ids that a person approves; returns where they can be read. */
export function storeOffer(
  ledger: Ledger,
  offer: Offer,
  snapshot: GuardedSnapshot,
  reason: HoldReason,
): Promise<string | undefined> {
  return ledger.hold(snapshot.scope, { ...offer, reason, lines: () => linesOf(snapshot, reason) });
}

/** Moves an approval that was given to another offer, with its list. */
export async function renewApproval(ledger: Ledger, offer: Offer, { scope }: GuardedSnapshot): Promise<void> {
  const pending = await ledger.held(scope);
  if (pending === undefined || pending.id === offer.id) return;
  const { reason } = pending;
  await ledger.hold(scope, { ...offer, reason, lines: () => pending.lines() });
}

/**
 * Checks whether an approval covers what a snapshot is held for.
 * @returns why it does not; undefined if it does
 */
export async function approvalProblem(
  ledger: Ledger,
  approvalId: string,
  snapshot: GuardedSnapshot,
  reason: HoldReason,
  { rule, now }: { readonly rule: ResolvedRule; readonly now: number },
): Promise<string | undefined> {
  try {
    const pending = await ledger.held(snapshot.scope);
    if (pending === undefined) return "no approval is pending; it was used or never requested";
    if (pending.id !== approvalId) return "another approval is pending";
    if (pending.expiresAt <= now) return "it has expired";
    if (pending.reason !== reason) return "it was requested for another reason";
    if (reason !== "removals") {
      return (await keepsHeldRun(snapshot, pending.lines(), rule))
        ? undefined
        : "too many records of the held run that was approved are missing";
    }
    return (await removesOnly(snapshot, pending.lines()))
      ? undefined
      : "it would remove other records than the approved ones";
  } catch {
    return "the pending approval cannot be read";
  }
}

/** The ids that a person approves: if it is not known what would be removed, the ids that were sent. */
function linesOf(snapshot: GuardedSnapshot, reason: HoldReason): Lines {
  return reason === "removals" ? goneLines(snapshot.ids.table, snapshot.knownIds) : snapshot.sentLines();
}

/** Whether every known id that the snapshot lacks was approved. */
async function removesOnly({ ids, knownIds }: GuardedSnapshot, approved: Lines): Promise<boolean> {
  const hash = new IdHash();
  const allowed = await tableOf(approved);
  let covered = true;
  for (const set of knownIds) {
    await forEachId(set.lines(), hash, () => {
      covered &&= ids.table.has(hash.low, hash.high) || allowed.has(hash.low, hash.high);
    });
  }
  return covered;
}

/**
 * Whether the snapshot keeps as many ids of the approved run as the rule demands: of all, and of each known set, so that
 * many ids do not hide that those of a smaller set are missing.
 */
async function keepsHeldRun(
  { ids: { table: snapshot }, knownIds }: GuardedSnapshot,
  heldRun: Lines,
  rule: ResolvedRule,
): Promise<boolean> {
  const hash = new IdHash();
  const expected = await tableOf(heldRun);
  const all = { known: expected.size, gone: 0 };
  expected.forEach((low, high) => {
    if (!snapshot.has(low, high)) all.gone += 1;
  });
  const countSet = async (ids: KnownIds) => {
    const set = { known: 0, gone: 0 };
    await forEachId(ids.lines(), hash, () => {
      if (!expected.has(hash.low, hash.high)) return;
      set.known += 1;
      if (!snapshot.has(hash.low, hash.high)) set.gone += 1;
    });
    return set;
  };
  const sets = [all];
  for (const ids of knownIds) sets.push(await countSet(ids));
  return !sets.some((set) => exceeds({ ...set, sent: snapshot.size }, rule));
}

/** Whether both lists have the same ids; the second has no duplicates. */
async function areSameIds(lines: Lines, others: Lines): Promise<boolean> {
  const hash = new IdHash();
  const table = await tableOf(lines);
  let count = 0;
  let same = true;
  await forEachId(others, hash, () => {
    count += 1;
    same &&= table.has(hash.low, hash.high);
  });
  return same && count === table.size;
}
