import { createHash } from "node:crypto";
import { raceAbort } from "../../core/abort.js";
import { bestEffort } from "../../sync/call.js";
import { COLLECTIONS, type Collection } from "../../sync/collections.js";
import type { SyncConfiguration } from "../../sync/options.js";
import { mapLines } from "./id-lines.js";
import {
  batchToken,
  type InstallationLedger,
  isForPeople,
  type LedgerEntry,
  nextSequence,
} from "./installation-ledger.js";
import { isPast, type PastSnapshot, type PastSnapshots } from "./past.js";
import { type Baseline, type CollectionState, type LedgerSnapshot, readLedger, unclearOf } from "./state.js";
import { decodeValue, type Lines, putValue, unstored } from "./value.js";

/** The ids of a snapshot that may be the last one that the service completed. */
export interface KnownIds {
  /**
   * - `completed`: they belong to the last snapshot that is known to be completed.
   * - `unclear`: its process died or an answer was lost, so this later snapshot may or may not have been completed.
   */
  readonly state: "completed" | "unclear";
  /** Later snapshots have higher numbers. */
  readonly sequence: number;
  /** Throws if the ids are damaged. */
  lines(): Lines;
  /**
   * Reads what the ledger remembers of this snapshot and, if it is completed, of those before it.
   * @throws {ConfigurationError} the value is damaged; if it counted as empty, any difference would pass
   */
  pasts(): Promise<PastSnapshots>;
}

/**
 * Lists of ids for people: the ids that a run removes and adds (or all ids that it sent, if the changes aren't known),
 * and the ids of records whose fields changed.
 */
export type Lists<List> = { readonly [Kind in ListKind]?: List };
export const LIST_KINDS = ["removals", "additions", "sent", "changed"] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** The ids of a snapshot, as lines. */
export interface SnapshotLines {
  readonly collection: Collection;
  readonly lines: () => Lines;
  readonly lists: Lists<() => Lines>;
  /** What to remember of a snapshot that may be completed. */
  readonly past?: PastSnapshot | undefined;
  /** What to remember of the collection if it is completed or held. */
  readonly pasts: PastSnapshots;
}

/** A place in the ledger. */
type Place = Pick<Baseline, "sequence" | "token">;

const HASH_BYTES = 16;
/** The length of a hash in base64. */
export const HASH_CHARACTERS = 22;

/** The ids of a snapshot in the ledger. */
interface StoredIds {
  readonly baseline: Baseline;
  /** Where a person finds the lists: a path, or the key of the store. */
  readonly lists: Lists<string>;
}

/** What a ledger knows of one collection of an installation. Values never change. */
export class CollectionLedger {
  readonly collection: Collection;
  readonly #ledger: InstallationLedger;
  readonly #ended: AbortSignal | undefined;
  readonly #puts: string[] = [];
  /** The wire name of the collection; the names of its entries begin with it. */
  readonly subject: string;

  constructor(ledger: InstallationLedger, collection: Collection, ended?: AbortSignal) {
    this.collection = collection;
    this.#ledger = ledger;
    this.#ended = ended;
    this.subject = COLLECTIONS[collection].wireName;
  }

  get keyOf(): ((id: Uint8Array) => Uint8Array) | undefined {
    return this.#ledger.hashIds ? (id) => this.#hash(id) : undefined;
  }

  read(): Promise<LedgerSnapshot> {
    return readLedger(this.#asked);
  }

  /** Every set of ids that the service may have; empty if there was no snapshot yet. */
  known(seen: LedgerSnapshot): readonly KnownIds[] {
    const sets = unclearOf(seen, this.subject).map(({ key, sequence }): KnownIds => {
      return { state: "unclear", sequence, lines: () => this.#read(key), pasts: () => this.#pastAt(key) };
    });
    const { completed } = this.stateIn(seen);
    if (completed !== undefined) sets.unshift(this.#baseline(completed, "ids"));
    const { problem } = seen;
    const fail = () => {
      throw problem;
    };
    // Nobody knows which ids a damaged state listed. The readable sets still show what would be removed.
    if (problem !== undefined) sets.unshift({ state: "completed", sequence: 0, lines: fail, pasts: fail });
    return sets;
  }

  stateIn({ state }: LedgerSnapshot): CollectionState {
    return state.collections[this.subject] ?? {};
  }

  /** The ids that a held run has written, as if the run had been completed. */
  held(baseline: Baseline): KnownIds {
    return this.#baseline(baseline, "held");
  }

  /**
   * Stores the ids of a snapshot and its lists durably.
   * @param seen The ledger's content.
   * @param token The token of a batch, which makes the stored ids unclear, or the id of an approval.
   * @param onListProblem Called if a list can't be made; without it, `put` rejects.
   */
  async put(
    kind: "ids" | "held",
    seen: LedgerSnapshot,
    token: string,
    { lines, lists, past, pasts }: SnapshotLines,
    onListProblem?: (error: unknown) => void,
  ): Promise<StoredIds> {
    const { hashIds, isOwnStore } = this.#ledger;
    const entries = seen.entries.filter(({ subject }) => subject === this.subject);
    if (hashIds) await this.#asked.delete(entries.filter(isForPeople));
    // Higher than the completed snapshot's sequence, even if no entry with its ids is left.
    const last = this.stateIn(seen).completed?.sequence ?? 0;
    const baseline = { sequence: Math.max(nextSequence(entries), last + 1), token, pasts };
    const places: { [Kind in ListKind]?: string } = {};
    // A hash means nothing to a person.
    for (const list of hashIds ? [] : LIST_KINDS) {
      const ids = lists[list];
      if (ids === undefined) continue;
      try {
        places[list] = this.#ledger.placeOf(await this.#put(baseline, `${list}.txt`, ids));
      } catch (error) {
        if (onListProblem === undefined) throw error;
        onListProblem(error);
      }
    }
    const key = await this.#put(baseline, kind, lines, past);
    // If the store didn't list the key, the next run would think that the ledger is empty.
    if (!isOwnStore && !(await this.#entries()).some((listed) => listed.key === key))
      throw unstored(key, "the store doesn't list it");
    return { baseline, lists: places };
  }

  /** Deletes what `put` stored. */
  async discard(): Promise<void> {
    for (const key of this.#puts) await this.#ledger.store.delete(key);
  }

  /** The lists of a run, with their locations and ids. */
  async listed(token: string): Promise<Lists<{ readonly place: string; lines(): Lines }>> {
    const entries = await this.#entries();
    const lists = LIST_KINDS.flatMap((kind) => {
      const found = entries.find((entry) => entry.token === token && entry.kind === `${kind}.txt`);
      if (found === undefined) return [];
      return [
        [kind, { place: this.#ledger.placeOf(found.key), lines: () => this.#read(found.key) }] as const,
      ];
    });
    return Object.fromEntries(lists);
  }

  async #put(place: Place, kind: string, lines: () => Lines, past?: PastSnapshot): Promise<string> {
    const { store, hashIds } = this.#asked;
    const key = this.#keyOf(place, kind);
    this.#puts.push(key);
    await putValue(store, key, { ids: hashIds ? "hashed" : "clear", past }, lines());
    return key;
  }

  #baseline({ pasts, ...place }: Baseline, kind: "ids" | "held"): KnownIds {
    const lines = () => this.#read(this.#keyOf(place, kind));
    return { state: "completed", sequence: place.sequence, lines, pasts: async () => pasts };
  }

  async #pastAt(key: string): Promise<PastSnapshots> {
    const { past } = (await this.#asked.read(key)) ?? {};
    if (past === undefined) return [];
    if (!isPast(past)) throw this.#ledger.unusable(key, "its first line is damaged");
    return [past];
  }

  #keyOf({ sequence, token }: Place, kind: string): string {
    return this.#ledger.keyOf({ subject: this.subject, sequence, token, kind });
  }

  async *#read(key: string): Lines {
    const { hashIds } = this.#ledger;
    const value = await this.#asked.store.get(key);
    if (value === undefined) throw this.#ledger.unusable(key, "it is missing");
    for await (const { fields, lines } of decodeValue(value, this.#ledger.placeOf(key), key)) {
      if (lines.length === 0) continue;
      const isClear = fields["ids"] === "clear";
      if (!isClear && !hashIds)
        throw this.#ledger.unusable(key, "its ids are hashed, and this ledger does not set hashIds: true");
      yield isClear && hashIds ? mapLines(lines, (id) => this.#hash(id)) : lines;
    }
  }

  /** Throws once the batch has ended, because another run may hold the lock by then. */
  get #asked(): InstallationLedger {
    this.#ended?.throwIfAborted();
    return this.#ledger;
  }

  #entries(): Promise<readonly LedgerEntry[]> {
    return this.#asked.entries(this.subject);
  }

  /** Includes the scope, so that equal ids of two installations have different hashes. */
  #hash(id: Uint8Array): Uint8Array {
    const { endpoint, installationId } = this.#ledger.scope;
    const hash = createHash("sha256")
      .update(JSON.stringify([endpoint, installationId, this.collection]))
      .update(id)
      .digest();
    return new TextEncoder().encode(hash.subarray(0, HASH_BYTES).toString("base64url"));
  }
}

/** The ids that a batch has sent. The batch holds the lock, and its token marks the ids. */
export class BatchIds {
  readonly token: string;
  /** Where to find the lists of removed and added ids. */
  readonly lists: { [C in Collection]?: Lists<string> } = {};
  /** What the ledger should record about the completed batch, by the wire names of the collections. */
  readonly baselines: Record<string, Baseline> = {};
  readonly #ledger: InstallationLedger | undefined;
  readonly #configuration: SyncConfiguration;
  readonly #ended: AbortSignal;
  readonly #saved: CollectionLedger[] = [];
  #saving: Promise<unknown> = Promise.resolve();
  #areSaved = false;

  /**
   * @param ledger Undefined if the run has none.
   * @param ended Fires when the batch has ended.
   */
  constructor(
    runId: string,
    ledger: InstallationLedger | undefined,
    configuration: SyncConfiguration,
    ended: AbortSignal,
  ) {
    this.token = batchToken(runId);
    this.#ledger = ledger;
    this.#configuration = configuration;
    this.#ended = ended;
  }

  /**
   * Stores the ids before CompleteSyncBatch is sent, because the batch may then be completed without this run learning
   * of it. Rejects with the reason of the batch's signal when the signal fires.
   * @param seen The ledger's content, read while this run has the lock.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  async save(seen: LedgerSnapshot, sent: Iterable<SnapshotLines>): Promise<void> {
    const ledger = this.#ledger;
    if (ledger === undefined) return;
    const warn = (error: unknown) => {
      const message = "saas-management: could not write the lists of removed and added ids";
      this.#configuration.logger.warn(message, { error });
    };
    const saving = [...sent].map(async (ids) => {
      const own = new CollectionLedger(ledger, ids.collection, this.#ended);
      this.#saved.push(own);
      const { baseline, lists } = await own.put("ids", seen, this.token, ids, warn);
      this.baselines[own.subject] = baseline;
      this.lists[ids.collection] = lists;
    });
    this.#saving = Promise.allSettled(saving);
    await raceAbort(Promise.all(saving), this.#ended);
    this.#areSaved = true;
  }

  /**
   * Ends a batch that this run did not complete.
   * @param outcome `completed` if another process completed the batch with some or all of the records. In this
   *   case, and if the outcome is unknown, the saved ids are kept along with those known before.
   */
  async abandon(outcome: "aborted" | "unknown" | "completed"): Promise<void> {
    if (this.#areSaved && outcome !== "aborted") return;
    const message = "could not delete the ids of an aborted batch from the ledger";
    await bestEffort(this.#configuration, { level: "warn", message }, async () => {
      await this.#saving;
      for (const ledger of this.#saved) await ledger.discard();
    });
  }
}
