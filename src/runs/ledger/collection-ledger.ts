import { createHash } from "node:crypto";
import { isCount } from "../../core/validate.js";
import { COLLECTIONS, type SnapshotCollection } from "../../sync/collections.js";
import { mapLines } from "./id-lines.js";
import {
  type InstallationLedger,
  isList,
  type LedgerEntry,
  lastOf,
  nextSequence,
} from "./installation-ledger.js";
import { digestOf, isOffered, offerId, type PendingApproval } from "./offer.js";
import { isPast, type PastSnapshot, type PastSnapshots } from "./past.js";
import { type Baseline, type LedgerSnapshot, readLedger, unclearOf } from "./state.js";
import { decodeValue, type Fields, type Lines, noLines, putValue } from "./value.js";

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
   * Reads what the ledger remembers of this snapshot, and of those before it if it is completed.
   * @throws {ConfigurationError} it is damaged: if it looked empty, what differs from it would pass
   */
  pasts(): Promise<PastSnapshots>;
}

/** Where a person can read the ids of a held run: a path, or the key of the store. */
export interface ListedIn {
  readonly removals: string;
  readonly additions: string;
}

const HASH_BYTES = 16;
/** Of a hash in base64. */
export const HASH_CHARACTERS = 22;

/** The ids of one snapshot on their way to the store, which reads them while the snapshot is sent. */
export interface LedgerDraft {
  /** Where the ids are: what a state names if their snapshot is completed. */
  readonly place: Pick<Baseline, "sequence" | "token">;
  /** Stores the ids durably as unclear ones. CompleteSyncBatch is sent next. */
  save(): Promise<void>;
  discard(): Promise<void>;
}

/** What a ledger knows of one collection of an installation. Values never change. */
export class CollectionLedger {
  readonly collection: SnapshotCollection;
  readonly #ledger: InstallationLedger;
  readonly #ended: AbortSignal | undefined;
  readonly #subject: string;

  constructor(ledger: InstallationLedger, collection: SnapshotCollection, ended?: AbortSignal) {
    this.collection = collection;
    this.#ledger = ledger;
    this.#ended = ended;
    this.#subject = COLLECTIONS[collection].wireName;
  }

  get keyOf(): ((id: Uint8Array) => Uint8Array) | undefined {
    return this.#ledger.hashIds ? (id) => this.#hash(id) : undefined;
  }

  read(): Promise<LedgerSnapshot> {
    return readLedger(this.#asked);
  }

  /** Every set of ids that the service may have; empty if there was no snapshot yet. */
  known(seen: LedgerSnapshot): readonly KnownIds[] {
    const sets = unclearOf(seen, this.#subject).map(({ key }): KnownIds => {
      return { state: "unclear", lines: () => this.#read(key), pasts: () => this.#pastAt(key) };
    });
    const completed = seen.state.snapshots[this.#subject];
    if (completed !== undefined) {
      const { pasts, ...place } = completed;
      const lines = () => this.#read(this.#keyOf(place));
      sets.unshift({ state: "completed", lines, pasts: async () => pasts });
    }
    const { problem } = seen;
    const fail = () => {
      throw problem;
    };
    // The ids that a damaged state named are not known. The sets that can be read still tell what would be removed.
    if (problem !== undefined) sets.unshift({ state: "completed", lines: fail, pasts: fail });
    return sets;
  }

  /**
   * Starts to store the ids of a snapshot. Resolves when the store has begun to take them.
   * @param seen What the ledger has, now that nobody else has the lock.
   * @param token That of the batch.
   * @param lines The ids, as lines.
   * @param past What to remember of the snapshot.
   */
  async draft(seen: LedgerSnapshot, token: string, lines: Lines, past?: PastSnapshot): Promise<LedgerDraft> {
    const entries = seen.entries.filter(({ subject }) => subject === this.#subject);
    await this.#dropLists(entries, past?.at ?? 0);
    const completed = seen.state.snapshots[this.#subject]?.sequence ?? 0;
    const place = { sequence: Math.max(nextSequence(entries), completed + 1), token };
    const key = this.#keyOf(place);
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
    let stored: Promise<void> | undefined;
    await new Promise<void>((begin, fail) => {
      stored = putValue(this.#asked.store, key, { ids: this.#form, past }, untilWanted(), begin);
      stored.catch(fail);
    });
    return {
      place,
      save: async () => {
        save();
        await stored;
        // The next run would take the ledger for an empty one.
        if (!this.#ledger.isOwnStore && !(await this.#entries()).some((listed) => listed.key === key))
          throw new Error(`The store does not list ${key}.`);
      },
      discard: async () => {
        drop(new Error("The ids of this snapshot are not needed any more."));
        await stored?.catch(() => {});
        await this.#ledger.store.delete(key);
      },
    };
  }

  /** Stores a pending approval in place of an earlier one. */
  async offer({ lines, added, ...offered }: PendingApproval): Promise<ListedIn> {
    const before = await this.#entries();
    const fields = { ids: this.#form, ...offered };
    const place = {
      subject: this.#subject,
      sequence: nextSequence(before),
      token: offerId(offered.offer),
    };
    const put = async (kind: string, ids: Lines) => {
      const key = this.#ledger.keyOf({ ...place, kind });
      await putValue(this.#asked.store, key, fields, ids);
      return this.#ledger.placeOf(key);
    };
    const isAboutAdded = offered.covers.some(({ rule }) => rule === "added");
    const additions = isAboutAdded ? await put("additions.txt", added()) : "";
    const removals = await put("removals.txt", lines());
    await this.#asked.delete(before.filter(isList));
    return { removals, additions };
  }

  /** @throws {ConfigurationError} it is damaged, or not what was offered */
  async pending(): Promise<PendingApproval | undefined> {
    const entries = await this.#entries();
    const removals = lastOf(entries, "removals.txt");
    if (removals === undefined) return undefined;
    const fields = (await this.#asked.read(removals.key)) ?? {};
    // Ids that were listed before the ledger hashed them cannot be compared.
    if (fields["ids"] !== this.#form) return undefined;
    const additions = entries.find(({ kind, token }) => kind === "additions.txt" && token === removals.token);
    const lines = () => this.#read(removals.key);
    const added = () => (additions === undefined ? noLines() : this.#read(additions.key));
    const offered = isOffered(fields) ? { ...fields, lines, added } : undefined;
    const isWhole =
      offered !== undefined &&
      offerId(offered.offer) === removals.token &&
      offered.offer.digests[this.collection] === (await digestOf(offered));
    if (!isWhole) throw this.#ledger.unusable(removals.key, "the list was changed after it was offered");
    return offered;
  }

  async #pastAt(key: string): Promise<PastSnapshots> {
    const { past } = (await this.#asked.read(key)) ?? {};
    if (past === undefined) return [];
    if (!isPast(past)) throw this.#ledger.unusable(key, "its first line is damaged");
    return [past];
  }

  #keyOf(place: Pick<Baseline, "sequence" | "token">): string {
    return this.#ledger.keyOf({ ...place, subject: this.#subject, kind: "ids" });
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

  /** Leaves no lists whose approval has expired, and none with clear ids if this ledger hashes ids. */
  async #dropLists(entries: readonly LedgerEntry[], now: number): Promise<void> {
    for (const entry of entries.filter(isList)) {
      const { ids, expiresAt } = (await this.#asked.read(entry.key).catch(() => undefined)) ?? {};
      const isExpired = isCount(expiresAt) && expiresAt <= now;
      if (isExpired || (this.#ledger.hashIds && ids !== "hashed")) await this.#asked.delete([entry]);
    }
  }

  /** Asked nothing more after the batch has ended: another run may hold the lock then. */
  get #asked(): InstallationLedger {
    this.#ended?.throwIfAborted();
    return this.#ledger;
  }

  #entries(): Promise<readonly LedgerEntry[]> {
    return this.#asked.entries(this.#subject);
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
