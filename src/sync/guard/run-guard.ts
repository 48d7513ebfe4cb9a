import { raceAbort } from "../../core/abort.js";
import { type HeldReason, InvalidInputError, type SnapshotDiff } from "../../core/errors/index.js";
import type { SyncBatch } from "../batch/sync-batch.js";
import type { CollectionInfo, SnapshotCollection } from "../collections.js";
import type { EncodedRecords } from "../encoding/encoded-records.js";
import type { ObserverOf } from "../encoding/record-observer.js";
import type { IdTable } from "../ids/id-table.js";
import { CollectionLedger } from "../ledger/collection-ledger.js";
import type { InstallationScope } from "../ledger/entry.js";
import { batchToken } from "../ledger/keys.js";
import { type LedgerParts, requireLedger } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import type { CompletionCounts } from "../transport.js";
import type { Held } from "./approval.js";
import { observeBlocks } from "./blocks.js";
import { surprisesOf } from "./comparison.js";
import { LedgerNotes } from "./ledger-notes.js";
import { promoteBatch } from "./promote-batch.js";
import { type ResolvedGuard, resolveGuard } from "./rules.js";
import { GuardedSnapshot } from "./snapshot.js";
import type { SnapshotIds } from "./snapshot-ids.js";
import { type JudgedRun, SnapshotJudge } from "./snapshot-judge.js";
import { isAboutBaseline } from "./unknown-baseline.js";

export interface RunGuardOptions extends JudgedRun {
  readonly snapshots: readonly SnapshotCollection[];
}

/** Records that are known before anything is sent: those of a staged run. */
export interface StagedRecords {
  /** What the run consists of and is compared with: see {@link Approval.boundTo}. */
  readonly boundTo: string;
  blocks(collection: SnapshotCollection): AsyncIterable<EncodedRecords>;
  /** The ids of a collection, if they were collected before. */
  observed(collection: SnapshotCollection): SnapshotIds | undefined;
  /** Names a record, for messages. */
  placeOf(collection: SnapshotCollection, index: number): string;
}

/** Guards the snapshots of a run, attempt by attempt. */
export class RunGuard {
  readonly #options: RunGuardOptions;
  readonly #configuration: SyncConfiguration;
  readonly #ledger: LedgerParts | undefined;
  readonly #scope: InstallationScope;
  readonly #rules: ResolvedGuard;
  readonly #notes: LedgerNotes;
  readonly #earlier = new Map<SnapshotCollection, IdTable>();
  #judge: SnapshotJudge;
  /** The snapshots of a staged run, which were judged before the first attempt. */
  #staged: ReadonlyMap<string, GuardedSnapshot> | undefined;
  #snapshots = new Map<string, GuardedSnapshot>();
  #surprises: readonly string[] = [];
  #token = "";
  #saved = false;
  #ended = new AbortController().signal;

  constructor(options: RunGuardOptions, configuration: SyncConfiguration) {
    this.#options = options;
    this.#configuration = configuration;
    this.#ledger = requireLedger(options.ledger);
    this.#scope = { endpoint: configuration.endpoint.origin, installationId: options.installationId };
    this.#rules = resolveGuard(options.guard, configuration.clock.now());
    const { approve } = options;
    if (approve !== undefined && (typeof approve !== "string" || approve === ""))
      throw new InvalidInputError("approve must be the approval id of a RunHeldError.");
    this.#notes = new LedgerNotes(this.#ledger, this.#scope, configuration, approve);
    this.#judge = this.#newJudge();
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

  /** Fires with the error when a snapshot of the attempt is held. */
  get held(): AbortSignal {
    return this.#judge.held;
  }

  /** That of the attempt's batch in the ledger. */
  get token(): string {
    return this.#token;
  }

  /**
   * Judges the snapshots of a staged run, before anything is sent. Attempts that follow only collect their ids.
   * @param ended Ends the reading with its reason.
   * @throws {RunHeldError} a snapshot is held
   * @throws {InvalidInputError} two records have the same id and different contents
   */
  async judgeStaged(records: StagedRecords, ended: AbortSignal): Promise<void> {
    this.#staged = undefined;
    this.#judge = this.#newJudge(records.boundTo);
    const held: Held[] = [];
    const staged = new Map<string, GuardedSnapshot>();
    for (const collection of this.#guarded()) {
      const observed = records.observed(collection);
      const snapshot = new GuardedSnapshot({
        collection,
        observed,
        ledger: this.#ledgerOf(collection, ended),
        ended,
        blocks: () => records.blocks(collection),
        placeOf: (index) => records.placeOf(collection, index),
      });
      if (observed === undefined) await observeBlocks(collection, records.blocks(collection), snapshot.ids);
      const one = await this.#judge.judgementOf(snapshot, undefined, ended);
      if (one !== undefined) held.push(one);
      staged.set(collection, snapshot);
    }
    if (held.length > 0) throw await this.#judge.hold(held, ended);
    for (const { ids } of staged.values()) ids.table.clear();
    this.#staged = staged;
  }

  /** Begins an attempt, whose batch holds the lock. Rejects with the reason of the batch's signal when that fires. */
  begin({ signal }: Pick<SyncBatch, "signal">): Promise<void> {
    this.#ended = signal;
    this.#snapshots = new Map();
    if (this.#staged === undefined) this.#judge = this.#newJudge();
    this.#token = batchToken(this.#options.runId);
    this.#saved = false;
    return raceAbort(this.#draft(signal), signal);
  }

  /**
   * Judges a snapshot of which everything was accepted. What only the end of the run can show waits for it.
   * @throws {RunHeldError} the snapshot is held
   */
  readonly sealed = async ({ name }: Pick<CollectionInfo, "name">): Promise<void> => {
    const ended = this.#ended;
    const snapshot = this.#snapshots.get(name);
    if (snapshot !== undefined && this.#staged === undefined)
      await raceAbort(this.#judgeSealed(snapshot, ended), ended);
  };

  /**
   * Judges the other snapshots, which were sent and accepted, and saves their ids before the batch is completed. Rejects with
   * the reason of the batch's signal when that fires: a ledger may never answer.
   * @throws {RunHeldError} a snapshot is held
   * @throws {ConfigurationError} the ledger cannot be written
   */
  beforeComplete(): Promise<void> {
    const ended = this.#ended;
    return raceAbort(this.#judgeAndSave(ended), ended);
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
      for (const snapshot of this.#snapshots.values()) {
        over.throwIfAborted();
        const rule = this.#rules.ruleOf(snapshot.collection);
        await snapshot.promote(rule, this.approvedRules[snapshot.collection] !== undefined);
      }
    });
  }

  /** The same for a batch of the run that another attempt has sent. @param token That of the batch. */
  async completedBefore(token: string): Promise<void> {
    const { snapshots: collections, approve } = this.#options;
    const ledger = this.#ledger;
    await this.#notes.completed(async () => {
      if (ledger !== undefined)
        await promoteBatch(ledger, this.#scope, this.#rules, { token, collections, approve });
    });
  }

  /**
   * Ends an attempt whose batch was not completed by this run.
   * @param outcome `completed` if another process completed the batch with some or all of the records. Then, and if the
   *   outcome is unknown, the saved ids stay beside those that were known before.
   */
  async givenUp(outcome: "aborted" | "unknown" | "completed"): Promise<void> {
    const snapshots = [...this.#snapshots.values()];
    // The next attempt may be given up before it begins.
    this.#snapshots = new Map();
    // Attempts of a staged run send the same.
    if (this.#staged === undefined)
      for (const { ids, collection } of snapshots) this.#remember(collection, ids.table);
    if (this.#saved && outcome !== "aborted") return;
    await this.#notes.discard(snapshots);
  }

  #newJudge(boundTo?: string): SnapshotJudge {
    return new SnapshotJudge({ ...this.#options, boundTo }, this.#rules, this.#ledger, this.#configuration);
  }

  /** Without a guard and a ledger, nobody needs the ids. */
  #guarded(): readonly SnapshotCollection[] {
    return this.#options.snapshots.filter(
      (collection) => this.#ledger !== undefined || this.#rules.ruleOf(collection) !== undefined,
    );
  }

  #ledgerOf(collection: SnapshotCollection, ended: AbortSignal): CollectionLedger | undefined {
    return this.#ledger && new CollectionLedger(this.#ledger, { ...this.#scope, collection }, ended);
  }

  async #draft(ended: AbortSignal): Promise<void> {
    for (const collection of this.#guarded()) {
      const parts = { collection, ledger: this.#ledgerOf(collection, ended), ended };
      const snapshot = new GuardedSnapshot(parts, this.#staged?.get(collection));
      await snapshot.draft.begin(this.#token);
      if (ended.aborted) {
        await this.#notes.discard([snapshot]);
        throw ended.reason;
      }
      this.#snapshots.set(collection, snapshot);
    }
  }

  async #judgeAndSave(ended: AbortSignal): Promise<void> {
    const held: Held[] = [];
    if (this.#staged === undefined)
      for (const snapshot of this.#snapshots.values()) {
        const one = await this.#judgementOf(snapshot, ended);
        if (one !== undefined) held.push(one);
      }
    if (held.length > 0) throw await this.#judge.hold(held, ended);
    for (const snapshot of this.#snapshots.values()) await snapshot.save();
    // From now on, the batch may be completed without this run knowing it.
    this.#saved = true;
  }

  async #judgeSealed(snapshot: GuardedSnapshot, ended: AbortSignal): Promise<void> {
    const held = await this.#judgementOf(snapshot, ended);
    if (held !== undefined && !held.judgement.findings.some(isAboutBaseline))
      throw await this.#judge.hold([held], ended);
  }

  #judgementOf(snapshot: GuardedSnapshot, ended: AbortSignal): Promise<Held | undefined> {
    return this.#judge.judgementOf(snapshot, this.#earlier.get(snapshot.collection), ended);
  }

  #remember(collection: SnapshotCollection, table: IdTable): void {
    const earlier = this.#earlier.get(collection);
    if (earlier === undefined) this.#earlier.set(collection, table);
    else table.forEach((low, high) => void earlier.add(low, high, 0, 0));
  }
}
