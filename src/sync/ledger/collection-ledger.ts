import { createHash } from "node:crypto";
import { COLLECTIONS } from "../collections.js";
import {
  currentOf,
  isList,
  keyOf,
  type LedgerEntry,
  type LedgerScope,
  lastOf,
  listEntries,
  nextSequence,
} from "./entries.js";
import { type History, isHistory, isPast, type PastSnapshot } from "./history.js";
import { mapLines } from "./id-lines.js";
import { type LedgerParts, placeOf } from "./ledger.js";
import { digestOf, isOffered, offerId, type PendingApproval } from "./offer.js";
import { deleteAll, putWhole, type Store } from "./store.js";
import { decodeValue, encodeValue, type Fields, type Lines, readValue, unusable } from "./value.js";

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

/** Where a person can read the ids of a held run: a path, or the key of the store. */
export interface ListedIn {
  readonly removals: string;
  readonly additions: string;
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

/** What a ledger knows of one collection of an installation. Values never change; `entries.ts` says what keys mean. */
export class CollectionLedger {
  readonly scope: LedgerScope;
  readonly #parts: LedgerParts;
  readonly #ended: AbortSignal | undefined;
  readonly #subject: string;

  constructor(parts: LedgerParts, scope: LedgerScope, ended?: AbortSignal) {
    this.#parts = parts;
    this.scope = scope;
    this.#ended = ended;
    this.#subject = COLLECTIONS[scope.collection].wireName;
  }

  get keyOf(): ((id: Uint8Array) => Uint8Array) | undefined {
    return this.#parts.hashIds ? (id) => hashId(this.scope, id) : undefined;
  }

  /** Every set of ids that the service may have; empty if there was no snapshot yet. */
  async known(): Promise<readonly KnownIds[]> {
    const current = currentOf(await this.#entries());
    const completed = lastOf(current, "completed");
    const later = current.filter((entry) => entry !== completed);
    const sets = later.map(({ key }) => this.#knownIds("unclear", key));
    if (completed === undefined) return sets;
    const ids = keyOf(this.scope, { ...completed, kind: "ids" });
    return [this.#knownIds("completed", ids, completed.key), ...sets];
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
    await this.#dropClearLists(entries);
    const sequence = nextSequence(entries);
    const key = this.#key(sequence, token, "ids");
    let save = () => {};
    let drop = (_: Error) => {};
    // The value ends, and is there, when it is to be saved.
    const wanted = new Promise<void>((resolve, reject) => {
      save = resolve;
      drop = reject;
    });
    wanted.catch(() => {});
    const untilWanted = async function* () {
      yield* lines;
      await wanted;
    };
    const ids = encodeValue(key, { ids: this.#form, past }, untilWanted());
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

  /** Stores a pending approval and replaces an earlier one. */
  async hold({ lines, added, ...offered }: PendingApproval): Promise<ListedIn> {
    const entries = await this.#entries();
    const sequence = nextSequence(entries);
    const put = async (kind: string, fields: Fields, ids: Lines) => {
      const key = this.#key(sequence, offerId(offered.offer), kind);
      await putWhole(this.#asked, key, encodeValue(key, { ids: this.#form, ...fields }, ids));
      return this.#place(key);
    };
    const isAboutAdded = offered.covers.some(({ rule }) => rule === "added");
    const additions = isAboutAdded ? await put("additions.txt", {}, added()) : "";
    const removals = await put("removals.txt", offered, lines());
    await deleteAll(this.#asked, entries.filter(isList));
    return { removals, additions };
  }

  /** @throws {ConfigurationError} it is damaged, or not what was offered */
  async held(): Promise<PendingApproval | undefined> {
    const entries = await this.#entries();
    const removals = lastOf(entries, "removals.txt");
    if (removals === undefined) return undefined;
    const fields = (await readValue({ ...this.#parts, store: this.#asked }, removals.key)) ?? {};
    // Ids that were listed before the ledger hashed them cannot be compared.
    if (fields["ids"] !== this.#form) return undefined;
    const additions = entries.find(({ kind, token }) => kind === "additions.txt" && token === removals.token);
    const lines = () => this.#read(removals.key);
    const added = () => (additions === undefined ? noLines() : this.#read(additions.key));
    const offered = isOffered(fields) ? { ...fields, lines, added } : undefined;
    const isWhole =
      offered !== undefined &&
      offerId(offered.offer) === removals.token &&
      offered.offer.digests[this.scope.collection] === (await digestOf(offered));
    if (!isWhole) throw unusable(this.#place(removals.key), "the list was changed after it was offered");
    return offered;
  }

  /** The snapshot was completed: it replaces all earlier ones, unless a later one was completed meanwhile. */
  async #promote(sequence: number, token: string, history: History): Promise<void> {
    const { store } = this.#parts;
    const marker = this.#key(sequence, token, "completed");
    const entries = await this.#entries(store);
    const last = Math.max(sequence, lastOf(entries, "completed")?.sequence ?? 0);
    if (last === sequence) await store.putIfAbsent(marker, encodeValue(marker, { history }));
    await deleteAll(
      store,
      entries.filter((entry) => !isList(entry) && entry.sequence < last),
    );
  }

  #knownIds(state: KnownIds["state"], key: string, marker?: string): KnownIds {
    let isRead = false;
    let past: PastSnapshot | undefined;
    const onFields = ({ past: noted }: Fields) => {
      if (noted !== undefined && !isPast(noted))
        throw unusable(this.#place(key), "its first line is damaged");
      past = noted;
    };
    const read = () => this.#read(key, onFields);
    const lines = async function* (): Lines {
      yield* read();
      isRead = true;
    };
    const readAll = async () => {
      if (!isRead) for await (const _ of lines());
      return past;
    };
    const history = async () => (marker === undefined ? [] : this.#historyAt(marker));
    return { state, lines, past: readAll, history };
  }

  async #historyAt(key: string): Promise<History> {
    const { history } = (await readValue({ ...this.#parts, store: this.#asked }, key)) ?? {};
    if (!isHistory(history)) throw unusable(this.#place(key), "it is missing, or has no history");
    return history;
  }

  async *#read(key: string, onFields = (_: Fields) => {}): Lines {
    const { hashIds } = this.#parts;
    const hash = (id: Uint8Array) => hashId(this.scope, id);
    const place = this.#place(key);
    const value = await this.#asked.get(key);
    if (value === undefined) throw unusable(place, "it is missing");
    let form: unknown;
    const onHead = (fields: Fields) => {
      form = fields["ids"];
      onFields(fields);
    };
    for await (const piece of decodeValue(value, place, key, onHead)) {
      if (form !== "clear" && !hashIds)
        throw unusable(place, "its ids are hashed, and this ledger does not set hashIds: true");
      yield form === "clear" && hashIds ? mapLines(piece, hash) : piece;
    }
  }

  get #form(): "clear" | "hashed" {
    return this.#parts.hashIds ? "hashed" : "clear";
  }

  /** Leaves no clear ids in lists if this ledger hashes ids: the next run that is held offers them again. */
  async #dropClearLists(entries: readonly LedgerEntry[]): Promise<void> {
    if (!this.#parts.hashIds) return;
    for (const entry of entries.filter(isList)) {
      const fields = await readValue({ ...this.#parts, store: this.#asked }, entry.key).catch(
        () => undefined,
      );
      if (fields?.["ids"] !== "hashed") await this.#asked.delete(entry.key);
    }
  }

  /** Asked nothing more after the batch has ended: another run may hold the lock then. */
  get #asked(): Store {
    this.#ended?.throwIfAborted();
    return this.#parts.store;
  }

  #entries(store: Store = this.#asked): Promise<readonly LedgerEntry[]> {
    return listEntries(store, this.scope, this.#subject);
  }

  #key(sequence: number, token: string, kind: string): string {
    return keyOf(this.scope, { subject: this.#subject, sequence, token, kind });
  }

  #place(key: string): string {
    return placeOf(this.#parts, key);
  }
}

async function* noLines(): Lines {}

/** Includes the scope, so that equal ids of two installations have different hashes. */
function hashId({ endpoint, installationId, collection }: LedgerScope, id: Uint8Array): Uint8Array {
  const hash = createHash("sha256")
    .update(JSON.stringify([endpoint, installationId, collection]))
    .update(id)
    .digest();
  return new TextEncoder().encode(hash.subarray(0, HASH_BYTES).toString("base64url"));
}
