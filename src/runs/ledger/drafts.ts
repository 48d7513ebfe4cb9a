import { raceAbort } from "../../core/abort.js";
import { bestEffort } from "../../sync/call.js";
import { COLLECTIONS, type Collection } from "../../sync/collections.js";
import type { SyncConfiguration } from "../../sync/options.js";
import { CollectionLedger, type LedgerDraft, type Lists, type SnapshotLines } from "./collection-ledger.js";
import { batchToken, type InstallationLedger } from "./installation-ledger.js";
import type { Baselines } from "./notes.js";
import type { PastSnapshot, PastSnapshots } from "./past.js";
import type { Baseline, LedgerSnapshot } from "./state.js";

/** The ids of a collection that a batch sends. */
export interface SentIds extends SnapshotLines {
  readonly collection: Collection;
  /** What to remember of a snapshot. */
  readonly past?: PastSnapshot | undefined;
}

/** The ids of one batch, which holds the lock, on their way to the ledger. */
export class Drafts {
  /** That of the batch. */
  readonly token: string;
  readonly #drafts = new Map<Collection, LedgerDraft>();
  readonly #configuration: SyncConfiguration;
  /** Fires when the batch has ended. */
  readonly #ended: AbortSignal;
  #areSaved = false;

  constructor(runId: string, configuration: SyncConfiguration, ended: AbortSignal) {
    this.token = batchToken(runId);
    this.#configuration = configuration;
    this.#ended = ended;
  }

  /** Where the ids are listed that were removed and added. */
  get lists(): Partial<Record<Collection, Lists<string>>> {
    return Object.fromEntries([...this.#drafts].map(([collection, { lists }]) => [collection, lists]));
  }

  /** What the ledger is to know of the batch, now that it was completed, by the wire names of the collections. */
  baselines(pastsOf: (collection: Collection) => PastSnapshots): Baselines {
    const all = [...this.#drafts].map(([collection, { place }]): readonly [string, Baseline] => [
      COLLECTIONS[collection].wireName,
      { ...place, pasts: pastsOf(collection) },
    ]);
    return Object.fromEntries(all);
  }

  /**
   * Starts to store the ids. Rejects with the reason of the batch's signal when that fires.
   * @param ledger Undefined if the run has none.
   * @param seen What the ledger has, now that nobody else has the lock.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  async begin(
    ledger: InstallationLedger | undefined,
    seen: LedgerSnapshot,
    sent: Iterable<SentIds>,
  ): Promise<void> {
    if (ledger !== undefined) await raceAbort(this.#begin(ledger, seen, sent), this.#ended);
  }

  /**
   * Stores the ids before CompleteSyncBatch is sent: from then on the batch may be completed without this run knowing
   * it.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  async save(): Promise<void> {
    const saving = [...this.#drafts.values()].map((draft) => draft.save());
    await raceAbort(Promise.all(saving), this.#ended);
    this.#areSaved = true;
  }

  /**
   * Ends a batch that was not completed by this run.
   * @param outcome `completed` if another process completed the batch with some or all of the records. Then, and if the
   *   outcome is unknown, the saved ids stay beside those that were known before.
   */
  async abandon(outcome: "aborted" | "unknown" | "completed"): Promise<void> {
    if (!this.#areSaved || outcome === "aborted") await this.#discard(this.#drafts.values());
  }

  async #begin(ledger: InstallationLedger, seen: LedgerSnapshot, sent: Iterable<SentIds>): Promise<void> {
    for (const ids of sent) {
      const own = new CollectionLedger(ledger, ids.collection, this.#ended);
      const draft = await own.draft(seen, this.token, ids, ids.past);
      // The others are discarded already.
      if (this.#ended.aborted) await this.#discard([draft]);
      this.#ended.throwIfAborted();
      this.#drafts.set(ids.collection, draft);
    }
  }

  async #discard(drafts: Iterable<LedgerDraft>): Promise<void> {
    const message = "could not delete the ids of an aborted batch from the ledger";
    await bestEffort(this.#configuration, { level: "warn", message }, async () => {
      for (const draft of drafts) await draft.discard();
    });
  }
}
