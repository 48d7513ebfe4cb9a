/**
 * What a ledger tells people, and which approval is used: entries `runs.00000012.<token>.<kind>` of an installation.
 *
 * - `receipt`: a completed run, whose id is the token.
 * - `held`: the run that is held now. Its token, and that of the kinds below, is the id of the approval.
 * - `approved`: a person approved it.
 * - `used`: a run was to be completed with it. It stays if nobody knows whether the service has completed that run.
 */
import type { HeldReport } from "../../core/errors/index.js";
import { type InstallationLedger, isList, type LedgerEntry, lastOf } from "./installation-ledger.js";

interface LogValue {
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  readonly value: unknown;
}

const SUBJECT = "runs";
/** Older completed runs are forgotten. */
const KEPT = 30;

/** Notes a completed run, after which nothing is held any more. @param run With its receipt. */
export async function logCompleted(ledger: InstallationLedger, runId: string, run: LogValue): Promise<void> {
  const all = await ledger.entries();
  const before = all.filter(({ subject }) => subject === SUBJECT);
  await ledger.put(before, { subject: SUBJECT, kind: "receipt", token: runId }, { ...run, ...ledger.scope });
  const kept = new Set(before.filter(({ kind }) => kind === "receipt").slice(1 - KEPT));
  const lists = new Set(all.filter(isList).map(({ token }) => token));
  const isKept = (entry: LedgerEntry) => kept.has(entry) || (entry.kind === "used" && lists.has(entry.token));
  await ledger.delete(before.filter((entry) => !isKept(entry)));
}

/** Stores a held run in place of an earlier one, if the ledger could store its approval. */
export async function logHeld(ledger: InstallationLedger, report: HeldReport, at: number): Promise<void> {
  const approvalId = report.approval?.id;
  if (approvalId === undefined) return;
  // Ids are in the lists of removals only, which a later ledger may have to hash.
  const reasons = report.reasons.map((reason) => ({ ...reason, examples: [] }));
  const value = { report: { ...report, reasons }, text: report.toString() };
  const before = await logEntries(ledger);
  await ledger.put(
    before,
    { subject: SUBJECT, kind: "held", token: approvalId },
    { at, value, ...ledger.scope },
  );
  const isReplaced = ({ kind, token }: LedgerEntry) =>
    kind === "held" || (kind === "approved" && token !== approvalId);
  await ledger.delete(before.filter(isReplaced));
}

/** Notes that a person approved a held run, for the next run to use. */
export async function logApproved(ledger: InstallationLedger, approvalId: string, at: number): Promise<void> {
  const entry = { subject: SUBJECT, kind: "approved", token: approvalId };
  await ledger.put(await logEntries(ledger), entry, { at, value: null });
}

/**
 * Notes that a batch is to be completed with an approval.
 * @param run With the token of the batch.
 * @returns the key of the note, to be deleted if the batch was aborted
 */
export async function logUsed(
  ledger: InstallationLedger,
  approvalId: string,
  run: LogValue,
): Promise<string> {
  const entry = { subject: SUBJECT, kind: "used", token: approvalId };
  return ledger.put(await logEntries(ledger), entry, { ...run });
}

/** The tokens of batches that may have been completed with an approval; of a damaged note, an empty one. */
export async function usersOf(ledger: InstallationLedger, approvalId: string): Promise<readonly string[]> {
  const notes = (await logEntries(ledger)).filter(
    ({ kind, token }) => kind === "used" && token === approvalId,
  );
  return Promise.all(
    notes.map(async ({ key }) => {
      const { value } = (await ledger.read(key).catch(() => undefined)) ?? {};
      return typeof value === "string" ? value : "";
    }),
  );
}

/** Forgets an approval in every collection that waits for it, and its held run. A later run may have been held since. */
export async function releaseApproval(ledger: InstallationLedger, approvalId: string): Promise<void> {
  const own = (await ledger.entries()).filter(({ token }) => token === approvalId);
  // The lists first: without the note of its use, it would be valid again.
  await ledger.delete(own.filter(isList));
  await ledger.delete(own.filter((entry) => !isList(entry)));
}

/** The run that is held now, and the note that it was approved. */
export function heldIn(
  entries: readonly LedgerEntry[],
): { readonly held: LedgerEntry; readonly approved: LedgerEntry | undefined } | undefined {
  const last = entries.findLast(({ kind }) => kind === "receipt" || kind === "held");
  if (last?.kind !== "held") return undefined;
  const own = entries.filter(({ token }) => token === last.token);
  return { held: last, approved: lastOf(own, "approved") };
}

/** Lists the entries, the oldest first. */
export function logEntries(ledger: InstallationLedger): Promise<readonly LedgerEntry[]> {
  return ledger.entries(SUBJECT);
}

/** Reads an entry; undefined if it was deleted meanwhile. @throws {ConfigurationError} it is damaged */
export async function readLogEntry(
  ledger: InstallationLedger,
  { key }: LedgerEntry,
): Promise<LogValue | undefined> {
  const fields = await ledger.read(key);
  if (fields === undefined) return undefined;
  const { at, value } = fields;
  if (typeof at !== "number") throw ledger.unusable(key, "it has no time");
  return { at, value };
}
