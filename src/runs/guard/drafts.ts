import { raceAbort } from "../../core/abort.js";
import { bestEffort } from "../../sync/call.js";
import { COLLECTIONS } from "../../sync/collections.js";
import type { SyncConfiguration } from "../../sync/options.js";
import { CollectionLedger, type LedgerDraft } from "../ledger/collection-ledger.js";
import { batchToken } from "../ledger/installation-ledger.js";
import { noteUse } from "../ledger/notes.js";
import type { Baseline, LedgerSnapshot } from "../ledger/state.js";
import { ledgerError } from "../ledger/value.js";
import type { Guard } from "./guard.js";
import type { GuardedSnapshot } from "./snapshot.js";

/** The ids of one batch, which holds the lock, on their way to the ledger. */
export class Drafts {
  readonly #guard: Guard;
  readonly #configuration: SyncConfiguration;
  readonly #token: string;
  /** Fires when the batch has ended. */
  readonly #ended: AbortSignal;
  readonly #drafts = new Map<GuardedSnapshot, LedgerDraft>();
  #areSaved = false;
  /** Resolves when it is noted that the approval is used. */
  #used: Promise<void> | undefined;
  #isGivenUp = false;

  constructor(guard: Guard, runId: string, configuration: SyncConfiguration, ended: AbortSignal) {
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
   * Stores the ids, and uses up the approval of the run, before CompleteSyncBatch is sent: from then on the batch may be
   * completed without this run knowing it.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  save(): Promise<void> {
    return raceAbort(this.#save(), this.#ended);
  }

  /** What the ledger is to know of the snapshots, now that the batch was completed: by the wire names of their collections. */
  get completed(): Readonly<Record<string, Baseline>> {
    const { approved, rules } = this.#guard;
    return Object.fromEntries(
      [...this.#drafts].map(([snapshot, { place }]) => {
        const { collection } = snapshot;
        const pasts = snapshot.pastsWith(rules.ruleOf(collection), approved.get(snapshot) ?? []) ?? [];
        return [COLLECTIONS[collection].wireName, { ...place, pasts }];
      }),
    );
  }

  /**
   * Ends a batch that was not completed by this run.
   * @param outcome `completed` if another process completed the batch with some or all of the records. Then, and if the
   *   outcome is unknown, the saved ids stay beside those that were known before.
   */
  async abandon(outcome: "aborted" | "unknown" | "completed"): Promise<void> {
    this.#isGivenUp = true;
    if (!this.#areSaved || outcome === "aborted") await this.#discard(this.#drafts.values());
  }

  async #begin(seen: LedgerSnapshot): Promise<void> {
    const { ledger, snapshots } = this.#guard;
    if (ledger === undefined) return;
    for (const snapshot of snapshots.values()) {
      const { collection, past } = snapshot;
      const own = new CollectionLedger(ledger, collection, this.#ended);
      const draft = await own.draft(seen, this.#token, snapshot.lines(), past).catch(unwritable(collection));
      // The others are discarded already.
      if (this.#ended.aborted) await this.#discard([draft]);
      this.#ended.throwIfAborted();
      this.#drafts.set(snapshot, draft);
    }
  }

  async #save(): Promise<void> {
    const saved = [...this.#drafts].map(([{ collection }, draft]) =>
      draft.save().catch(unwritable(collection)),
    );
    await Promise.all(saved);
    this.#areSaved = true;
    const { approve, approved, ledger } = this.#guard;
    if (ledger === undefined || approve === undefined || approved.size === 0 || this.#isGivenUp) return;
    this.#used = noteUse(ledger, approve, this.#token, true, this.#ended);
    await this.#used.catch(unwritable("the approved snapshots"));
  }

  async #discard(drafts: Iterable<LedgerDraft>): Promise<void> {
    const message = "the ledger could not discard the ids of an aborted batch";
    await bestEffort(this.#configuration, { level: "warn", message }, async (over) => {
      for (const draft of drafts) await draft.discard();
      const { approve, ledger } = this.#guard;
      if (this.#used === undefined || ledger === undefined || approve === undefined) return;
      await this.#used.catch(() => {});
      await noteUse(ledger, approve, this.#token, false, over);
    });
  }
}

function unwritable(what: string): (cause: unknown) => never {
  return (cause) => {
    const advice = "For a fileLedger, check its directory and the free disk space";
    throw ledgerError(`store the ids of ${what}; nothing was completed. ${advice}`, cause);
  };
}
