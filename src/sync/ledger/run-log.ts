/**
 * What a ledger tells people: the last completed runs, and the run that is held now. Entries of an installation are
 * `runs.00000012.<token>.receipt`, `.held` and `.approved`; the token of a held run and of its approval is the id of the
 * approval. No rule of the guard reads them.
 */
import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { type InstallationScope, unusable } from "./entry.js";
import { folderOf } from "./keys.js";
import { type LedgerParts, placeOf } from "./ledger.js";
import { deleteAll, putWhole } from "./store.js";

export interface LogEntry {
  readonly key: string;
  readonly kind: "receipt" | "held" | "approved";
  readonly sequence: number;
  readonly token: string;
}

interface LogValue extends InstallationScope {
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  readonly value: unknown;
}

const NAME = /^(\d+)\.([\w-]+)\.(receipt|held|approved)$/;
/** Older completed runs are forgotten. */
const KEPT = 30;

/** Notes a completed run, after which nothing is held any more. */
export async function logCompleted(
  ledger: LedgerParts,
  scope: InstallationScope,
  run: Pick<LogValue, "at" | "value">,
): Promise<void> {
  const before = await logEntries(ledger, scope);
  await put(ledger, scope, before, { kind: "receipt", token: randomBytes(6).toString("hex") }, run);
  const completed = before.filter(({ kind }) => kind === "receipt");
  const others = before.filter(({ kind }) => kind !== "receipt");
  await deleteAll(ledger.store, [...others, ...completed.slice(0, Math.max(0, completed.length + 1 - KEPT))]);
}

/** Notes a held run in place of an earlier one. @param approvalId What it offers. */
export async function logHeld(
  ledger: LedgerParts,
  scope: InstallationScope,
  approvalId: string,
  run: Pick<LogValue, "at" | "value">,
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

/** Forgets a held run and its approval. */
export async function forgetHeld(
  ledger: LedgerParts,
  scope: InstallationScope,
  approvalId: string,
): Promise<void> {
  const own = (await logEntries(ledger, scope)).filter(({ token }) => token === approvalId);
  await deleteAll(ledger.store, own);
}

/** The run that is held now, and whether it was approved. */
export function heldIn(
  entries: readonly LogEntry[],
): { readonly held: LogEntry; readonly isApproved: boolean } | undefined {
  const last = entries.filter(({ kind }) => kind !== "approved").at(-1);
  if (last?.kind !== "held") return undefined;
  const isApproved = entries.some(({ kind, token }) => kind === "approved" && token === last.token);
  return { held: last, isApproved };
}

/** Lists the entries, the oldest first. */
export async function logEntries(
  { store }: LedgerParts,
  scope: InstallationScope,
): Promise<readonly LogEntry[]> {
  const prefix = prefixOf(scope);
  const entries: LogEntry[] = [];
  for await (const key of store.list(prefix)) {
    // A store may list more than it was asked for.
    const [, sequence, token, kind] = (key.startsWith(prefix) && NAME.exec(key.slice(prefix.length))) || [];
    if (token !== undefined && (kind === "receipt" || kind === "held" || kind === "approved"))
      entries.push({ key, kind, sequence: Number(sequence), token });
  }
  return entries.sort((a, b) => a.sequence - b.sequence);
}

/** Reads an entry; undefined if it was deleted meanwhile. @throws {ConfigurationError} it is damaged */
export async function readLogEntry(
  ledger: LedgerParts,
  scope: InstallationScope,
  { key }: LogEntry,
): Promise<Pick<LogValue, "at" | "value"> | undefined> {
  const stored = await ledger.store.get(key);
  if (stored === undefined) return undefined;
  const { endpoint, installationId, at, value } = parse(await text(stored));
  const place = placeOf(ledger, key);
  if (typeof at !== "number") throw unusable(place, "it is damaged");
  if (endpoint !== scope.endpoint || installationId !== scope.installationId)
    throw unusable(place, "it belongs to another installation");
  return { at, value };
}

function parse(json: string): Partial<Record<keyof LogValue, unknown>> {
  try {
    return JSON.parse(json) ?? {};
  } catch {
    return {};
  }
}

async function put(
  { store }: LedgerParts,
  scope: InstallationScope,
  before: readonly LogEntry[],
  { kind, token }: Pick<LogEntry, "kind" | "token">,
  { at, value }: Pick<LogValue, "at" | "value">,
): Promise<void> {
  const sequence = 1 + (before.at(-1)?.sequence ?? 0);
  const stored: LogValue = { ...scope, at, value };
  const json = async function* () {
    yield Buffer.from(`${JSON.stringify(stored)}\n`);
  };
  await putWhole(store, `${prefixOf(scope)}${String(sequence).padStart(8, "0")}.${token}.${kind}`, json());
}

function prefixOf(scope: InstallationScope): string {
  return `${folderOf(scope)}/runs.`;
}
