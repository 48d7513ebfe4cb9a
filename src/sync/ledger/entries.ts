/**
 * The keys of a ledger. An installation has a folder, whose entries are called `<subject>.<sequence>.<token>.<kind>`:
 *
 * - `accounts.00000007.<token>.ids`: the ids of a snapshot and what else the ledger remembers of it, put before
 *   CompleteSyncBatch is sent.
 * - `accounts.00000007.<token>.completed`: that snapshot was completed. Its value is the history: what the ledger
 *   remembers of this snapshot and of earlier ones. The highest one counts: ids above it are unclear, everything below it
 *   is garbage.
 * - `accounts.00000008.<approval>.removals.txt` and `.additions.txt`: what a held run would have removed and added, for a
 *   person to read. The highest ones count.
 * - `watermark.usage.00000007.<token>`: until when the events of a collection were sent. The highest one counts.
 * - `runs.00000012.<token>.receipt`, `.held`, `.approved` and `.used`: see `run-log.ts`.
 *
 * A token `<run>-<batch>` belongs to one batch, and is the same in all collections: several batches may send a run. Two
 * batches may have one sequence, because ids are listed only after all of them were stored. `journal.ts` describes the keys
 * of open batches.
 *
 * Only the owner of the lock starts a snapshot, so a later batch has a higher sequence than all that it can see.
 */
import { createHash, randomBytes } from "node:crypto";
import type { SnapshotCollection } from "../collections.js";
import type { LedgerParts } from "./ledger.js";
import type { Store } from "./store.js";

/** One installation of one service. */
export interface InstallationScope {
  /** Origin of the Sync API's endpoint, such as `https://sync.example.com`. */
  readonly endpoint: string;
  readonly installationId: string;
}

/** Whose ids are meant: one snapshot collection of an installation. */
export interface LedgerScope extends InstallationScope {
  readonly collection: SnapshotCollection;
}

export interface LedgerEntry {
  readonly key: string;
  readonly subject: string;
  readonly sequence: number;
  /** Tells entries of one sequence apart: that of a batch, or the id of an approval. */
  readonly token: string;
  /** Empty for a watermark. */
  readonly kind: string;
}

const NAME = /^([a-z_]+(?:\.[a-z_]+)?)\.(\d+)\.([\w-]+)(?:\.([a-z.]+))?$/;

/** Lists what a ledger has of an installation, or of one subject of it, the oldest first. */
export async function listEntries(
  store: Store,
  scope: InstallationScope,
  subject?: string,
): Promise<readonly LedgerEntry[]> {
  const folder = `${folderOf(scope)}/`;
  const entries: LedgerEntry[] = [];
  for await (const key of listKeys(store, subject === undefined ? folder : `${folder}${subject}.`)) {
    const entry = entryOf(key);
    if (entry !== undefined) entries.push(entry);
  }
  return entries.sort((a, b) => a.sequence - b.sequence);
}

/** Reads a key; undefined if it is that of no entry. */
export function entryOf(key: string): LedgerEntry | undefined {
  const [, subject, sequence, token, kind = ""] = NAME.exec(key.slice(key.indexOf("/") + 1)) ?? [];
  if (subject === undefined || token === undefined) return undefined;
  return { key, subject, sequence: Number(sequence), token, kind };
}

/** Lists keys. A store may list more than it was asked for. */
export async function* listKeys(store: Store, prefix: string): AsyncGenerator<string, void, undefined> {
  for await (const key of store.list(prefix)) if (key.startsWith(prefix)) yield key;
}

export function keyOf(
  scope: InstallationScope,
  { subject, sequence, token, kind }: Omit<LedgerEntry, "key">,
): string {
  const number = String(sequence).padStart(8, "0");
  return `${folderOf(scope)}/${[subject, number, token, ...(kind === "" ? [] : [kind])].join(".")}`;
}

/** @param entries The oldest first. */
export function nextSequence(entries: readonly LedgerEntry[]): number {
  return 1 + (entries.at(-1)?.sequence ?? 0);
}

export function lastOf(entries: readonly LedgerEntry[], kind: string): LedgerEntry | undefined {
  return entries.findLast((entry) => entry.kind === kind);
}

/** What the service may have of a collection: the last completed entry, and the ids after it. */
export function currentOf(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const completed = lastOf(entries, "completed");
  return entries.filter(
    (entry) => entry === completed || (entry.kind === "ids" && entry.sequence > (completed?.sequence ?? -1)),
  );
}

/** Whether an entry is a list of ids that waits for an approval. */
export function isList({ kind }: LedgerEntry): boolean {
  return kind.endsWith(".txt");
}

/** Readable as far as a key allows, and different for each service and installation, also on disks that fold cases. */
export function folderOf({ endpoint, installationId }: InstallationScope): string {
  const readable = installationId
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, "_")
    .slice(0, 60);
  const hash = createHash("sha256").update(JSON.stringify([endpoint, installationId]));
  return `${readable}-${hash.digest("hex").slice(0, 12)}`;
}

export function randomToken(): string {
  return randomBytes(6).toString("hex");
}

/** Returns a token for a batch of a run. */
export function batchToken(run: string): string {
  return `${run}-${randomToken()}`;
}

/** Returns the id of the run whose batch has a token. */
export function runOf(token: string): string {
  return token.split("-", 1)[0] ?? token;
}

/**
 * Whether the ledger knows a completed snapshot of any collection. Unclear ids count beside a receipt only, without which
 * they may be those of a held first run, which leaves them behind if its process is killed.
 */
export async function knowsInstallation({ store }: LedgerParts, scope: InstallationScope): Promise<boolean> {
  const entries = await listEntries(store, scope);
  const has = (kind: string) => lastOf(entries, kind) !== undefined;
  return has("completed") || (has("receipt") && has("ids"));
}

/**
 * Names what the service may have according to the ledger: the last completed snapshot of each collection, later ones that
 * may have been completed, and the watermarks. It changes with each run that is completed. Reads no values.
 * @param except Id of a run that does not count.
 */
export async function stateOf(
  { store }: LedgerParts,
  scope: InstallationScope,
  except: string,
): Promise<string> {
  const entries = await listEntries(store, scope);
  const keys = [...new Set(entries.map(({ subject }) => subject))].flatMap((subject) => {
    const own = entries.filter((entry) => entry.subject === subject);
    const snapshots = currentOf(own).filter(({ token }) => runOf(token) !== except);
    return [...snapshots, ...(subject.startsWith("watermark.") ? own.slice(-1) : [])].map(({ key }) => key);
  });
  return JSON.stringify(keys.sort());
}
