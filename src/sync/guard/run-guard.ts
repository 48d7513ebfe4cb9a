import { raceAbort } from "../../core/abort.js";
import { type HeldReason, InvalidInputError, type SnapshotDiff } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../collections.js";
import type { ObserverOf } from "../encoding/record-observer.js";
import { CollectionLedger } from "../ledger/collection-ledger.js";
import type { InstallationScope, Lines } from "../ledger/entry.js";
import { batchToken } from "../ledger/keys.js";
import { type LedgerParts, requireLedger } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import type { CompletionCounts } from "../transport.js";
import type { Held } from "./approval.js";
import { surprisesOf } from "./comparison.js";
import { LedgerNotes } from "./ledger-notes.js";
import { type ResolvedGuard, resolveGuard } from "./rules.js";
import { GuardedSnapshot } from "./snapshot.js";
import { SnapshotDraft } from "./snapshot-draft.js";
import { type JudgedRun, SnapshotJudge } from "./snapshot-judge.js";

export interface RunGuardOptions extends JudgedRun {
  readonly snapshots: readonly SnapshotCollection[];
  /** Begins the tokens of the run's batches in the ledger. */
  readonly runId: string;
}

/** Where the lines of ids are kept until they go to the ledger. */
export interface IdLog {
  appendLines(collection: SnapshotCollection, lines: Uint8Array, done: () => void): void;
  lines(collection: SnapshotCollection): Lines;
}

/** Guards what a connector has written: all snapshots are judged once, before anything is sent, and then promoted. */
export class RunGuard {
  readonly #options: RunGuardOptions;
  readonly #configuration: SyncConfiguration;
  readonly #ledger: LedgerParts | undefined;
  readonly #scope: InstallationScope;
  readonly #rules: ResolvedGuard;
  readonly #notes: LedgerNotes;
  readonly #judge: SnapshotJudge;
  readonly #ids: IdLog;
  readonly #ended: AbortSignal;
  readonly #snapshots = new Map<string, GuardedSnapshot>();
  /** Those of the batch that is open. */
  #drafts = new Map<GuardedSnapshot, SnapshotDraft>();
  #isSaved = false;
  #surprises: readonly string[] = [];

  /** @param ended Fires when the run has ended: the ledger is asked nothing more. */
  constructor(options: RunGuardOptions, configuration: SyncConfiguration, ids: IdLog, ended: AbortSignal) {
    this.#ended = ended;
    this.#options = options;
    this.#configuration = configuration;
    this.#ids = ids;
    this.#ledger = requireLedger(options.ledger);
    this.#scope = { endpoint: configuration.endpoint.origin, installationId: options.installationId };
    this.#rules = resolveGuard(options.guard, configuration.clock.now());
    const { approve } = options;
    if (approve !== undefined && (typeof approve !== "string" || approve === ""))
      throw new InvalidInputError("approve must be the approval id of a RunHeldError.");
    this.#notes = new LedgerNotes(this.#ledger, this.#scope, configuration, approve);
    this.#judge = new SnapshotJudge(options, this.#rules, this.#ledger, configuration);
    for (const collection of options.snapshots) {
      // Without a guard and a ledger, nobody needs the ids.
      if (this.#ledger === undefined && this.#rules.ruleOf(collection) === undefined) continue;
      const ledger = this.#ledgerOf(collection);
      const write =
        ledger && ((lines: Uint8Array, done: () => void) => ids.appendLines(collection, lines, done));
      const lines = () => ids.lines(collection);
      this.#snapshots.set(collection, new GuardedSnapshot({ collection, ledger, write, lines }));
    }
  }

  readonly observerOf: ObserverOf = ({ name }) => this.#snapshots.get(name)?.ids;

  /** Differences between the ledger and what the service says of the completed batch. */
  get surprises(): readonly string[] {
    return this.#surprises;
  }

  get figures(): Partial<Record<SnapshotCollection, SnapshotDiff>> {
    return this.#judge.figures;
  }

  get approvedRules(): Partial<Record<SnapshotCollection, readonly HeldReason["rule"][]>> {
    return Object.fromEntries(
      [...this.#judge.approved].map(([{ collection }, rules]) => [collection, rules]),
    );
  }

  /** Whether snapshots are judged, and not only recorded. */
  get isOn(): boolean {
    return this.#rules.isOn;
  }

  /** Stores the last ids: the connector has returned. */
  flush(): void {
    for (const { ids } of this.#snapshots.values()) ids.flush();
  }

  /**
   * Judges all snapshots together. Rejects with the reason of the run's signal when that fires: a ledger may never answer.
   * @throws {RunHeldError} one of them is held
   */
  async judge(): Promise<void> {
    const ended = this.#ended;
    const held: Held[] = [];
    for (const snapshot of this.#snapshots.values()) {
      const one = await raceAbort(this.#judge.judgementOf(snapshot, ended), ended);
      if (one !== undefined) held.push(one);
    }
    if (held.length > 0) throw await raceAbort(this.#judge.hold(held, ended), ended);
    // Nobody needs the hashes any more.
    for (const { ids } of this.#snapshots.values()) ids.table.clear();
  }

  /**
   * Starts to store the ids of a batch, which holds the lock. Rejects with the reason of its signal when that fires.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  draft(ended: AbortSignal): Promise<void> {
    this.#drafts = new Map();
    this.#isSaved = false;
    return raceAbort(this.#draft(batchToken(this.#options.runId), ended), ended);
  }

  /**
   * Stores the ids before CompleteSyncBatch is sent: from then on the batch may be completed without this run knowing it.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  save(ended: AbortSignal): Promise<void> {
    const saved = [...this.#drafts.values()].map((draft) => draft.save());
    const all = Promise.all(saved).then(() => {
      this.#isSaved = true;
    });
    return raceAbort(all, ended);
  }

  /** Makes the ids that were sent the known ones: the batch was completed. */
  async completed(counts: CompletionCounts): Promise<void> {
    this.#surprises = [...this.#judge.expectedRemovals].flatMap(([collection, expected]) =>
      this.figures[collection]?.baseline === "off"
        ? []
        : surprisesOf(collection, expected, counts[collection]?.removed ?? 0),
    );
    for (const surprise of this.#surprises) this.#configuration.logger.error(`saas-management: ${surprise}`);
    await this.#notes.completed(async (over) => {
      for (const [snapshot, draft] of this.#drafts) {
        over.throwIfAborted();
        const rule = this.#rules.ruleOf(snapshot.collection);
        const isApproved = this.approvedRules[snapshot.collection] !== undefined;
        await draft.promote(snapshot.historyWith(rule, isApproved));
      }
    });
  }

  /**
   * Ends a batch that was not completed by this run.
   * @param outcome `completed` if another process completed the batch with some or all of the records. Then, and if the
   *   outcome is unknown, the saved ids stay beside those that were known before.
   */
  async givenUp(outcome: "aborted" | "unknown" | "completed"): Promise<void> {
    const drafts = [...this.#drafts.values()];
    this.#drafts = new Map();
    if (this.#isSaved && outcome !== "aborted") return;
    await this.#notes.discard(drafts);
  }

  #ledgerOf(collection: SnapshotCollection, ended = this.#ended): CollectionLedger | undefined {
    return this.#ledger && new CollectionLedger(this.#ledger, { ...this.#scope, collection }, ended);
  }

  async #draft(token: string, ended: AbortSignal): Promise<void> {
    for (const snapshot of this.#snapshots.values()) {
      const { collection, past } = snapshot;
      const draft = new SnapshotDraft(this.#ledgerOf(collection, ended));
      await draft.begin(token, this.#ids.lines(collection), past);
      if (ended.aborted) {
        await this.#notes.discard([draft]);
        throw ended.reason;
      }
      this.#drafts.set(snapshot, draft);
    }
  }
}
