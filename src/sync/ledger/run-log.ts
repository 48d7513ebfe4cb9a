/**
 * What a ledger tells people, and which approval is used: entries `runs.00000012.<token>.<kind>` of an installation.
 *
 * - `receipt`: a completed run.
 * - `held`: the run that is held now. Its token, and that of the other kinds, is the id of the approval.
 * - `approved`: a person approved it.
 * - `used`: a run was to be completed with it. It stays if nobody knows whether the service has completed that run.
 */
import {
  entryOf,
  type InstallationScope,
  isList,
  keyOf,
  type LedgerEntry,
  lastOf,
  listEntries,
  nextSequence,
  randomToken,
} from "./entries.js";
import { type LedgerParts, placeOf } from "./ledger.js";
import { deleteAll } from "./store.js";
import { putValue, readValue, unusable } from "./value.js";

interface LogValue {
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  readonly value: unknown;
}

/** Whose log an entry belongs to: no key tells it. */
interface NamedLogValue extends LogValue {
  readonly endpoint: string;
  readonly installationId: string;
}

const SUBJECT = "runs";
/** Older completed runs are forgotten. */
const KEPT = 30;

/** Notes a completed run, after which nothing is held any more. */
export async function logCompleted(
  ledger: LedgerParts,
  scope: InstallationScope,
  run: LogValue,
): Promise<void> {
  const all = await listEntries(ledger.store, scope);
  const before = all.filter(({ subject }) => subject === SUBJECT);
  await put(ledger, scope, before, { kind: "receipt", token: randomToken() }, run);
  const kept = new Set(before.filter(({ kind }) => kind === "receipt").slice(1 - KEPT));
  const lists = new Set(all.filter(isList).map(({ token }) => token));
  const isKept = (entry: LedgerEntry) => kept.has(entry) || (entry.kind === "used" && lists.has(entry.token));
  await deleteAll(
    ledger.store,
    before.filter((entry) => !isKept(entry)),
  );
}

/** Notes a held run in place of an earlier one. @param approvalId What it offers. */
export async function logHeld(
  ledger: LedgerParts,
  scope: InstallationScope,
  approvalId: string,
  run: LogValue,
): Promise<void> {
  const before = await logEntries(ledger, scope);
  await put(ledger, scope, before, { kind: "held", token: approvalId }, run);
  const replaced = before.filter(
    ({ kind, token }) => kind === "held" || (kind === "approved" && token !== approvalId),
  );
  await deleteAll(ledger.store, replaced);
}

/** Notes that a person approved a held run, for the next run to use. */
export async function logApproved(
  ledger: LedgerParts,
  scope: InstallationScope,
  approvalId: string,
  at: number,
): Promise<void> {
  const before = await logEntries(ledger, scope);
  await put(ledger, scope, before, { kind: "approved", token: approvalId }, { at, value: null });
}

/**
 * Notes that a batch is to be completed with an approval.
 * @param batch Token of the batch.
 * @returns the key of the note, to be deleted if the batch was aborted
 */
export async function logUsed(
  ledger: LedgerParts,
  scope: InstallationScope,
  approvalId: string,
  run: LogValue,
): Promise<string> {
  return put(ledger, scope, await logEntries(ledger, scope), { kind: "used", token: approvalId }, run);
}

/** The tokens of batches that may have been completed with an approval; of a damaged note, an empty one. */
export async function usersOf(
  ledger: LedgerParts,
  scope: InstallationScope,
  approvalId: string,
): Promise<readonly string[]> {
  const notes = (await logEntries(ledger, scope)).filter(
    ({ kind, token }) => kind === "used" && token === approvalId,
  );
  return Promise.all(
    notes.map(async ({ key }) => {
      const { value } = (await readValue(ledger, key).catch(() => undefined)) ?? {};
      return typeof value === "string" ? value : "";
    }),
  );
}

/** Forgets an approval in every collection that waits for it, and its held run. A later run may have been held since. */
export async function releaseApproval(
  { store }: LedgerParts,
  scope: InstallationScope,
  approvalId: string,
): Promise<void> {
  const own = (await listEntries(store, scope)).filter(({ token }) => token === approvalId);
  // The lists first: without the note of its use, it would be valid again.
  await deleteAll(store, own.filter(isList));
  await deleteAll(
    store,
    own.filter((entry) => !isList(entry)),
  );
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
export function logEntries(
  { store }: LedgerParts,
  scope: InstallationScope,
): Promise<readonly LedgerEntry[]> {
  return listEntries(store, scope, SUBJECT);
}

/** Lists the entries of all installations, each one's the oldest first. */
export async function allLogs({ store }: LedgerParts): Promise<readonly (readonly LedgerEntry[])[]> {
  const logs = new Map<string, LedgerEntry[]>();
  for await (const key of store.list("")) {
    const entry = entryOf(key);
    if (entry?.subject !== SUBJECT) continue;
    const folder = key.slice(0, key.indexOf("/"));
    const log = logs.get(folder) ?? [];
    logs.set(folder, log);
    log.push(entry);
  }
  return [...logs.values()].map((entries) => entries.sort((a, b) => a.sequence - b.sequence));
}

/** Reads an entry; undefined if it was deleted meanwhile. @throws {ConfigurationError} it is damaged */
export async function readLogEntry(
  ledger: LedgerParts,
  { key }: LedgerEntry,
): Promise<NamedLogValue | undefined> {
  const fields = await readValue(ledger, key);
  if (fields === undefined) return undefined;
  const { at, value, endpoint, installationId } = fields;
  if (typeof at !== "number") throw unusable(placeOf(ledger, key), "it has no time");
  if (typeof endpoint !== "string" || typeof installationId !== "string")
    throw unusable(placeOf(ledger, key), "it does not name its installation");
  return { at, value, endpoint, installationId };
}

async function put(
  ledger: LedgerParts,
  { endpoint, installationId }: InstallationScope,
  before: readonly LedgerEntry[],
  entry: Pick<LedgerEntry, "kind" | "token">,
  { at, value }: LogValue,
): Promise<string> {
  const scope = { endpoint, installationId };
  const key = keyOf(scope, { subject: SUBJECT, sequence: nextSequence(before), ...entry });
  await putValue(ledger, key, { at, value, ...scope });
  return key;
}
