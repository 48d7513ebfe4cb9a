import { raceAbort } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import type { SyncBatch } from "../batch/sync-batch.js";
import { withinGrace } from "../cleanup-grace.js";
import type { SnapshotCollection } from "../collections.js";
import type { ObserverOf } from "../encoding/record-observer.js";
import type { IdTable } from "../ids/id-table.js";
import { attemptLedger } from "../ledger/attempt-ledger.js";
import { checkLedger } from "../ledger/check-ledger.js";
import type { Ledger, LedgerScope } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import type { SnapshotFigures } from "../progress.js";
import { guardProgress, type OnProgress } from "../progress.js";
import type { CompletionCounts, SnapshotCounts } from "../transport.js";
import { refusalOf } from "./approval.js";
import { type Held, holdRun } from "./hold.js";
import { type GuardRules, resolveGuard } from "./rules.js";
import type { SafetyOptions } from "./safety-options.js";
import { GuardedSnapshot, type SnapshotJudgement } from "./snapshot.js";

/** What the guard of a run needs. */
export interface RunGuardOptions extends SafetyOptions {
  readonly snapshots: readonly SnapshotCollection[];
  readonly installationId: string;
  readonly onProgress?: OnProgress | undefined;
}

/** Guards the snapshots of a run, attempt by attempt. */
export class RunGuard {
  readonly #options: RunGuardOptions;
  readonly #configuration: SyncConfiguration;
  readonly #ledger: Ledger | undefined;
  readonly #rules: GuardRules;
  readonly #onProgress: OnProgress | undefined;
  /** What attempts that ended had sent. */
  readonly #earlier = new Map<SnapshotCollection, IdTable>();
  #snapshots = new Map<string, GuardedSnapshot>();
  #figures: Partial<Record<SnapshotCollection, SnapshotFigures>> = {};
  /** Numbers of ids that the service removes at a completion, also of those that an earlier attempt had sent. */
  readonly #foreseen = new Map<SnapshotCollection, number>();
  /** Collections whose approval is used up when the batch is completed. */
  #approved: GuardedSnapshot[] = [];
  #saved = false;
  /** Fires when the batch of the attempt is of no more use. */
  #ended = new AbortController().signal;
  /** The ledger, for as long as the attempt goes on. */
  #attemptLedger: Ledger | undefined;

  /** @throws {InvalidInputError} an option is wrong */
  constructor(options: RunGuardOptions, configuration: SyncConfiguration) {
    this.#options = options;
    this.#configuration = configuration;
    this.#ledger = checkLedger(options.ledger);
    this.#rules = resolveGuard(options.guard);
    this.#onProgress = guardProgress(options.onProgress, configuration.logger);
    if (this.#ledger === undefined && this.#rules.requireBaseline)
      throw new InvalidInputError('guard.requireBaseline needs a ledger: with "none" there is no baseline.');
    const { approveRemovals } = options;
    if (approveRemovals !== undefined && (typeof approveRemovals !== "string" || approveRemovals === ""))
      throw new InvalidInputError("approveRemovals must be the id that a RemovalGuardError gave.");
  }

  /** Looks at the records of the attempt that goes on. */
  readonly observerOf: ObserverOf = ({ name }) => this.#snapshots.get(name)?.ids;

  /** What was found out about the snapshots of the last attempt. */
  get figures(): Partial<Record<SnapshotCollection, SnapshotFigures>> {
    return this.#figures;
  }

  /** An attempt begins: its batch holds the lock. Rejects with the reason of the batch's signal when that fires. */
  async begin({ id, signal }: Pick<SyncBatch, "id" | "signal">): Promise<void> {
    this.#ended = signal;
    this.#attemptLedger =
      this.#ledger && attemptLedger(this.#ledger, signal, (error) => this.#notForgotten(error));
    this.#snapshots = new Map();
    this.#figures = {};
    this.#approved = [];
    this.#saved = false;
    const { endpoint } = this.#configuration;
    const { installationId, snapshots } = this.#options;
    for (const collection of snapshots) {
      // With neither a guard nor a ledger nobody asks for its ids.
      if (this.#ledger === undefined && this.#rules.ruleOf(collection) === undefined) continue;
      const scope = { endpoint: endpoint.origin, installationId, collection };
      this.#snapshots.set(collection, await GuardedSnapshot.begin(scope, this.#attemptLedger, id));
    }
  }

  /**
   * Everything was sent and accepted: judges it, and keeps its ids before the batch is completed. Rejects with the
   * reason of the batch's signal when that fires, be it in the middle of what the ledger is asked.
   * @throws {RemovalGuardError} a snapshot is held
   * @throws {ConfigurationError} the ledger cannot be written
   */
  beforeComplete(batchId: string): Promise<void> {
    // The next attempt has a signal of its own, and what this one waits for may be answered then.
    const ended = this.#ended;
    return raceAbort(this.#judgeAndSave(batchId, ended), ended);
  }

  async #judgeAndSave(batchId: string, ended: AbortSignal): Promise<void> {
    const held: Held[] = [];
    for (const snapshot of this.#snapshots.values()) {
      const judgement = await this.#judge(snapshot, ended);
      if (judgement !== undefined) held.push({ snapshot, judgement });
    }
    if (held.length > 0)
      throw await holdRun(batchId, held, this.#approved, this.#attemptLedger, this.#configuration);
    for (const snapshot of this.#snapshots.values()) await snapshot.save();
    // From here on nobody can know whether the batch was completed but by asking for it.
    this.#saved = true;
  }

  /** The batch was completed: what was sent is what is known from now on. */
  async completed({ snapshots }: CompletionCounts): Promise<void> {
    for (const { scope } of this.#snapshots.values())
      this.#tellUnforeseen(scope, snapshots[scope.collection]);
    try {
      await withinGrace(this.#configuration.clock, async (over) => {
        const next = async (step: () => Promise<void> | undefined) => {
          over.throwIfAborted();
          await step();
        };
        for (const snapshot of this.#snapshots.values()) await next(() => snapshot.promote());
        for (const { scope } of this.#approved) await next(() => this.#ledger?.release(scope));
      });
    } catch (error) {
      this.#configuration.logger.error(
        "saas-management: the batch was completed, but the ledger could not note it; the next run is guarded against both",
        { error },
      );
    }
  }

  /**
   * The batch was given up.
   * @param outcome Whether it is known not to have been completed. `completed`: by somebody else, with a part of what
   *   was sent or all of it. What was known before stays known then, and what was saved stays beside it.
   */
  async givenUp(outcome: "aborted" | "unknown" | "completed"): Promise<void> {
    const snapshots = [...this.#snapshots.values()];
    // The next attempt may be given up before it begins: these are not its own, and may have been completed.
    this.#snapshots = new Map();
    for (const { ids, scope } of snapshots) this.#remember(scope, ids.table);
    if (this.#saved && outcome !== "aborted") return;
    try {
      await withinGrace(this.#configuration.clock, async () => {
        for (const snapshot of snapshots) await snapshot.discard();
      });
    } catch (error) {
      this.#notForgotten(error);
    }
  }

  #notForgotten(error: unknown): void {
    this.#configuration.logger.warn("saas-management: the ledger could not forget a batch that was aborted", {
      error,
    });
  }

  async #judge(snapshot: GuardedSnapshot, ended: AbortSignal): Promise<Held["judgement"] | undefined> {
    const { collection } = snapshot.scope;
    const rules = { rule: this.#rules.ruleOf(collection), requireBaseline: this.#rules.requireBaseline };
    const judgement = await snapshot.judge(rules, this.#earlier.get(collection));
    // A ledger that did not answer in time looks like one that cannot be read.
    ended.throwIfAborted();
    const refusal = await this.#refusalOf(snapshot, judgement);
    ended.throwIfAborted();
    const { figures, held, compared } = judgement;
    this.#foreseen.set(collection, compared.all.gone);
    this.#figures = { ...this.#figures, [collection]: figures };
    const approved =
      held !== undefined && refusal === undefined && this.#options.approveRemovals !== undefined;
    if (approved) this.#approved.push(snapshot);
    const isHeld = held !== undefined && !approved;
    this.#onProgress?.({ type: "removals-checked", collection, held: isHeld, ...figures });
    this.#configuration.logger.info("saas-management: removals checked", {
      collection,
      held: isHeld,
      ...figures,
    });
    return isHeld ? { ...judgement, collection, held, refusal } : undefined;
  }

  /** Why the approval that was given does not cover what is held; undefined where it does, or where none was given. */
  async #refusalOf(
    snapshot: GuardedSnapshot,
    { held, heldSinceAttempt }: SnapshotJudgement,
  ): Promise<string | undefined> {
    const { approveRemovals } = this.#options;
    if (approveRemovals === undefined || held === undefined) return undefined;
    const ledger = this.#attemptLedger;
    if (ledger === undefined) return "there is no ledger that could have kept it";
    if (heldSinceAttempt) return "an earlier attempt of this run had sent more";
    const rule = this.#rules.ruleOf(snapshot.scope.collection);
    // Where the guard is off, nothing is held.
    if (rule === undefined) return undefined;
    const now = this.#configuration.clock.now();
    return refusalOf(ledger, approveRemovals, snapshot, held, { rule, now });
  }

  /** A ledger that was lost, or is older than the service's last snapshot, does not see all that goes. */
  #tellUnforeseen({ collection }: LedgerScope, counts: SnapshotCounts | undefined): void {
    const { baseline } = this.#figures[collection] ?? { baseline: "off" };
    const foreseen = this.#foreseen.get(collection) ?? 0;
    const removed = counts?.removed ?? 0;
    if (baseline === "off" || removed <= foreseen) return;
    this.#configuration.logger.warn(
      "saas-management: the service removed more records than the ledger knew; guard.requireBaseline holds a run whose ledger knows nothing",
      { collection, removed, foreseen, baseline },
    );
  }

  #remember({ collection }: LedgerScope, table: IdTable): void {
    const earlier = this.#earlier.get(collection);
    if (earlier === undefined) this.#earlier.set(collection, table);
    else table.forEach((low, high) => void earlier.add(low, high, 0, 0));
  }
}
