/**
 * What a ledger tells of a held run, and which approval is used: entries `runs.00000012.<approval>.<kind>` of an
 * installation.
 *
 * - `held`: the run that is held now.
 * - `approved`: a person approved it.
 * - `used`: a run was to be completed with it. It stays if nobody knows whether the service has completed that run.
 */
import type { HeldReport } from "../../core/errors/index.js";
import { type InstallationLedger, type LedgerEntry, lastOf } from "./installation-ledger.js";
import type { LedgerLook } from "./state.js";

interface LogValue {
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  readonly value: unknown;
}

const SUBJECT = "runs";

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

/** A held run, and whether a person approved it. */
export interface HeldRun extends LogValue {
  readonly key: string;
  readonly isApproved: boolean;
}

/** The run that is held now. @throws {ConfigurationError} it is damaged */
export async function heldIn(
  ledger: InstallationLedger,
  { entries, state }: LedgerLook,
): Promise<HeldRun | undefined> {
  const held = lastOf(entries, "held");
  const fields = held && (await ledger.read(held.key));
  if (held === undefined || fields === undefined) return undefined;
  const { at, value } = fields;
  if (typeof at !== "number") throw ledger.unusable(held.key, "it has no time");
  // The process of the completed run may have died before it could delete what it was held for.
  if (at < (state.runs.at(-1)?.at ?? 0)) return undefined;
  const isApproved = entries.some(({ kind, token }) => kind === "approved" && token === held.token);
  return { key: held.key, at, value, isApproved };
}

function logEntries(ledger: InstallationLedger): Promise<readonly LedgerEntry[]> {
  return ledger.entries(SUBJECT);
}
