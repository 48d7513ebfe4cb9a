import { raceAbort } from "../../core/abort.js";
import {
  type HeldReason,
  InvalidInputError,
  type RunHeldError,
  type SnapshotDiff,
} from "../../core/errors/index.js";
import type { SyncBatch } from "../batch/sync-batch.js";
import { withinGrace } from "../call.js";
import type { CollectionInfo, SnapshotCollection } from "../collections.js";
import type { ObserverOf } from "../encoding/record-observer.js";
import type { IdTable } from "../ids/id-table.js";
import { CollectionLedger } from "../ledger/collection-ledger.js";
import type { InstallationScope } from "../ledger/entry.js";
import { knowsInstallation, releaseApproval } from "../ledger/installation.js";
import { type Ledger, type LedgerParts, requireLedger } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import type { OnProgress } from "../progress.js";
import type { CompletionCounts } from "../transport.js";
import { approvalProblem, type Held, holdRun } from "./approval.js";
import { surprisesOf } from "./comparison.js";
import { locationOf } from "./first-run.js";
import { type JudgeOptions, type ResolvedGuard, resolveGuard } from "./rules.js";
import { discard, GuardedSnapshot, type SnapshotJudgement } from "./snapshot.js";
import { isAboutBaseline } from "./unknown-baseline.js";

export interface RunGuardOptions extends JudgeOptions {
  readonly ledger: Ledger | "none";
  readonly snapshots: readonly SnapshotCollection[];
  readonly installationId: string;
  readonly onProgress?: OnProgress | undefined;
}

/** Guards the snapshots of a run, attempt by attempt. */
export class RunGuard {
  readonly #options: RunGuardOptions;
  readonly #configuration: SyncConfiguration;
  readonly #ledger: LedgerParts | undefined;
  readonly #scope: InstallationScope;
  readonly #rules: ResolvedGuard;
  readonly #earlier = new Map<SnapshotCollection, IdTable>();
  #snapshots = new Map<string, GuardedSnapshot>();
  #figures: Partial<Record<SnapshotCollection, SnapshotDiff>> = {};
  /** Numbers of ids that a completion removes, including those that earlier attempts sent. */
  readonly #expectedRemovals = new Map<SnapshotCollection, number>();
  /** Snapshots whose approval is used when the batch is completed, and the rules that they break. */
  #approved = new Map<GuardedSnapshot, readonly HeldReason["rule"][]>();
  #surprises: readonly string[] = [];
  readonly #judged = new Map<GuardedSnapshot, Promise<Held | undefined>>();
  #held = new AbortController();
  #holding: Promise<RunHeldError> | undefined;
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
  }

  readonly observerOf: ObserverOf = ({ name }) => this.#snapshots.get(name)?.ids;

  /** Differences between the ledger and what the service says of the completed batch. */
  get surprises(): readonly string[] {
    return this.#surprises;
  }

  get figures(): Partial<Record<SnapshotCollection, SnapshotDiff>> {
    return this.#figures;
  }

  get approvedRules(): Partial<Record<SnapshotCollection, readonly HeldReason["rule"][]>> {
    return Object.fromEntries([...this.#approved].map(([{ collection }, rules]) => [collection, rules]));
  }

  /** Begins an attempt, whose batch holds the lock. Rejects with the reason of the batch's signal when that fires. */
  begin({ signal }: Pick<SyncBatch, "signal">): Promise<void> {
    this.#ended = signal;
    this.#snapshots = new Map();
    this.#figures = {};
    this.#approved = new Map();
    this.#judged.clear();
    this.#holding = undefined;
    this.#held = new AbortController();
    this.#saved = false;
    return raceAbort(this.#draft(signal), signal);
  }

  /** Whether snapshots are judged, and not only recorded. */
  get isOn(): boolean {
    return this.#rules.isOn;
  }

  /** Fires with the error when a snapshot of the attempt is held. */
  get held(): AbortSignal {
    return this.#held.signal;
  }

  /**
   * Judges a snapshot of which everything was accepted. What only the end of the run can show waits for it.
   * @throws {RunHeldError} the snapshot is held
   */
  readonly sealed = async ({ name }: Pick<CollectionInfo, "name">): Promise<void> => {
    const ended = this.#ended;
    const snapshot = this.#snapshots.get(name);
    if (snapshot !== undefined) await raceAbort(this.#judgeSealed(snapshot, ended), ended);
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
    this.#surprises = [...this.#expectedRemovals].flatMap(([collection, expected]) =>
      this.#figures[collection]?.baseline === "off"
        ? []
        : surprisesOf(collection, expected, counts[collection]?.removed ?? 0),
    );
    for (const surprise of this.#surprises) this.#configuration.logger.error(`saas-management: ${surprise}`);
    try {
      await withinGrace(this.#configuration.clock, async (over) => {
        for (const snapshot of this.#snapshots.values()) {
          over.throwIfAborted();
          const rule = this.#rules.ruleOf(snapshot.collection);
          await snapshot.promote(rule, this.#approved.has(snapshot));
        }
        over.throwIfAborted();
        await this.#release();
      });
    } catch (error) {
      this.#configuration.logger.error(
        "saas-management: the batch was completed, but the ledger could not note it; the next run is compared with both snapshots",
        { error },
      );
    }
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
    for (const { ids, collection } of snapshots) this.#remember(collection, ids.table);
    if (this.#saved && outcome !== "aborted") return;
    try {
      await withinGrace(this.#configuration.clock, () => discard(snapshots));
    } catch (error) {
      this.#warnNotDiscarded(error);
    }
  }

  /** An approval is used once, and for all that it covers: also for collections that this run does not declare. */
  async #release(): Promise<void> {
    const { approve } = this.#options;
    if (approve !== undefined && this.#ledger !== undefined)
      await releaseApproval(this.#ledger, this.#scope, approve);
  }

  async #draft(ended: AbortSignal): Promise<void> {
    for (const collection of this.#options.snapshots) {
      // Without a guard and a ledger, nobody needs the ids.
      if (this.#ledger === undefined && this.#rules.ruleOf(collection) === undefined) continue;
      const ledger =
        this.#ledger && new CollectionLedger(this.#ledger, { ...this.#scope, collection }, ended);
      const snapshot = new GuardedSnapshot(collection, ledger, ended);
      await snapshot.begin();
      if (ended.aborted) {
        await discard([snapshot]).catch((error: unknown) => this.#warnNotDiscarded(error));
        throw ended.reason;
      }
      this.#snapshots.set(collection, snapshot);
    }
  }

  async #judgeAndSave(ended: AbortSignal): Promise<void> {
    const held: Held[] = [];
    for (const snapshot of this.#snapshots.values()) {
      const one = await this.#judgementOf(snapshot, ended);
      if (one !== undefined) held.push(one);
    }
    if (held.length > 0) throw await this.#hold(held, ended);
    for (const snapshot of this.#snapshots.values()) await snapshot.save();
    // From now on, the batch may be completed without this run knowing it.
    this.#saved = true;
  }

  async #judgeSealed(snapshot: GuardedSnapshot, ended: AbortSignal): Promise<void> {
    const held = await this.#judgementOf(snapshot, ended);
    if (held !== undefined && !held.judgement.findings.some(isAboutBaseline))
      throw await this.#hold([held], ended);
  }

  /** Judges a snapshot once. @returns undefined if it is not held */
  #judgementOf(snapshot: GuardedSnapshot, ended: AbortSignal): Promise<Held | undefined> {
    const judged = this.#judged.get(snapshot) ?? this.#judge(snapshot, ended);
    this.#judged.set(snapshot, judged);
    return judged;
  }

  /** Two snapshots that are sealed at the same time share one error. */
  #hold(held: readonly Held[], ended: AbortSignal): Promise<RunHeldError> {
    const { installationId, ledger } = this.#options;
    const scope = { installationId, ledger: locationOf(ledger) };
    const controller = this.#held;
    this.#holding ??= holdRun(scope, held, [...this.#approved.keys()], {
      ...this.#configuration,
      ended,
      boundTo: undefined,
    }).then((error) => {
      controller.abort(error);
      return error;
    });
    return this.#holding;
  }

  /** Whether the ledger knows no completed run of the installation, and nobody has said that this is its first run. */
  async #isUnknown(): Promise<boolean> {
    if (this.#ledger === undefined || this.#options.firstRun === true) return false;
    return !(await knowsInstallation(this.#ledger, this.#scope).catch(() => false));
  }

  async #judge(snapshot: GuardedSnapshot, ended: AbortSignal): Promise<Held | undefined> {
    const { collection } = snapshot;
    const rules = {
      rule: this.#rules.ruleOf(collection),
      isUnknown: () => this.#isUnknown(),
      now: this.#configuration.clock.now(),
    };
    const judgement = await snapshot.judge(rules, this.#earlier.get(collection));
    const problem = await this.#approvalProblem(snapshot, judgement);
    // Otherwise a ledger that was not asked any more would look like an unreadable one.
    ended.throwIfAborted();
    const { figures, findings, compared } = judgement;
    this.#expectedRemovals.set(collection, compared.all.gone);
    this.#figures = { ...this.#figures, [collection]: figures };
    const isBroken = findings.length > 0;
    const isApproved = isBroken && problem === undefined && this.#options.approve !== undefined;
    const broken = findings.map(({ rule }) => rule);
    if (isApproved) this.#approved.set(snapshot, broken);
    const isHeld = isBroken && !isApproved;
    this.#options.onProgress?.({ type: "judged", collection, held: isHeld, diff: figures, rules: broken });
    this.#configuration.logger.info("saas-management: snapshot judged", {
      collection,
      held: isHeld,
      rules: broken,
      ...figures,
    });
    return isHeld
      ? { snapshot, judgement: { ...judgement, collection, approvalProblem: problem } }
      : undefined;
  }

  /** Why the given approval does not cover a held snapshot; undefined if it does, or if none was given. */
  async #approvalProblem(
    snapshot: GuardedSnapshot,
    judgement: SnapshotJudgement,
  ): Promise<string | undefined> {
    const { approve } = this.#options;
    const rule = this.#rules.ruleOf(snapshot.collection);
    if (approve === undefined || judgement.findings.length === 0 || rule === undefined) return undefined;
    if (snapshot.ledger === undefined) return "without a ledger, approvals are not stored";
    if (judgement.heldSinceAttempt) return "an earlier attempt of this run sent more records";
    return approvalProblem(snapshot.ledger, approve, snapshot, judgement, {
      rule,
      now: this.#configuration.clock.now(),
      boundTo: undefined,
    });
  }

  #warnNotDiscarded(error: unknown): void {
    this.#configuration.logger.warn(
      "saas-management: the ledger could not discard the ids of an aborted batch",
      {
        error,
      },
    );
  }

  #remember(collection: SnapshotCollection, table: IdTable): void {
    const earlier = this.#earlier.get(collection);
    if (earlier === undefined) this.#earlier.set(collection, table);
    else table.forEach((low, high) => void earlier.add(low, high, 0, 0));
  }
}
