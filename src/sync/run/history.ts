import type { HeldReason, HeldReport } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";
import { isCollection, isSnapshot } from "../collections.js";
import { truncateId } from "../encoding/record-id.js";
import { CollectionLedger } from "../ledger/collection-ledger.js";
import { idsOf } from "../ledger/id-lines.js";
import type { InstallationLedger, LedgerEntry } from "../ledger/installation-ledger.js";
import { heldIn, logEntries, readLogEntry } from "../ledger/run-log.js";
import { withText } from "../report-text.js";
import { describedReceipt, type RunReceipt } from "./receipt.js";

/** As in the report of a held run. */
const MAX_EXAMPLES = 20;

/** What a ledger knows of an installation. */
export interface RunHistory {
  /** Whether the ledger knows a completed run: then `firstRun: true` is refused, even if it could not note the receipt. */
  readonly isKnown: boolean;
  /** The last completed runs, up to 30, the latest one last. */
  readonly runs: readonly (RunReceipt & { readonly completedAt: Date })[];
  /** The run that waits for a decision; undefined if the last run was completed, or if it was refused. */
  readonly held:
    | (HeldReport & {
        readonly heldAt: Date;
        /** Whether a person approved it: pass `approval.id` as `approve` to the next run. */
        readonly isApproved: boolean;
      })
    | undefined;
}

/** What a ledger knows of one of its installations. */
export interface InstallationStatus {
  /** Origin of the Sync API that it belongs to. */
  readonly endpoint: string;
  readonly installationId: string;
  /** When its last run was completed. */
  readonly completedAt: Date | undefined;
  /** How long its next run is overdue, by the mean interval of its runs, in milliseconds; undefined before the second one. */
  readonly lateMs: number | undefined;
  readonly held: RunHistory["held"];
}

/** The receipt of the last completed run; undefined if there is none. */
export async function lastReceipt(ledger: InstallationLedger): Promise<RunReceipt | undefined> {
  const last = (await logEntries(ledger)).findLast(({ kind }) => kind === "receipt");
  const read = last && (await readLogEntry(ledger, last));
  return isReceipt(read?.value) ? read.value : undefined;
}

/** @throws {ConfigurationError} an entry is damaged */
export async function readHistory(ledger: InstallationLedger | undefined): Promise<RunHistory> {
  if (ledger === undefined) return { isKnown: false, runs: [], held: undefined };
  const entries = await logEntries(ledger);
  const runs: RunHistory["runs"][number][] = [];
  for (const entry of entries.filter(({ kind }) => kind === "receipt")) {
    const read = await readLogEntry(ledger, entry);
    if (read === undefined) continue;
    if (!isReceipt(read.value)) throw ledger.unusable(entry.key, "it is not a receipt");
    const receipt = describedReceipt(read.value);
    runs.push(withText({ ...receipt, completedAt: new Date(read.at) }, () => receipt.toString().split("\n")));
  }
  return { isKnown: await ledger.isKnown(), runs, held: await readHeld(ledger, heldIn(entries)) };
}

/**
 * Reads what is known of several installations, the one that was completed longest ago first.
 * @throws {ConfigurationError} an entry is damaged
 */
export async function readInstallations(
  ledgers: readonly InstallationLedger[],
  now: number,
): Promise<readonly InstallationStatus[]> {
  const found: InstallationStatus[] = [];
  for (const ledger of ledgers) {
    const entries = await logEntries(ledger);
    const receipts = entries.filter(({ kind }) => kind === "receipt");
    const read = async (entry: LedgerEntry | undefined) => entry && readLogEntry(ledger, entry);
    const [first, last] = [await read(receipts[0]), await read(receipts.at(-1))];
    const intervals = receipts.length - 1;
    const meanMs = first && last && intervals > 0 ? (last.at - first.at) / intervals : undefined;
    const { endpoint, installationId } = ledger.scope;
    found.push({
      endpoint,
      installationId,
      completedAt: last && new Date(last.at),
      lateMs: last && meanMs && Math.max(0, now - last.at - meanMs),
      held: await readHeld(ledger, heldIn(entries)),
    });
  }
  return found.sort((a, b) => Number(a.completedAt ?? 0) - Number(b.completedAt ?? 0));
}

async function readHeld(
  ledger: InstallationLedger,
  current: ReturnType<typeof heldIn>,
): Promise<RunHistory["held"]> {
  const { held, approved } = current ?? {};
  const read = held && (await readLogEntry(ledger, held));
  if (read === undefined) return undefined;
  if (!isHeld(read.value)) throw ledger.unusable(held?.key ?? "", "it is not a report");
  const { report, text } = read.value;
  const { approval } = report;
  const isApproved = approved !== undefined && (await readLogEntry(ledger, approved)) !== undefined;
  const reasons: HeldReason[] = [];
  for (const reason of report.reasons) reasons.push(await withExamples(ledger, reason));
  return withText(
    {
      ...report,
      reasons,
      approval: approval && { id: approval.id, expiresAt: new Date(approval.expiresAt) },
      heldAt: new Date(read.at),
      isApproved,
    },
    () => text.split("\n"),
  );
}

/** Adds the first ids that would be removed. */
async function withExamples(ledger: InstallationLedger, reason: HeldReason): Promise<HeldReason> {
  const { collection, rule } = reason;
  const isAboutRemovals = rule === "removed" || rule === "window";
  if (!isAboutRemovals || !isCollection(collection) || !isSnapshot(collection)) return reason;
  const pending = await new CollectionLedger(ledger, collection).pending();
  const examples: string[] = [];
  if (pending !== undefined)
    for await (const id of idsOf(pending.lines())) {
      if (examples.push(truncateId(id)) === MAX_EXAMPLES) break;
    }
  return { ...reason, examples };
}

function isReceipt(value: unknown): value is RunReceipt {
  if (!isObject(value)) return false;
  const { batchId, collections, surprises }: Partial<Record<keyof RunReceipt, unknown>> = value;
  return typeof batchId === "string" && isObject(collections) && Array.isArray(surprises);
}

function isHeld(value: unknown): value is { readonly report: HeldReport; readonly text: string } {
  if (!isObject(value)) return false;
  const { report, text }: { report?: unknown; text?: unknown } = value;
  if (!isObject(report) || typeof text !== "string") return false;
  const { reasons, installationId }: Partial<Record<keyof HeldReport, unknown>> = report;
  return Array.isArray(reasons) && typeof installationId === "string";
}
