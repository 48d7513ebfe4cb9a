import { raceAbort } from "../../core/abort.js";
import { bestEffort } from "../../sync/call.js";
import { COLLECTIONS, type Collection } from "../../sync/collections.js";
import type { SyncConfiguration } from "../../sync/options.js";
import { CollectionLedger, type Lists, type SnapshotLines, type StoredIds } from "./collection-ledger.js";
import { batchToken, type InstallationLedger } from "./installation-ledger.js";
import type { Baselines } from "./notes.js";
import type { PastSnapshots } from "./past.js";
import type { Baseline, LedgerSnapshot } from "./state.js";

/** The ids of a collection that a batch sends. */
export interface SentIds extends SnapshotLines {
  readonly collection: Collection;
}

/** The ids that one batch, which holds the lock, has sent. */
export class BatchIds {
  /** That of the batch. */
  readonly token: string;
  readonly #stored = new Map<Collection, StoredIds>();
  readonly #configuration: SyncConfiguration;
  /** Fires when the batch has ended. */
  readonly #ended: AbortSignal;
  #ledgers: readonly CollectionLedger[] = [];
  #saving: Promise<unknown> = Promise.resolve();
  #areSaved = false;

  constructor(runId: string, configuration: SyncConfiguration, ended: AbortSignal) {
    this.token = batchToken(runId);
    this.#configuration = configuration;
    this.#ended = ended;
  }

  /** Where to find the lists of removed and added ids. */
  get lists(): Partial<Record<Collection, Lists<string>>> {
    return Object.fromEntries([...this.#stored].map(([collection, { lists }]) => [collection, lists]));
  }

  /** What the ledger is to know of the batch, now that it was completed, by the wire names of the collections. */
  baselines(pastsOf: (collection: Collection) => PastSnapshots): Baselines {
    const all = [...this.#stored].map(([collection, { place }]): readonly [string, Baseline] => [
      COLLECTIONS[collection].wireName,
      { ...place, pasts: pastsOf(collection) },
    ]);
    return Object.fromEntries(all);
  }

  /**
   * Stores the ids before CompleteSyncBatch is sent: from then on the batch may be completed without this run knowing
   * it. Rejects with the reason of the batch's signal when that fires.
   * @param ledger Undefined if the run has none.
   * @param seen What the ledger has, now that nobody else has the lock.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  async save(
    ledger: InstallationLedger | undefined,
    seen: LedgerSnapshot,
    sent: Iterable<SentIds>,
  ): Promise<void> {
    if (ledger === undefined) return;
    const saving = [...sent].map(async (ids) => {
      const own = new CollectionLedger(ledger, ids.collection, this.#ended);
      this.#ledgers = [...this.#ledgers, own];
      this.#stored.set(ids.collection, await own.put("ids", seen, this.token, ids));
    });
    this.#saving = Promise.allSettled(saving);
    await raceAbort(Promise.all(saving), this.#ended);
    this.#areSaved = true;
  }

  /**
   * Ends a batch that was not completed by this run.
   * @param outcome `completed` if another process completed the batch with some or all of the records. Then, and if the
   *   outcome is unknown, the saved ids stay beside those that were known before.
   */
  async abandon(outcome: "aborted" | "unknown" | "completed"): Promise<void> {
    if (this.#areSaved && outcome !== "aborted") return;
    const message = "could not delete the ids of an aborted batch from the ledger";
    await bestEffort(this.#configuration, { level: "warn", message }, async () => {
      await this.#saving;
      for (const ledger of this.#ledgers) await ledger.discard();
    });
  }
}
