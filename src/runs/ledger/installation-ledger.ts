/**
 * The keys of a ledger. An installation has a folder, whose entries are called `<subject>.<sequence>.<token>.<kind>`:
 *
 * - `state.00000012`: what the ledger knows besides ids, see `state.ts`. The entry with the highest number counts.
 * - `accounts.00000007.<token>.ids`: the ids of a snapshot and what else the ledger remembers of it, stored before
 *   CompleteSyncBatch is sent. Entries with a higher number than the completed ones of the state are unclear. Entries
 *   with a lower number are kept only if the previous state names them.
 * - `accounts.00000008.<approval>.held`: the ids of a held run; later runs are compared with them as well.
 * - `accounts.00000008.<token>.removals.txt`, `.additions.txt`, `.sent.txt` and `.changed.txt`: ids for people to read,
 *   which a completed run removed, added, sent or changed, or a held run would have.
 *
 * A token `<run>-<batch>` belongs to one batch, and is the same in all collections; a run may need several batches. Two
 * batches may have the same sequence, because ids are listed only after all of them are stored. `journal-entries.ts`
 * describes the keys of open batches.
 *
 * Only the owner of the lock starts a snapshot, so a later batch gets a higher sequence than all entries that it sees.
 */
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { type BoundedStore, boundedStore, DEFAULT_LIMITS, type StoreLimits } from "./bounded-store.js";
import type { Store } from "./store.js";
import { decodeValue, type Fields, noLines, putValue, unstored, unusable } from "./value.js";

/** One installation of one service. */
export interface InstallationScope {
  /** Origin of the Sync API's endpoint, such as `https://sync.example.com`. */
  readonly endpoint: string;
  readonly installationId: string;
}

/** What a ledger consists of. Plain data, so that another copy of the package can use it too. */
export interface LedgerParts {
  /** See {@link Ledger}. */
  readonly location: string;
  readonly store: Store;
  readonly hashIds: boolean;
  /** Directory of a file ledger. */
  readonly directory?: string | undefined;
}

export interface LedgerEntry {
  readonly key: string;
  readonly subject: string;
  /** Infinite if no run can have assigned the number. */
  readonly sequence: number;
  /** Distinguishes entries with the same sequence: a batch's token, or the id of an approval. */
  readonly token: string;
  readonly kind: string;
}

/** Far above any count of runs and any time in the journal. Adding 1 must still give a different number. */
const MAX_SEQUENCE = 10 ** 15;
/** A state has neither token nor kind. */
const NAME = /^([a-z_]+)\.(\d+)(?:\.([\w-]+)\.([a-z.]+))?$/;

/** The part of a ledger that belongs to one installation. Values never change. */
export class InstallationLedger {
  readonly scope: InstallationScope;
  /** The location of the whole ledger, as reports show it. */
  readonly location: string;
  readonly store: BoundedStore;
  readonly hashIds: boolean;
  readonly folder: string;
  readonly limits: StoreLimits;
  readonly #directory: string | undefined;
  #lastRead: { readonly key: string; readonly fields: Fields } | undefined;

  constructor(
    { location, store, hashIds, directory }: LedgerParts,
    scope: InstallationScope,
    limits = DEFAULT_LIMITS,
  ) {
    this.scope = scope;
    this.location = location;
    this.limits = limits;
    this.store = boundedStore(store, location, limits);
    this.hashIds = hashIds;
    this.folder = folderOf(scope);
    this.#directory = directory;
  }

  /** Whether only the SDK implements this kind of store. */
  get isOwnStore(): boolean {
    return this.#directory !== undefined;
  }

  /** Lists the entries, or those of one subject, the oldest first. */
  async entries(subject?: string): Promise<readonly LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    const begin = subject === undefined ? "" : `${subject}.`;
    for (const key of await this.store.keys(`${this.folder}/${begin}`)) {
      const [, named, sequence, token = "", kind = ""] = NAME.exec(key.slice(this.folder.length + 1)) ?? [];
      if (named === undefined) continue;
      const number = Number(sequence);
      entries.push({ key, subject: named, sequence: isPossible(number) ? number : Infinity, token, kind });
    }
    return entries.sort((a, b) => a.sequence - b.sequence);
  }

  keyOf({ subject, sequence, token, kind }: Omit<LedgerEntry, "key">): string {
    const number = String(sequence).padStart(8, "0");
    return `${this.folder}/${[subject, number, token, kind].filter((part) => part !== "").join(".")}`;
  }

  /**
   * Reads the fields of a value, and checks the whole value.
   * @returns undefined if there is no value
   * @throws {ConfigurationError} the value is damaged, incomplete, or belongs to something else
   */
  async read(key: string, of = key): Promise<Fields | undefined> {
    const value = await this.store.get(key);
    if (value === undefined) return undefined;
    let read: Fields | undefined;
    for await (const { fields } of decodeValue(value, this.placeOf(key), of)) read = fields;
    return read;
  }

  /** Like `read`, but keeps the last result, because values never change. */
  async readOnce(key: string): Promise<Fields | undefined> {
    if (this.#lastRead?.key === key) return this.#lastRead.fields;
    const fields = await this.read(key);
    if (fields !== undefined) this.#lastRead = { key, fields };
    return fields;
  }

  /** Whether the ids of an entry are hashes; false if the entry is unreadable. */
  async isHashed({ key }: LedgerEntry): Promise<boolean> {
    try {
      const value = await this.store.get(key);
      // Reads only the beginning, because there may be millions of ids.
      for await (const { fields } of decodeValue(value ?? noLines(), key, key))
        return fields["ids"] === "hashed";
    } catch {}
    return false;
  }

  /**
   * Stores a value, reads it and deletes it again, with the same calls as at the end of a run.
   * @throws {ConfigurationError} the ledger cannot be written, or doesn't find what it has stored
   */
  async requireWritable(): Promise<void> {
    // If the process is killed in between, its probe remains, but nothing ever lists it.
    const key = `${this.folder}/probe-${randomToken()}.tmp`;
    await putValue(this.store, key, {});
    if ((await this.read(key)) === undefined)
      throw unstored(this.location, "the store can't find a value that it has just stored");
    await this.store.delete(key);
  }

  async delete(entries: readonly Pick<LedgerEntry, "key">[]): Promise<void> {
    for (const { key } of entries) await this.store.delete(key);
  }

  /** Where a person finds a value: its path, or its key in the store. */
  placeOf(key: string): string {
    return this.#directory === undefined ? key : join(this.#directory, key);
  }

  unusable(key: string, why: string): Error {
    return unusable(this.placeOf(key), why);
  }
}

/** @param entries The oldest first. */
export function nextSequence(entries: readonly LedgerEntry[]): number {
  return 1 + (entries.findLast(({ sequence }) => isPossible(sequence))?.sequence ?? 0);
}

/** Whether a run can have assigned this number to an entry. */
export function isPossible(sequence: number): boolean {
  return sequence <= MAX_SEQUENCE;
}

/** Whether an entry is a list of ids for people. */
export function isForPeople({ kind }: LedgerEntry): boolean {
  return kind.endsWith(".txt");
}

/** A folder name as readable as a key allows; unique per service and installation, even on case-insensitive disks. */
function folderOf({ endpoint, installationId }: InstallationScope): string {
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
