/**
 * The keys of a ledger. An installation has a folder, whose entries are called `<subject>.<sequence>.<token>.<kind>`:
 *
 * - `accounts.00000007.<token>.ids`: the ids of a snapshot and what else the ledger remembers of it, put before
 *   CompleteSyncBatch is sent.
 * - `accounts.00000007.<token>.completed`: that snapshot was completed. Its value is what the ledger remembers of this
 *   snapshot and of earlier ones. The highest one counts: ids above it are unclear, everything below it is garbage.
 * - `accounts.00000008.<approval>.removals.txt` and `.additions.txt`: what a held run would have removed and added, for a
 *   person to read. The highest ones count.
 * - `watermark.usage.00000007.<token>`: until when the events of a collection were sent. The highest one counts.
 * - `runs.00000012.<token>.receipt`, `.held`, `.approved` and `.used`: see `run-log.ts`.
 *
 * A token `<run>-<batch>` belongs to one batch, and is the same in all collections: several batches may send a run. Two
 * batches may have one sequence, because ids are listed only after all of them were stored. `journal-entries.ts` describes
 * the keys of open batches.
 *
 * Only the owner of the lock starts a snapshot, so a later batch has a higher sequence than all that it can see.
 */
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Store } from "./store.js";
import { decodeValue, type Fields, type Lines, putValue, unusable } from "./value.js";

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
  readonly sequence: number;
  /** Tells entries of one sequence apart: that of a batch, or the id of an approval. */
  readonly token: string;
  /** Empty for a watermark. */
  readonly kind: string;
}

const NAME = /^([a-z_]+(?:\.[a-z_]+)?)\.(\d+)\.([\w-]+)(?:\.([a-z.]+))?$/;

/** What a ledger has of one installation. Values never change. */
export class InstallationLedger {
  readonly scope: InstallationScope;
  /** As in a report: that of the whole ledger. */
  readonly location: string;
  readonly store: Store;
  readonly hashIds: boolean;
  readonly folder: string;
  readonly #directory: string | undefined;

  constructor({ location, store, hashIds, directory }: LedgerParts, scope: InstallationScope) {
    this.scope = scope;
    this.location = location;
    this.store = store;
    this.hashIds = hashIds;
    this.folder = folderOf(scope);
    this.#directory = directory;
  }

  /** Whether nobody else writes this kind of store. */
  get isOwnStore(): boolean {
    return this.#directory !== undefined;
  }

  /** Lists the entries, or those of one subject, the oldest first. */
  async entries(subject?: string): Promise<readonly LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    const begin = subject === undefined ? "" : `${subject}.`;
    for (const key of await listKeys(this.store, `${this.folder}/${begin}`)) {
      const [, named, sequence, token, kind = ""] = NAME.exec(key.slice(this.folder.length + 1)) ?? [];
      if (named !== undefined && token !== undefined)
        entries.push({ key, subject: named, sequence: Number(sequence), token, kind });
    }
    return entries.sort((a, b) => a.sequence - b.sequence);
  }

  keyOf({ subject, sequence, token, kind }: Omit<LedgerEntry, "key">): string {
    const number = String(sequence).padStart(8, "0");
    return `${this.folder}/${[subject, number, token, ...(kind === "" ? [] : [kind])].join(".")}`;
  }

  /**
   * Puts an entry after those before it. @returns its key
   * @throws the store failed
   */
  async put(
    before: readonly LedgerEntry[],
    entry: Pick<LedgerEntry, "subject" | "token" | "kind">,
    fields: Fields,
    ids?: Lines,
  ): Promise<string> {
    const key = this.keyOf({ ...entry, sequence: nextSequence(before) });
    await putValue(this.store, key, fields, ids);
    return key;
  }

  /**
   * Reads the fields of a value, and checks all of it.
   * @returns undefined if there is none
   * @throws {ConfigurationError} it is damaged, incomplete, or belongs to something else
   */
  async read(key: string, of = key): Promise<Fields | undefined> {
    const value = await this.store.get(key);
    let fields: Fields | undefined;
    const onFields = (read: Fields) => {
      fields = read;
    };
    if (value !== undefined) for await (const _ of decodeValue(value, this.placeOf(key), of, onFields));
    return fields;
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

  /**
   * Whether the ledger knows a completed snapshot of any collection. Unclear ids count only if their run has a receipt: a
   * first run whose process is killed leaves some behind.
   */
  async isKnown(): Promise<boolean> {
    const entries = await this.entries();
    const completed = new Set(entries.filter(({ kind }) => kind === "receipt").map(({ token }) => token));
    return entries.some(
      ({ kind, token }) => kind === "completed" || (kind === "ids" && completed.has(runOf(token))),
    );
  }

  /**
   * Names what the service may have according to the ledger: the last completed snapshot of each collection, later ones
   * that may have been completed, and the watermarks. It changes with each run that is completed. Reads no values.
   * @param except Id of a run that does not count.
   */
  async state(except: string): Promise<string> {
    const entries = await this.entries();
    const keys = [...new Set(entries.map(({ subject }) => subject))].flatMap((subject) => {
      const own = entries.filter((entry) => entry.subject === subject);
      const snapshots = currentOf(own).filter(({ token }) => runOf(token) !== except);
      return [...snapshots, ...(subject.startsWith("watermark.") ? own.slice(-1) : [])].map(({ key }) => key);
    });
    return JSON.stringify(keys.sort());
  }
}

/** Lists keys. A store may list more than it was asked for. */
export async function listKeys(store: Store, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) if (key.startsWith(prefix)) keys.push(key);
  return keys;
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
