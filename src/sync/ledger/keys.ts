/**
 * The keys of a ledger. An installation has a folder; of each collection there are
 *
 * - `accounts.00000007.<token>.ids`: the ids of a snapshot and what else the ledger remembers of it, put before
 *   CompleteSyncBatch is sent.
 * - `accounts.00000007.<token>.completed`: that snapshot was completed. Its value is the history: what the ledger
 *   remembers of this snapshot and of earlier ones. The highest one counts: ids above it are unclear, everything below it
 *   is garbage.
 * - `accounts.00000008.<approval>.removals.txt`: what a held run would have removed, for a person to read. The highest
 *   one counts.
 *
 * A token `<run>-<batch>` belongs to one batch, and is the same in all collections: several batches may send a run. Two batches may have one sequence, because ids are listed only after all of them were stored.
 *
 * `journal.ts` describes the keys of open batches, `watermark-entries.ts` those of watermarks.
 *
 * Only the owner of the lock starts a snapshot, so a later batch has a higher sequence than all that it can see.
 */
import { createHash, randomBytes } from "node:crypto";
import { COLLECTIONS } from "../collections.js";
import type { InstallationScope, LedgerScope } from "./entry.js";

export interface LedgerEntry {
  readonly key: string;
  readonly kind: "ids" | "completed" | "removals";
  readonly sequence: number;
  /** Tells entries of one sequence apart: that of a batch, or the id of an approval. */
  readonly token: string;
}

const SUFFIX = { ids: "ids", completed: "completed", removals: "removals.txt" } as const;
const NAME = /^(\d+)\.([\w-]+)\.(ids|completed|removals)(?:\.txt)?$/;

/** Readable as far as a key allows, and different for each service and installation, also on disks that fold cases. */
export function folderOf({ endpoint, installationId }: InstallationScope): string {
  const readable = installationId
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, "_")
    .slice(0, 60);
  return `${readable}-${installationHash(endpoint, installationId)}`;
}

/** Each run asks for the hash of its installation about twenty times. */
const HASHES = new Map<string, string>();
const MOST_HASHES = 1000;

function installationHash(endpoint: string, installationId: string): string {
  const name = JSON.stringify([endpoint, installationId]);
  const known = HASHES.get(name);
  if (known !== undefined) return known;
  if (HASHES.size === MOST_HASHES) HASHES.clear();
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 12);
  HASHES.set(name, hash);
  return hash;
}

export function prefixOf(scope: LedgerScope): string {
  return `${folderOf(scope)}/${COLLECTIONS[scope.collection].wireName}.`;
}

export function keyOf(
  scope: LedgerScope,
  sequence: number,
  token: string,
  kind: LedgerEntry["kind"],
): string {
  return `${prefixOf(scope)}${String(sequence).padStart(8, "0")}.${token}.${SUFFIX[kind]}`;
}

/** Reads the part of a key after the prefix; other keys are ignored. */
export function entriesOf(key: string, name: string): LedgerEntry[] {
  const [, sequence = "", token = "", kind] = NAME.exec(name) ?? [];
  if (kind !== "ids" && kind !== "completed" && kind !== "removals") return [];
  return [{ key, kind, sequence: Number(sequence), token }];
}

/** Returns the id of a run. */
export function newRunId(): string {
  return randomBytes(6).toString("hex");
}

/** Returns a token for a batch of a run. */
export function batchToken(run: string): string {
  return `${run}-${randomBytes(6).toString("hex")}`;
}

/** Returns the id of the run whose batch has a token. */
export function runOf(token: string): string {
  return token.split("-", 1)[0] ?? token;
}

/** What the service may have: the last completed entry, and the ids after it. */
export function currentOf<E extends LedgerEntry>(entries: readonly E[]): readonly E[] {
  const completed = lastOf(entries, "completed");
  return entries.filter((entry) =>
    entry.kind === "ids"
      ? entry.sequence > (completed?.sequence ?? -1)
      : entry.sequence === completed?.sequence && entry.token === completed.token,
  );
}

export function lastOf(entries: readonly LedgerEntry[], kind: LedgerEntry["kind"]): LedgerEntry | undefined {
  const own = entries.filter((entry) => entry.kind === kind);
  return own.reduce<LedgerEntry | undefined>(
    (last, entry) => (last === undefined || entry.sequence >= last.sequence ? entry : last),
    undefined,
  );
}

export function nextSequence(entries: readonly LedgerEntry[]): number {
  return 1 + Math.max(0, ...entries.map(({ sequence }) => sequence));
}
