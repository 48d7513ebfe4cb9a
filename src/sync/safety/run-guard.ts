import { InvalidInputError } from "../../errors.js";
import type { SnapshotCollection } from "../collections.js";
import type { SyncConfiguration } from "../configuration.js";
import { guardProgress, type OnProgress } from "../progress.js";
import type { ObserverOf } from "../record-observer.js";
import type { CompletionCounts, SnapshotCounts } from "../transport.js";
import { refusalOf } from "./approval.js";
import { checkLedger } from "./check-ledger.js";
import { type GuardRules, resolveGuard } from "./guard-rules.js";
import { GuardedSnapshot, type SnapshotJudgement } from "./guarded-snapshot.js";
import { type Held, holdRun } from "./hold.js";
import type { IdTable } from "./id-table.js";
import type { Ledger, LedgerScope } from "./ledger.js";
import type { SafetyOptions } from "./safety-options.js";
import type { SnapshotFigures } from "./snapshot-figures.js";

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
  readonly #onProgress: OnProgress;
  /** What attempts that ended had sent. */
  readonly #earlier = new Map<SnapshotCollection, IdTable>();
  #snapshots = new Map<string, GuardedSnapshot>();
  #figures: Partial<Record<SnapshotCollection, SnapshotFigures>> = {};
  /** Collections whose approval is used up when the batch is completed. */
  #approved: GuardedSnapshot[] = [];
  #saved = false;

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

  /** An attempt begins: its batch holds the lock. */
  async begin(batchId: string): Promise<void> {
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
      this.#snapshots.set(collection, await GuardedSnapshot.begin(scope, this.#ledger, batchId));
    }
  }

  /**
   * Everything was sent and accepted: judges it, and keeps its ids before the batch is completed.
   * @throws {RemovalGuardError} a snapshot is held
   * @throws {ConfigurationError} the ledger cannot be written
   */
  async beforeComplete(batchId: string): Promise<void> {
    const held: Held[] = [];
    for (const snapshot of this.#snapshots.values()) {
      const judgement = await this.#judge(snapshot);
      if (judgement !== undefined) held.push({ snapshot, judgement });
    }
    if (held.length > 0) throw await holdRun(batchId, held, this.#ledger, this.#configuration);
    for (const snapshot of this.#snapshots.values()) await snapshot.save();
    // From here on nobody can know whether the batch was completed but by asking for it.
    this.#saved = true;
  }

  /** The batch was completed: what was sent is what is known from now on. */
  async completed({ snapshots }: CompletionCounts): Promise<void> {
    for (const { scope } of this.#snapshots.values())
      this.#tellUnforeseen(scope, snapshots[scope.collection]);
    try {
      for (const snapshot of this.#snapshots.values()) await snapshot.promote();
      for (const { scope } of this.#approved) await this.#ledger?.release(scope);
    } catch (error) {
      this.#configuration.logger.error(
        "saas-management: the batch was completed, but the ledger could not note it; the next run is guarded against both",
        { error },
      );
    }
  }

  /**
   * The batch was given up.
   * @param outcome Whether it is known not to have been completed.
   */
  async givenUp(outcome: "aborted" | "unknown"): Promise<void> {
    for (const { ids, scope } of this.#snapshots.values()) this.#remember(scope, ids.table);
    if (this.#saved && outcome === "unknown") return;
    try {
      for (const snapshot of this.#snapshots.values()) await snapshot.discard();
    } catch (error) {
      this.#configuration.logger.warn(
        "saas-management: the ledger could not forget a batch that was aborted",
        {
          error,
        },
      );
    }
  }

  async #judge(snapshot: GuardedSnapshot): Promise<Held["judgement"] | undefined> {
    const { collection } = snapshot.scope;
    const rules = { rule: this.#rules.ruleOf(collection), requireBaseline: this.#rules.requireBaseline };
    const judgement = await snapshot.judge(rules, this.#earlier.get(collection));
    const { figures, held } = judgement;
    this.#figures = { ...this.#figures, [collection]: figures };
    const refusal = await this.#refusalOf(snapshot, judgement);
    const approved =
      held !== undefined && refusal === undefined && this.#options.approveRemovals !== undefined;
    if (approved) this.#approved.push(snapshot);
    const isHeld = held !== undefined && !approved;
    this.#onProgress({ type: "removals-checked", collection, held: isHeld, ...figures });
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
    if (this.#ledger === undefined) return "there is no ledger that could have kept it";
    if (heldSinceAttempt) return "an earlier attempt of this run had sent more";
    return refusalOf(this.#ledger, approveRemovals, snapshot, held, this.#configuration.clock.now());
  }

  /** A ledger that was lost, or is older than the service's last snapshot, does not see all that goes. */
  #tellUnforeseen({ collection }: LedgerScope, counts: SnapshotCounts | undefined): void {
    const { gone, baseline } = this.#figures[collection] ?? { gone: 0, baseline: "off" };
    const removed = counts?.removed ?? 0;
    if (baseline === "off" || removed <= gone) return;
    this.#configuration.logger.warn(
      "saas-management: the service removed more records than the ledger knew; guard.requireBaseline holds a run whose ledger knows nothing",
      { collection, removed, foreseen: gone, baseline },
    );
  }

  #remember({ collection }: LedgerScope, table: IdTable): void {
    const earlier = this.#earlier.get(collection);
    if (earlier === undefined) this.#earlier.set(collection, table);
    else table.forEach((low, high) => void earlier.add(low, high, 0, 0));
  }
}
