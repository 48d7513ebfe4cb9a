import type { Clock } from "../../core/clock.js";
import { SaasManagementError } from "../../core/errors/index.js";
import type { CollectionLedger, ListedIn } from "../ledger/collection-ledger.js";
import { randomToken, runOf } from "../ledger/installation-ledger.js";
import { type CoveredRule, digestOf, type Offer, offerId, type PendingApproval } from "../ledger/offer.js";
import type { LedgerSnapshot } from "../ledger/state.js";
import { type Lines, noLines } from "../ledger/value.js";
import { compareIds, goneLines, linesWhere, tableOf } from "./comparison.js";
import type { HeldJudgement, OfferedApproval } from "./held-report.js";
import type { ResolvedRule } from "./rules.js";
import { type GuardedSnapshot, isAboutBaseline } from "./snapshot.js";
import { type Finding, isHeld } from "./verdict.js";

const APPROVAL_MS = 7 * 24 * 60 * 60 * 1000;

export interface Judged extends HeldJudgement {
  readonly snapshot: GuardedSnapshot;
  readonly isHeld: boolean;
}

/** What a person approves in one collection. */
interface Shown extends Pick<PendingApproval, "covers" | "lines" | "added"> {
  readonly ledger: CollectionLedger;
}

export interface ApprovalScope {
  /** What the ledger has. */
  readonly seen: LedgerSnapshot;
  /** Undefined in a preview. */
  readonly runId: string | undefined;
  readonly clock: Clock;
}

/**
 * Offers an approval and stores it for each held snapshot. It covers snapshots that were approved already, too: an
 * approval is one id, and the next run needs it for all of them.
 * @throws the ledger cannot store it
 */
export async function offerApproval(
  held: readonly Judged[],
  approved: readonly GuardedSnapshot[],
  scope: ApprovalScope,
): Promise<OfferedApproval | "no-ledger"> {
  const now = scope.clock.now();
  const expiresAt = now + APPROVAL_MS;
  const shown = held.flatMap(shownOf);
  if (shown.length < held.length) return "no-ledger";
  for (const { ledger } of approved) {
    const given = await ledger?.pending();
    if (ledger !== undefined && given !== undefined) shown.push({ ...given, ledger });
  }
  const digests: Record<string, string> = {};
  for (const one of shown) digests[one.ledger.collection] = await digestOf(one);
  const offer = (await sameOffer(shown, digests, scope)) ?? { nonce: randomToken(), digests };
  const places: ListedIn[] = [];
  for (const { ledger, covers, lines, added } of shown)
    places.push(await ledger.offer({ offer, expiresAt, covers, lines, added }));
  return { id: offerId(offer), expiresAt, places, renewed: approved.map(({ collection }) => collection) };
}

/** Checks whether an approval covers what a snapshot is held for. @returns why it does not; undefined if it does */
export async function approvalProblem(
  approvalId: string,
  { snapshot, findings }: Pick<Judged, "snapshot" | "findings">,
  rule: ResolvedRule,
  scope: ApprovalScope,
): Promise<string | undefined> {
  if (snapshot.ledger === undefined) return "without a ledger, approvals are not stored";
  try {
    const pending = await snapshot.ledger.pending();
    if (pending === undefined)
      return "no approval is pending for it: it was used, or offered for other collections";
    if (offerId(pending.offer) !== approvalId) return "another approval is pending";
    if (isUsed(approvalId, scope))
      return "a run has used it, and it is not known whether that run was completed";
    if (pending.expiresAt <= scope.clock.now()) return "it has expired";
    for (const finding of findings) {
      const problem = notCovered(finding, snapshot, pending.covers);
      if (problem !== undefined) return problem;
    }
    const breaks = (...rules: readonly Finding["rule"][]) => findings.some((one) => rules.includes(one.rule));
    if (findings.some(isAboutBaseline) && !(await keepsHeldRun(snapshot, () => pending.lines(), rule)))
      return "too many records of the held run that was approved are missing";
    if (breaks("removed", "window") && !(await removesOnly(snapshot, pending.lines())))
      return "it would remove other records than the approved ones";
    if (breaks("added") && !(await addsOnly(snapshot, pending.added())))
      return "it would add other records than the approved ones";
    return undefined;
  } catch (error) {
    const why = error instanceof SaasManagementError ? ` (${error.message})` : "";
    return `the pending approval cannot be read${why}`;
  }
}

/** The pending offer, if it is for exactly this: it stays valid, and its id the same. */
async function sameOffer(
  [first]: readonly Shown[],
  digests: Offer["digests"],
  scope: ApprovalScope,
): Promise<Offer | undefined> {
  const pending = await first?.ledger.pending().catch(() => undefined);
  if (pending === undefined || pending.expiresAt <= scope.clock.now()) return undefined;
  const same = { nonce: pending.offer.nonce, digests };
  const id = offerId(pending.offer);
  return offerId(same) === id && !isUsed(id, scope) ? same : undefined;
}

/** Whether another run may have been completed with an approval. */
function isUsed(approvalId: string, { seen, runId }: ApprovalScope): boolean {
  return seen.state.used[approvalId]?.some((batch) => runOf(batch) !== runId) === true;
}

/** Why a finding is more than what was approved; undefined if it is not, as far as ids do not matter. */
function notCovered(
  { rule, fields = [] }: Finding,
  snapshot: GuardedSnapshot,
  covers: readonly CoveredRule[],
): string | undefined {
  const covered = covers.find((one) => one.rule === rule);
  if (covered === undefined) return "it was requested for another reason";
  const field = fields.find((name) => covered.fields?.includes(name) !== true);
  if (field !== undefined) return `it was requested for other fields than ${field}`;
  const differing = covered.sample === undefined ? [] : snapshot.fieldsBeside(covered.sample);
  return fields.some((name) => differing.includes(name))
    ? "the records differ more than those of the approved run"
    : undefined;
}

/** If it is not known what would be removed, the ids that were sent are shown. Without a ledger, nothing is. */
function shownOf({ snapshot, findings }: Judged): Shown[] {
  const { ids, knownIds, ledger, sample } = snapshot;
  const covers = findings.map(({ rule, fields }) => ({
    rule,
    ...(fields === undefined ? {} : { fields }),
    ...(rule === "changed" ? { sample } : {}),
  }));
  const isBaseline = findings.some(isAboutBaseline);
  const isGrowth = findings.some(({ rule }) => rule === "added");
  const lines = () => (isBaseline ? snapshot.lines() : goneLines(ids.table, knownIds));
  const added = () => (isGrowth ? newLines(snapshot) : noLines());
  return ledger === undefined ? [] : [{ ledger, covers, lines, added }];
}

/** The ids that a set of known ones lacks, if it has any. */
async function* newLines({ knownIds, lines }: GuardedSnapshot): Lines {
  const isNew = await newTo(knownIds);
  yield* linesWhere(lines(), isNew);
}

async function newTo(knownIds: GuardedSnapshot["knownIds"]): Promise<(low: number, high: number) => boolean> {
  const tables = await Promise.all(knownIds.map((set) => tableOf(set.lines())));
  return (low, high) => tables.some((table) => table.size > 0 && !table.has(low, high));
}

async function removesOnly({ ids, knownIds }: GuardedSnapshot, approved: Lines): Promise<boolean> {
  const table = await tableOf(approved);
  const others = linesWhere(goneLines(ids.table, knownIds), (low, high) => !table.has(low, high));
  for await (const _ of others) return false;
  return true;
}

/** Whether all ids are approved that a set of known ones lacks. */
async function addsOnly({ ids, knownIds }: GuardedSnapshot, approved: Lines): Promise<boolean> {
  const table = await tableOf(approved);
  const isNew = await newTo(knownIds);
  let isCovered = true;
  ids.table.forEach((low, high) => {
    isCovered &&= table.has(low, high) || !isNew(low, high);
  });
  return isCovered;
}

/**
 * Whether the snapshot keeps as many ids of the approved run as the rule demands: of all, and of each known set, so that
 * many ids do not hide that those of a smaller set are missing.
 */
async function keepsHeldRun(
  { ids, knownIds }: GuardedSnapshot,
  heldRun: () => Lines,
  rule: ResolvedRule,
): Promise<boolean> {
  const expected = await tableOf(heldRun());
  const isExpected = (low: number, high: number) => expected.has(low, high);
  const sets = knownIds.map((set) => ({ ...set, lines: () => linesWhere(set.lines(), isExpected) }));
  const all = { state: "completed", lines: heldRun } as const;
  return !isHeld(await compareIds(ids.table, [all, ...sets]), rule);
}
