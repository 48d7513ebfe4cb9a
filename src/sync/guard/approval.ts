import { randomUUID } from "node:crypto";
import type { RunHeldError } from "../../core/errors/index.js";
import type { IdHash } from "../ids/id-hash.js";
import type { IdTable } from "../ids/id-table.js";
import type { CollectionLedger } from "../ledger/collection-ledger.js";
import type { CoveredRule, Lines } from "../ledger/entry.js";
import type { SyncConfiguration } from "../options.js";
import { type Comparison, compareIds, forEachId, goneLines, linesWhere, tableOf } from "./comparison.js";
import { type HeldJudgement, type HeldScope, heldError, type Offer } from "./held-error.js";
import { isHeld } from "./id-rules.js";
import type { ResolvedRule } from "./rules.js";
import type { GuardedSnapshot, SnapshotJudgement } from "./snapshot.js";
import { isAboutBaseline } from "./unknown-baseline.js";
import type { Finding } from "./verdict.js";

/** How many times the approved number of new ids may come. */
const MORE_ADDED = 1.25;
const APPROVAL_MS = 7 * 24 * 60 * 60 * 1000;

export interface Held {
  readonly snapshot: GuardedSnapshot;
  readonly judgement: Omit<HeldJudgement, "listedIn">;
}

interface HoldContext extends Pick<SyncConfiguration, "clock" | "logger"> {
  readonly ended: AbortSignal;
}

/**
 * Offers an approval and stores it for each held snapshot. It covers snapshots that were approved already, too: an
 * approval is one id, and the next run needs it for all of them.
 * @returns the error of the run
 */
export async function holdRun(
  scope: HeldScope,
  held: readonly Held[],
  approved: readonly GuardedSnapshot[],
  { clock, logger, ended }: HoldContext,
): Promise<RunHeldError> {
  const listed: HeldJudgement[] = held.map(({ judgement }) => ({ ...judgement, listedIn: undefined }));
  if (held.some(({ snapshot }) => snapshot.ledger === undefined))
    return heldError(scope, listed, "no-ledger");
  const now = clock.now();
  // The pending approval stays valid if the run is held for exactly the same again.
  const id = (await pendingId(held, now)) ?? randomUUID();
  const offer: Offer = { id, expiresAt: now + APPROVAL_MS };
  try {
    for (const [i, { snapshot, judgement }] of held.entries()) {
      const lines = () => linesOf(snapshot, judgement);
      const path = await snapshot.ledger?.hold({ ...offer, covers: coveredBy(judgement, snapshot), lines });
      const { sent, gone } = judgement.compared;
      const isListed = (judgement.findings.some(isAboutBaseline) ? sent : gone) > 0;
      listed[i] = { ...judgement, listedIn: isListed ? path : undefined };
    }
    for (const { ledger } of approved) {
      const given = await ledger?.held();
      if (given !== undefined) await ledger?.hold({ ...given, ...offer });
    }
  } catch (error) {
    ended.throwIfAborted();
    logger.error("saas-management: the ledger could not store a pending approval", { error });
    return heldError(scope, listed, "not-stored");
  }
  const renewed = approved.map(({ collection }) => collection);
  return heldError(scope, listed, offer, renewed);
}

/** Id of the pending approval for exactly these snapshots, if there is one. */
async function pendingId(held: readonly Held[], now: number): Promise<string | undefined> {
  const ids = new Set<string | undefined>();
  for (const { snapshot, judgement } of held) {
    try {
      const pending = await snapshot.ledger?.held();
      const isSame =
        pending !== undefined &&
        pending.expiresAt > now &&
        JSON.stringify(pending.covers) === JSON.stringify(coveredBy(judgement, snapshot)) &&
        (await areSameIds(pending.lines(), linesOf(snapshot, judgement)));
      ids.add(isSame ? pending.id : undefined);
    } catch {
      return undefined;
    }
  }
  const [id] = ids;
  return ids.size === 1 ? id : undefined;
}

interface ApprovalContext {
  readonly rule: ResolvedRule;
  readonly now: number;
}

/** Checks whether an approval covers what a snapshot is held for. @returns why it does not; undefined if it does */
export async function approvalProblem(
  ledger: CollectionLedger,
  approvalId: string,
  snapshot: GuardedSnapshot,
  judgement: SnapshotJudgement,
  { rule, now }: ApprovalContext,
): Promise<string | undefined> {
  try {
    const pending = await ledger.held();
    if (pending === undefined)
      return "no approval is pending for it: it was used, or offered for other collections";
    if (pending.id !== approvalId) return "another approval is pending";
    if (pending.expiresAt <= now) return "it has expired";
    const { findings, compared } = judgement;
    for (const finding of findings) {
      const problem = notCovered(finding, { added: addedOf(compared), snapshot }, pending.covers);
      if (problem !== undefined) return problem;
    }
    if (findings.some(isAboutBaseline)) {
      return (await keepsHeldRun(snapshot, () => pending.lines(), rule))
        ? undefined
        : "too many records of the held run that was approved are missing";
    }
    if (!findings.some(({ rule: name }) => name === "removed" || name === "window")) return undefined;
    return (await removesOnly(snapshot, pending.lines()))
      ? undefined
      : "it would remove other records than the approved ones";
  } catch {
    return "the pending approval cannot be read";
  }
}

/** Why a finding is more than what was approved; undefined if it is not. */
function notCovered(
  { rule, fields = [] }: Finding,
  now: { readonly added: number; readonly snapshot: GuardedSnapshot },
  covers: readonly CoveredRule[],
): string | undefined {
  const covered = covers.find((one) => one.rule === rule);
  if (covered === undefined) return "it was requested for another reason";
  const field = fields.find((name) => covered.fields?.includes(name) !== true);
  if (field !== undefined) return `it was requested for other fields than ${field}`;
  if (rule === "added" && now.added > MORE_ADDED * (covered.added ?? 0))
    return "more ids are new than were approved";
  const differing = covered.sample === undefined ? [] : now.snapshot.fieldsBeside(covered.sample);
  return fields.some((name) => differing.includes(name))
    ? "the records differ more than those of the approved run"
    : undefined;
}

function coveredBy(
  { findings, compared }: SnapshotJudgement,
  { sample }: GuardedSnapshot,
): readonly CoveredRule[] {
  return findings.map(({ rule, fields }) => ({
    rule,
    ...(fields === undefined ? {} : { fields }),
    ...(rule === "added" ? { added: addedOf(compared) } : {}),
    ...(rule === "changed" ? { sample } : {}),
  }));
}

/** Number of new ids beside that known set which lacks most of them. */
function addedOf({ sets, sent }: Comparison): number {
  const known = sets.filter((set) => set.known > 0);
  return Math.max(0, ...known.map((set) => sent - (set.known - set.gone)));
}

/** The ids that a person approves: if it is not known what would be removed, the ids that were sent. */
function linesOf(snapshot: GuardedSnapshot, { findings }: SnapshotJudgement): Lines {
  return findings.some(isAboutBaseline) ? snapshot.lines() : goneLines(snapshot.ids.table, snapshot.knownIds);
}

async function removesOnly({ ids, knownIds }: GuardedSnapshot, approved: Lines): Promise<boolean> {
  const { missing } = await countIn(await tableOf(approved), goneLines(ids.table, knownIds));
  return missing === 0;
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
  const isExpected = ({ low, high }: IdHash) => expected.has(low, high);
  const sets = knownIds.map((set) => ({ ...set, lines: () => linesWhere(set.lines(), isExpected) }));
  const all = { state: "completed", lines: heldRun } as const;
  return !isHeld(await compareIds(ids.table, [all, ...sets]), rule);
}

/** Whether both lists have the same ids; the second has no duplicates. */
async function areSameIds(lines: Lines, others: Lines): Promise<boolean> {
  const table = await tableOf(lines);
  const { count, missing } = await countIn(table, others);
  return missing === 0 && count === table.size;
}

/** How many ids there are, and how many of them a table lacks. */
async function countIn(table: IdTable, lines: Lines): Promise<{ count: number; missing: number }> {
  const found = { count: 0, missing: 0 };
  await forEachId(lines, table, (low, high) => {
    found.count += 1;
    if (!table.has(low, high)) found.missing += 1;
  });
  return found;
}
