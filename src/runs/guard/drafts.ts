import { raceAbort } from "../../core/abort.js";
import { bestEffort } from "../../sync/call.js";
import { COLLECTIONS, type Collection, type SnapshotCollection } from "../../sync/collections.js";
import type { SyncConfiguration } from "../../sync/options.js";
import {
  CollectionLedger,
  type LedgerDraft,
  type Lists,
  type SnapshotLines,
} from "../ledger/collection-ledger.js";
import type { Baselines } from "../ledger/holds.js";
import { batchToken } from "../ledger/installation-ledger.js";
import type { PastSnapshot } from "../ledger/past.js";
import type { Baseline, LedgerSnapshot } from "../ledger/state.js";
import { type Lines, ledgerError } from "../ledger/value.js";
import type { Guard } from "./guard.js";
import type { GuardedSnapshot } from "./snapshot.js";

export interface CompletedDrafts {
  /** That of the batch. */
  readonly token: string;
  /** By the wire names of the collections; with events of which the ids are kept. */
  readonly snapshots: Baselines;
  /** Where the ids are listed that were removed and added. */
  readonly lists: Partial<Record<SnapshotCollection, Lists<string>>>;
}

/** Events of which the ids are kept, and their lines. */
export interface EventLines {
  readonly collections: readonly Collection[];
  lines(collection: Collection): Lines;
}

/** The ids of one batch, which holds the lock, on their way to the ledger. */
export class Drafts {
  readonly #guard: Guard;
  readonly #configuration: SyncConfiguration;
  readonly #token: string;
  /** Fires when the batch has ended. */
  readonly #ended: AbortSignal;
  readonly #drafts = new Map<GuardedSnapshot, LedgerDraft>();
  readonly #eventDrafts = new Map<Collection, LedgerDraft>();
  readonly #events: EventLines;
  #areSaved = false;

  constructor(
    guard: Guard,
    events: EventLines,
    runId: string,
    configuration: SyncConfiguration,
    ended: AbortSignal,
  ) {
    this.#events = events;
    this.#guard = guard;
    this.#configuration = configuration;
    this.#token = batchToken(runId);
    this.#ended = ended;
  }

  /**
   * Starts to store the ids. Rejects with the reason of the batch's signal when that fires.
   * @param seen What the ledger has, now that nobody else has the lock.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  begin(seen: LedgerSnapshot): Promise<void> {
    return raceAbort(this.#begin(seen), this.#ended);
  }

  /**
   * Stores the ids before CompleteSyncBatch is sent: from then on the batch may be completed without this run knowing it.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  save(): Promise<void> {
    return raceAbort(this.#save(), this.#ended);
  }

  /** What the ledger is to know of the batch, now that it was completed. */
  get completed(): CompletedDrafts {
    const { approved, rules } = this.#guard;
    const snapshots: Record<string, Baseline> = {};
    const lists: CompletedDrafts["lists"] = {};
    for (const [snapshot, draft] of this.#drafts) {
      const { collection } = snapshot;
      const pasts = snapshot.pastsWith(rules.ruleOf(collection), approved.get(snapshot) ?? []) ?? [];
      snapshots[COLLECTIONS[collection].wireName] = { ...draft.place, pasts };
      if (Object.keys(draft.lists).length > 0) lists[collection] = draft.lists;
    }
    for (const [collection, { place }] of this.#eventDrafts)
      snapshots[COLLECTIONS[collection].wireName] = { ...place, pasts: [] };
    return { token: this.#token, snapshots, lists };
  }

  /**
   * Ends a batch that was not completed by this run.
   * @param outcome `completed` if another process completed the batch with some or all of the records. Then, and if the
   *   outcome is unknown, the saved ids stay beside those that were known before.
   */
  async abandon(outcome: "aborted" | "unknown" | "completed"): Promise<void> {
    if (!this.#areSaved || outcome === "aborted")
      await this.#discard([...this.#drafts.values(), ...this.#eventDrafts.values()]);
  }

  async #begin(seen: LedgerSnapshot): Promise<void> {
    const { ledger, snapshots } = this.#guard;
    if (ledger === undefined) return;
    for (const snapshot of snapshots.values()) {
      const { collection, lines, lists, past } = snapshot;
      const own = new CollectionLedger(ledger, collection, this.#ended);
      this.#drafts.set(snapshot, await this.#draft(own, seen, { lines, lists }, past));
    }
    for (const collection of this.#events.collections) {
      const own = new CollectionLedger(ledger, collection, this.#ended);
      const lines = () => this.#events.lines(collection);
      this.#eventDrafts.set(collection, await this.#draft(own, seen, { lines, lists: {} }));
    }
  }

  async #draft(
    ledger: CollectionLedger,
    seen: LedgerSnapshot,
    lines: SnapshotLines,
    past?: PastSnapshot,
  ): Promise<LedgerDraft> {
    const draft = await ledger.draft(seen, this.#token, lines, past).catch(unwritable(ledger.collection));
    // The others are discarded already.
    if (this.#ended.aborted) await this.#discard([draft]);
    this.#ended.throwIfAborted();
    return draft;
  }

  async #save(): Promise<void> {
    const drafts = [
      ...[...this.#drafts].map(([{ collection }, draft]) => ({ collection, draft })),
      ...[...this.#eventDrafts].map(([collection, draft]) => ({ collection, draft })),
    ];
    const saved = drafts.map(({ collection, draft }) => draft.save().catch(unwritable(collection)));
    await Promise.all(saved);
    this.#areSaved = true;
  }

  async #discard(drafts: Iterable<LedgerDraft>): Promise<void> {
    const message = "the ledger could not discard the ids of an aborted batch";
    await bestEffort(this.#configuration, { level: "warn", message }, async () => {
      for (const draft of drafts) await draft.discard();
    });
  }
}

function unwritable(what: string): (cause: unknown) => never {
  return (cause) => {
    const advice = "For a fileLedger, check its directory and the free disk space";
    throw ledgerError(`store the ids of ${what}; nothing was completed. ${advice}`, cause);
  };
}
