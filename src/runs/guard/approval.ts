/**
 * A held run leaves its snapshots in the ledger. Once they're approved, the next run may differ from them as much as an
 * unapproved run may differ from the last completed one.
 */
import { randomBytes } from "node:crypto";
import type { HeldReport } from "../../core/errors/index.js";
import type { Lists } from "../ledger/collection-ledger.js";
import { APPROVAL_MS, type Baseline, type HeldRun, type LedgerSnapshot } from "../ledger/state.js";
import { isDamage } from "../ledger/value.js";
import type { Judged, StoredHold } from "./held-report.js";
import type { ResolvedRule } from "./rules.js";
import type { GuardedSnapshot, SnapshotJudgement } from "./snapshot.js";

export interface ApprovalScope {
  readonly seen: LedgerSnapshot;
  /** The approval id that the run was given. */
  readonly approve: string | undefined;
  readonly now: number;
}

/** Decides whether an approval covers a snapshot that breaks rules, or whether the snapshot is held. */
export async function decide(
  snapshot: GuardedSnapshot,
  rule: ResolvedRule,
  { seen, approve, now }: ApprovalScope,
): Promise<Omit<Judged, keyof SnapshotJudgement>> {
  const { ledger } = snapshot;
  if (ledger === undefined) {
    const none = "without a ledger, approvals are not stored";
    return { isHeld: true, approvalProblem: approve && none, waiting: undefined };
  }
  const differs = async (baseline: Baseline): Promise<string | undefined> => {
    const run = seen.state.held.find(({ approval }) => approval === baseline.token);
    if (run === undefined || run.expiresAt <= now) return "it has expired";
    try {
      const [finding] = await snapshot.findingsBeside(ledger.held(baseline), rule);
      return finding && `this run differs too much from the one that was held: ${finding.text}`;
    } catch (error) {
      // A baseline that is only out of reach doesn't count as damaged.
      if (!isDamage(error)) throw error;
      return `the held run cannot be read (${error.message})`;
    }
  };
  const { held, approved } = ledger.stateIn(seen);
  const isGiven = held !== undefined && held.token === approve;
  const other = held === undefined ? "no approval is pending for it" : "another approval is pending";
  let approvalProblem = approve === undefined || isGiven ? undefined : other;
  for (const baseline of [isGiven ? held : undefined, approved]) {
    if (baseline === undefined) continue;
    approvalProblem = await differs(baseline);
    if (approvalProblem === undefined) return { isHeld: false, approvalProblem, waiting: undefined };
  }
  const isSame = held !== undefined && !isGiven && (await differs(held)) === undefined;
  return { isHeld: true, approvalProblem, waiting: isSame ? held : undefined };
}

/**
 * Stores what a held run wrote. If the approval of an earlier held run would cover this one, the ledger keeps the
 * earlier run instead.
 */
export async function offer(held: readonly Judged[], { seen, now }: ApprovalScope): Promise<StoredHold> {
  const expiresAt = now + APPROVAL_MS;
  const baselines: Record<string, Baseline> = {};
  const listed: Lists<string>[] = [];
  const known = knownRun(held, seen);
  const approval = known?.approval ?? randomBytes(16).toString("hex");
  for (const { snapshot, findings, figures, waiting } of held) {
    const { ledger, collection, lines, pasts } = snapshot;
    if (ledger === undefined) continue;
    if (known !== undefined && waiting !== undefined) {
      baselines[ledger.subject] = waiting;
      const left = Object.entries(await ledger.listed(approval));
      listed.push(Object.fromEntries(left.map(([kind, { place }]) => [kind, place])));
      continue;
    }
    const lists = snapshot.listsOf(figures, findings);
    const stored = await ledger.put("held", seen, approval, { collection, lines, lists, pasts });
    baselines[ledger.subject] = stored.baseline;
    listed.push(stored.lists);
  }
  return {
    approval,
    at: known?.at ?? now,
    expiresAt,
    baselines,
    lists: listed,
    isKnown: known !== undefined,
  };
}

/**
 * What the state says about a held run. If the run is held again, the first report is kept, because someone may be
 * looking at it.
 */
export function heldRunOf(
  { approval, at, expiresAt }: StoredHold,
  report: HeldReport,
  { state }: LedgerSnapshot,
): HeldRun {
  const known = state.held.find((one) => one.approval === approval);
  if (known !== undefined) return { ...known, expiresAt };
  // Leaves out the ids: if the ledger hashes ids one day, its state must not contain them in plain text.
  const reasons = report.reasons.map(({ missing: _, ...reason }) => ({ ...reason, examples: [] }));
  return { approval, at, expiresAt, report: { ...report, reasons } };
}

/** The earlier held run whose approval would cover all these snapshots. */
function knownRun(held: readonly Judged[], { state }: LedgerSnapshot): HeldRun | undefined {
  const tokens = new Set(held.map(({ waiting }) => waiting?.token));
  const [token] = tokens;
  return tokens.size === 1 ? state.held.find(({ approval }) => approval === token) : undefined;
}
