import { createHash } from "node:crypto";
import { COLLECTIONS, type Collection } from "../../sync/collections.js";
import { mapLines } from "./id-lines.js";
import {
  type InstallationLedger,
  isForPeople,
  type LedgerEntry,
  nextSequence,
} from "./installation-ledger.js";
import { isPast, type PastSnapshot, type PastSnapshots } from "./past.js";
import { type Baseline, type CollectionState, type LedgerSnapshot, readLedger, unclearOf } from "./state.js";
import { decodeValue, type Fields, type Lines, putValue, unstored } from "./value.js";

/** A set of ids that the service may have as the last completed snapshot. */
export interface KnownIds {
  /**
   * - `completed`: of the last snapshot that is known to be completed.
   * - `unclear`: of a later one that may have been completed: the process died, or the answer was lost.
   */
  readonly state: "completed" | "unclear";
  /** Later ones are higher. */
  readonly sequence: number;
  /** Throws if the ids are damaged. */
  lines(): Lines;
  /**
   * Reads what the ledger remembers of this snapshot, and of those before it if it is completed.
   * @throws {ConfigurationError} it is damaged: if it looked empty, what differs from it would pass
   */
  pasts(): Promise<PastSnapshots>;
}

/**
 * Lists of ids for people: what a run removes and adds, all that it sent if that is not known, and whose fields
 * changed.
 */
export type Lists<List> = { readonly [Kind in ListKind]?: List };
export const LIST_KINDS = ["removals", "additions", "sent", "changed"] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** The ids of a snapshot, as lines. */
export interface SnapshotLines {
  readonly lines: () => Lines;
  readonly lists: Lists<() => Lines>;
}

/** A place in the ledger. */
export type Place = Pick<Baseline, "sequence" | "token">;

const HASH_BYTES = 16;
/** Of a hash in base64. */
export const HASH_CHARACTERS = 22;

/** The ids of one snapshot on their way to the store, which reads them while the snapshot is sent. */
export interface LedgerDraft {
  /** Where the ids are: what a state names if their snapshot is completed. */
  readonly place: Place;
  /** Where a person finds the lists: a path, or the key of the store. */
  readonly lists: Lists<string>;
  /** Stores the ids durably as unclear ones. CompleteSyncBatch is sent next. */
  save(): Promise<void>;
  discard(): Promise<void>;
}

/** What a ledger knows of one collection of an installation. Values never change. */
export class CollectionLedger {
  readonly collection: Collection;
  readonly #ledger: InstallationLedger;
  readonly #ended: AbortSignal | undefined;
  /** The wire name of the collection, which begins the names of its entries. */
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
    // The ids that a damaged state named are not known. The sets that can be read still tell what would be removed.
    if (problem !== undefined) sets.unshift({ state: "completed", sequence: 0, lines: fail, pasts: fail });
    return sets;
  }

  stateIn({ state }: LedgerSnapshot): CollectionState {
    return state.collections[this.subject] ?? {};
  }

  /** What a held run has written of the collection, as if it had been completed. */
  held(baseline: Baseline): KnownIds {
    return this.#baseline(baseline, "held");
  }

  /**
   * Starts to store the ids of a snapshot. Resolves when the store has begun to take them.
   * @param seen What the ledger has, now that nobody else has the lock.
   * @param token That of the batch.
   * @param past What to remember of the snapshot.
   */
  async draft(
    seen: LedgerSnapshot,
    token: string,
    { lines, lists }: SnapshotLines,
    past?: PastSnapshot,
  ): Promise<LedgerDraft> {
    const entries = seen.entries.filter(({ subject }) => subject === this.subject);
    if (this.#ledger.hashIds) await this.#asked.delete(entries.filter(isForPeople));
    const place = this.#nextPlace(entries, seen, token);
    const key = this.#keyOf(place);
    const places = await this.#putLists(place, lists);
    let save = () => {};
    let drop = (_: Error) => {};
    // The value ends, and is there, when it is to be saved.
    const wanted = new Promise<void>((resolve, reject) => {
      save = resolve;
      drop = reject;
    });
    wanted.catch(() => {});
    const untilWanted = async function* () {
      yield* lines();
      await wanted;
    };
    let stored: Promise<void> | undefined;
    await new Promise<void>((begin, fail) => {
      stored = putValue(this.#asked.store, key, { ids: this.#form, past }, untilWanted(), begin);
      stored.catch(fail);
    });
    return {
      place,
      lists: places,
      save: async () => {
        save();
        await stored;
        // The next run would take the ledger for an empty one.
        if (!this.#ledger.isOwnStore && !(await this.#entries()).some((listed) => listed.key === key))
          throw unstored(key, "the store doesn't list it");
      },
      discard: async () => {
        drop(new Error("The ids of this snapshot are not needed any more."));
        await stored?.catch(() => {});
        for (const kind of LIST_KINDS)
          if (places[kind] !== undefined) await this.#ledger.store.delete(this.#keyOf(place, `${kind}.txt`));
        await this.#ledger.store.delete(key);
      },
    };
  }

  /**
   * Stores what a held run has written.
   * @param approval The id of its approval.
   * @returns where its ids are, and its lists
   */
  async hold(
    seen: LedgerSnapshot,
    approval: string,
    { lines, lists }: SnapshotLines,
  ): Promise<Pick<LedgerDraft, "place" | "lists">> {
    const place = this.#nextPlace(await this.#entries(), seen, approval);
    await putValue(this.#asked.store, this.#keyOf(place, "held"), { ids: this.#form }, lines());
    return { place, lists: await this.#putLists(place, lists) };
  }

  /** The lists that a run has left, by where they are, and the ids in them. */
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

  async #putLists(place: Place, lists: Lists<() => Lines>): Promise<Lists<string>> {
    const places: { [Kind in ListKind]?: string } = {};
    // A hash tells a person nothing.
    if (this.#ledger.hashIds) return places;
    for (const kind of LIST_KINDS) {
      const ids = lists[kind];
      if (ids === undefined) continue;
      const key = this.#keyOf(place, `${kind}.txt`);
      await putValue(this.#asked.store, key, { ids: this.#form }, ids());
      places[kind] = this.#ledger.placeOf(key);
    }
    return places;
  }

  /** The place of the next snapshot: above all entries, and above the completed one, whose ids may be lost. */
  #nextPlace(entries: readonly LedgerEntry[], seen: LedgerSnapshot, token: string): Place {
    const last = this.stateIn(seen).completed?.sequence ?? 0;
    return { sequence: Math.max(nextSequence(entries), last + 1), token };
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

  #keyOf({ sequence, token }: Place, kind = "ids"): string {
    return this.#ledger.keyOf({ subject: this.subject, sequence, token, kind });
  }

  async *#read(key: string): Lines {
    const { hashIds } = this.#ledger;
    const value = await this.#asked.store.get(key);
    if (value === undefined) throw this.#ledger.unusable(key, "it is missing");
    let form: unknown;
    const onFields = (fields: Fields) => {
      form = fields["ids"];
    };
    for await (const piece of decodeValue(value, this.#ledger.placeOf(key), key, onFields)) {
      if (form !== "clear" && !hashIds)
        throw this.#ledger.unusable(key, "its ids are hashed, and this ledger does not set hashIds: true");
      yield form === "clear" && hashIds ? mapLines(piece, (id) => this.#hash(id)) : piece;
    }
  }

  get #form(): "clear" | "hashed" {
    return this.#ledger.hashIds ? "hashed" : "clear";
  }

  /** Asked nothing more after the batch has ended: another run may hold the lock then. */
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
