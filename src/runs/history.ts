import type { HeldReason, HeldReport } from "../core/errors/index.js";
import { isObject } from "../core/validate.js";
import { isCollection, isSnapshot, truncateId } from "../sync/collections.js";
import { withText } from "../sync/report-text.js";
import { heldSummary, isAboutRemovals, withHeldText } from "./guard/held-report.js";
import { CollectionLedger } from "./ledger/collection-ledger.js";
import { idsOf } from "./ledger/id-lines.js";
import type { InstallationLedger } from "./ledger/installation-ledger.js";
import { holdsOf } from "./ledger/notes.js";
import { type HeldRun, knowsSnapshots, type LedgerSnapshot, readLedger } from "./ledger/state.js";
import { noLines } from "./ledger/value.js";
import { describedReceipt, isReceipt, type RunReceipt } from "./receipt.js";

/** Lists as many ids as the report of a held run shows. */
const MAX_EXAMPLES = { removals: 20, changed: 3 } as const;

/** Fields that reports of older versions don't have. */
const OLDER: Partial<HeldReport> = { notes: [] };
const OLDER_REASON: Partial<HeldReason> = { usual: { sent: [] }, limits: {}, advice: "" };

/** What a ledger knows about an installation. */
export interface RunHistory {
  /** Whether the ledger knows a completed snapshot: then `firstRun: true` is refused. */
  readonly isKnown: boolean;
  /** The last completed runs, up to 30, the latest one last. */
  readonly runs: readonly (RunReceipt & { readonly completedAt: Date })[];
  /**
   * Held runs, the latest one last. A run is listed until later runs have completed all its collections;
   * `reasons` omits the collections that are already completed.
   */
  readonly held: readonly (HeldReport & {
    readonly approval: NonNullable<HeldReport["approval"]>;
    readonly heldAt: Date;
    /** Whether a person approved it; then the next run passes if it's similar enough. */
    readonly isApproved: boolean;
  })[];
}

/** What a ledger knows about one of its installations. */
export interface InstallationStatus {
  /** Origin of the Sync API that it belongs to. */
  readonly endpoint: string;
  readonly installationId: string;
  /** When its last run completed. */
  readonly completedAt: Date | undefined;
  /** How many milliseconds its next run is overdue, given the mean interval so far; undefined before its second run. */
  readonly lateMs: number | undefined;
  readonly held: RunHistory["held"];
  readonly runs: RunHistory["runs"];
}

/** @throws {ConfigurationError} an entry is damaged, and no run is held for it yet */
export async function readHistory(ledger: InstallationLedger | undefined): Promise<RunHistory> {
  if (ledger === undefined) return { isKnown: false, runs: [], held: [] };
  const seen = await readLedger(ledger);
  if (seen.problem !== undefined && seen.state.held.length === 0) throw seen.problem;
  return historyOf(ledger, seen);
}

/** Times in the future, written by a fast clock, count as now. */
async function historyOf(ledger: InstallationLedger, seen: LedgerSnapshot): Promise<RunHistory> {
  const now = ledger.limits.clock.now();
  const runs = seen.state.runs.flatMap(({ at, receipt }) => {
    if (!isReceipt(receipt)) return [];
    const described = describedReceipt(receipt);
    const lines = () => described.toString().split("\n");
    return [withText({ ...described, completedAt: new Date(Math.min(at, now)) }, lines)];
  });
  const held: RunHistory["held"][number][] = [];
  for (const run of seen.state.held)
    if (isReport(run.report)) held.push(await readHeld(ledger, seen, run, run.report));
  return { isKnown: knowsSnapshots(seen), runs, held };
}

/** Reads the status of several installations, sorted by their last completed run, the oldest first. */
export async function readInstallations(
  ledgers: readonly InstallationLedger[],
  now: number,
): Promise<readonly InstallationStatus[]> {
  const found: InstallationStatus[] = [];
  for (const ledger of ledgers) {
    const { runs, held } = await historyOf(ledger, await readLedger(ledger));
    const [first, last] = [runs[0], runs.at(-1)].map((run) => run?.completedAt);
    const intervals = runs.length - 1;
    const meanMs = first && last && intervals > 0 ? (Number(last) - Number(first)) / intervals : undefined;
    const { endpoint, installationId } = ledger.scope;
    const lateMs = last && meanMs && Math.max(0, now - Number(last) - meanMs);
    found.push({ endpoint, installationId, completedAt: last, lateMs, held, runs });
  }
  return found.sort((a, b) => Number(a.completedAt ?? 0) - Number(b.completedAt ?? 0));
}

async function readHeld(
  ledger: InstallationLedger,
  { state }: LedgerSnapshot,
  { approval, at, expiresAt }: HeldRun,
  report: HeldReport,
): Promise<RunHistory["held"][number]> {
  const reasons: HeldReason[] = [];
  for (const reason of report.reasons) {
    const { collection } = reason;
    if (!isCollection(collection) || !isSnapshot(collection)) continue;
    const own = new CollectionLedger(ledger, collection);
    if (holdsOf(state, own.subject).includes(approval))
      reasons.push(await withExamples(own, approval, reason));
  }
  return withHeldText({
    ...OLDER,
    ...report,
    summary: heldSummary(reasons),
    reasons,
    approval: { id: approval, expiresAt: new Date(expiresAt) },
    heldAt: new Date(Math.min(at, ledger.limits.clock.now())),
    isApproved: Object.values(state.collections).some(({ approved }) => approved?.token === approval),
  });
}

/** Adds the first ids, which the stored report omits. */
async function withExamples(
  ledger: CollectionLedger,
  approval: string,
  reason: HeldReason,
): Promise<HeldReason> {
  const examples: string[] = [];
  const { rule } = reason;
  const kind = rule === "changed" ? rule : "removals";
  const lists = rule === "changed" || isAboutRemovals(rule) ? await ledger.listed(approval) : {};
  for await (const id of idsOf(lists[kind]?.lines() ?? noLines()))
    if (examples.push(truncateId(id)) === MAX_EXAMPLES[kind]) break;
  return { ...OLDER_REASON, ...reason, examples };
}

function isReport(value: unknown): value is HeldReport {
  if (!isObject(value)) return false;
  const { reasons, installationId }: Partial<Record<keyof HeldReport, unknown>> = value;
  return Array.isArray(reasons) && typeof installationId === "string";
}
