import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import {
  type Approval,
  decodeEntry,
  type EntryHeader,
  encodeIds,
  encodeList,
  type LedgerScope,
  type Lines,
  readHeader,
  unusable,
} from "./entry.js";
import { type History, type PastSnapshot, parseHistory } from "./history.js";
import { mapLines } from "./id-lines.js";
import { currentOf, entriesOf, keyOf, type LedgerEntry, lastOf, nextSequence, prefixOf } from "./keys.js";
import { type LedgerParts, placeOf } from "./ledger.js";
import { deleteAll, putWhole, type Store } from "./store.js";

/** A set of ids that the service may have as the last completed snapshot. */
export interface KnownIds {
  /**
   * - `completed`: of the last snapshot that is known to be completed.
   * - `unclear`: of a later one that may have been completed: the process died, or the answer was lost.
   */
  readonly state: "completed" | "unclear";
  /** Throws if the ids are damaged. */
  lines(): Lines;
  /**
   * What the ledger remembers of the snapshot; undefined if nothing was noted. Reads the ids if nobody has read them yet.
   * Throws if they are damaged.
   */
  past(): Promise<PastSnapshot | undefined>;
  /**
   * What the ledger remembers of this completed snapshot and those before it; empty for unclear ids.
   * @throws {ConfigurationError} it is damaged: a history that looked empty would let pass what differs from it
   */
  history(): Promise<History>;
}

/** What a held run waits for, with the ids that a person approves. */
export interface PendingApproval extends Approval {
  lines(): Lines;
}

/** Bytes of a hash: 22 characters in base64. */
const HASH_BYTES = 16;

/** The ids of one snapshot on their way to the store, which reads them while the snapshot is sent. */
export interface LedgerDraft {
  /** Stores the ids durably as unclear ones. CompleteSyncBatch is sent next. */
  save(): Promise<void>;
  /**
   * Makes the ids the last completed ones.
   * @param history What to remember of it and of those before it; with none, the ledger forgets them.
   */
  promote(history?: History): Promise<void>;
  discard(): Promise<void>;
}

/** What a ledger knows of one collection of an installation. Values never change; `keys.ts` says what keys mean. */
export class CollectionLedger {
  readonly scope: LedgerScope;
  readonly #parts: LedgerParts;
  readonly #ended: AbortSignal | undefined;

  constructor(parts: LedgerParts, scope: LedgerScope, ended?: AbortSignal) {
    this.#parts = parts;
    this.scope = scope;
    this.#ended = ended;
  }

  get keyOf(): ((id: Uint8Array) => Uint8Array) | undefined {
    return this.#parts.hashIds ? (id) => hashId(this.scope, id) : undefined;
  }

  /** Every set of ids that the service may have; empty if there was no snapshot yet. */
  async known(): Promise<readonly KnownIds[]> {
    const entries = await this.#entries();
    const current = currentOf(entries);
    const later = current.filter(({ kind }) => kind === "ids");
    const sets = later.map((entry) => this.#knownIds("unclear", entry));
    const completed = current.find(({ kind }) => kind === "completed");
    if (completed === undefined) return sets;
    const { sequence, token } = completed;
    const ids = entries.find(
      (entry) => entry.kind === "ids" && entry.sequence === sequence && entry.token === token,
    );
    const key = ids?.key ?? keyOf(this.scope, sequence, token, "ids");
    return [this.#knownIds("completed", { key }, completed.key), ...sets];
  }

  /** That of the last completed snapshot; empty if there was none. @throws as {@link KnownIds.history} */
  async history(): Promise<History> {
    const completed = (await this.known()).find(({ state }) => state === "completed");
    return completed === undefined ? [] : completed.history();
  }

  /**
   * Starts to store the ids of a snapshot. Resolves when the store has begun to take them.
   * @param token That of the batch.
   * @param lines The ids, as lines.
   * @param past What to remember of the snapshot.
   */
  async draft(token: string, lines: Lines, past?: PastSnapshot): Promise<LedgerDraft> {
    const entries = await this.#entries();
    await this.#hashHeld(entries);
    const sequence = nextSequence(entries);
    const key = keyOf(this.scope, sequence, token, "ids");
    let save = () => {};
    let drop = (_: Error) => {};
    // The value ends, and is there, when it is to be saved.
    const wanted = new Promise<PastSnapshot | undefined>((resolve, reject) => {
      save = () => resolve(past);
      drop = reject;
    });
    wanted.catch(() => {});
    const ids = encodeIds(this.scope, { ids: this.#form }, lines, () => wanted);
    let stored: Promise<void> | undefined;
    await new Promise<void>((begin, fail) => {
      stored = putWhole(this.#asked, key, ids, begin);
      stored.catch(fail);
    });
    return {
      save: async () => {
        save();
        await stored;
        // Of a store of somebody else: the next run would take the ledger for an empty one.
        const isOwn = this.#parts.directory !== undefined;
        if (!isOwn && !(await this.#entries()).some((entry) => entry.key === key))
          throw new Error(`The store does not list ${key}.`);
      },
      promote: (history = []) => this.#promote(sequence, token, history),
      discard: async () => {
        drop(new Error("The ids of this snapshot are not needed any more."));
        await stored?.catch(() => {});
        await this.#parts.store.delete(key);
      },
    };
  }

  /**
   * Stores a pending approval and replaces an earlier one.
   * @returns where a person can read the ids: a path, or the key of the store
   */
  async hold({ lines, ...approval }: PendingApproval): Promise<string> {
    const entries = await this.#entries();
    const key = keyOf(this.scope, nextSequence(entries), approval.id, "removals");
    await putWhole(this.#asked, key, encodeList(this.scope, { ids: this.#form, approval }, lines()));
    await deleteAll(
      this.#asked,
      entries.filter(({ kind }) => kind === "removals"),
    );
    return this.#place(key);
  }

  async held(): Promise<PendingApproval | undefined> {
    const pending = lastOf(await this.#entries(), "removals");
    return pending === undefined ? undefined : this.#approvalOf(pending);
  }

  /** The snapshot was completed: it replaces all earlier ones, unless a later one was completed meanwhile. */
  async #promote(sequence: number, token: string, history: History): Promise<void> {
    const { store } = this.#parts;
    const marker = keyOf(this.scope, sequence, token, "completed");
    const entries = await this.#entries(store);
    const last = Math.max(sequence, lastOf(entries, "completed")?.sequence ?? 0);
    const value = async function* () {
      yield Buffer.from(`${JSON.stringify(history)}\n`);
    };
    if (last === sequence) await store.putIfAbsent(marker, value());
    await deleteAll(
      store,
      entries.filter(({ kind, sequence: at }) => kind !== "removals" && at < last),
    );
  }

  #knownIds(state: KnownIds["state"], { key }: Pick<LedgerEntry, "key">, marker?: string): KnownIds {
    let isRead = false;
    let past: PastSnapshot | undefined;
    const lines = () =>
      this.#read(key, (read) => {
        isRead = true;
        past = read;
      });
    const readAll = async () => {
      if (!isRead) for await (const _ of lines());
      return past;
    };
    const history = async () => (marker === undefined ? [] : this.#historyAt(marker));
    return { state, lines, past: readAll, history };
  }

  async #historyAt(key: string): Promise<History> {
    const value = await this.#asked.get(key);
    const history = value && parseHistory(await text(value));
    if (history === undefined)
      throw unusable(this.#place(key), value === undefined ? "it is missing" : "it is damaged");
    return history;
  }

  async *#read(key: string, onPast?: (past: PastSnapshot | undefined) => void): Lines {
    const { hashIds } = this.#parts;
    const hash = (id: Uint8Array) => hashId(this.scope, id);
    let header: EntryHeader | undefined;
    const onHeader = (read: EntryHeader) => {
      header = read;
    };
    const get = () => this.#asked.get(key);
    for await (const piece of decodeEntry(get, this.#place(key), this.scope, { onHeader, onPast })) {
      if (header?.ids === "hashed" && !hashIds)
        throw unusable(this.#place(key), "its ids are hashed, and this ledger does not set hashIds: true");
      yield hashIds && header?.ids === "clear" ? mapLines(piece, hash) : piece;
    }
  }

  async #approvalOf({ key }: LedgerEntry): Promise<PendingApproval | undefined> {
    const approval = (await this.#header(key))?.approval;
    // What it covers stands in the first line, and the checksum in the last.
    for await (const _ of this.#read(key));
    return approval && { ...approval, lines: () => this.#read(key) };
  }

  #header(key: string): Promise<EntryHeader | undefined> {
    return readHeader(() => this.#asked.get(key), this.#place(key), this.scope);
  }

  get #form(): EntryHeader["ids"] {
    return this.#parts.hashIds ? "hashed" : "clear";
  }

  /** Leaves no clear ids in a list of removals if this ledger hashes ids. */
  async #hashHeld(entries: readonly LedgerEntry[]): Promise<void> {
    const pending = lastOf(entries, "removals");
    if (!this.#parts.hashIds || pending === undefined) return;
    try {
      if ((await this.#header(pending.key))?.ids === "hashed") return;
      const approval = await this.#approvalOf(pending);
      if (approval !== undefined) return void (await this.hold(approval));
    } catch {
      // Nothing in an unreadable list can be approved, and it may contain ids.
    }
    await deleteAll(this.#asked, [pending]);
  }

  /** Asked nothing more after the batch has ended: another run may hold the lock then. */
  get #asked(): Store {
    this.#ended?.throwIfAborted();
    return this.#parts.store;
  }

  async #entries(store: Store = this.#asked): Promise<readonly LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    const prefix = prefixOf(this.scope);
    for await (const key of store.list(prefix))
      if (key.startsWith(prefix)) entries.push(...entriesOf(key, key.slice(prefix.length)));
    return entries;
  }

  #place(key: string): string {
    return placeOf(this.#parts, key);
  }
}

/** Includes the scope, so that equal ids of two installations have different hashes. */
function hashId({ endpoint, installationId, collection }: LedgerScope, id: Uint8Array): Uint8Array {
  const hash = createHash("sha256")
    .update(JSON.stringify([endpoint, installationId, collection]))
    .update(id)
    .digest();
  return new TextEncoder().encode(hash.subarray(0, HASH_BYTES).toString("base64url"));
}
