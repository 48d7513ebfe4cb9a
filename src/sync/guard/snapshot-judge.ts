import type { HeldReason, RunHeldError, SnapshotDiff } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../collections.js";
import type { IdTable } from "../ids/id-table.js";
import type { InstallationScope } from "../ledger/entry.js";
import { knowsInstallation } from "../ledger/installation.js";
import type { Ledger, LedgerParts } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import type { OnProgress } from "../progress.js";
import { approvalProblem, type Held, holdRun } from "./approval.js";
import { locationOf } from "./first-run.js";
import type { JudgeOptions, ResolvedGuard } from "./rules.js";
import type { GuardedSnapshot, SnapshotJudgement } from "./snapshot.js";

export interface JudgedRun extends JudgeOptions {
  readonly ledger: Ledger | "none";
  readonly installationId: string;
  readonly onProgress?: OnProgress | undefined;
  /** Id of the run, if several batches may send it: of a staged one. */
  readonly runId?: string | undefined;
}

interface JudgeParts extends JudgedRun {
  /** See {@link Approval.boundTo}. */
  readonly boundTo: string | undefined;
}

/** Judges the snapshots of one attempt, each once, and holds the run. */
export class SnapshotJudge {
  readonly #options: JudgeParts;
  readonly #rules: ResolvedGuard;
  readonly #ledger: LedgerParts | undefined;
  readonly #configuration: SyncConfiguration;
  readonly #scope: InstallationScope;
  readonly #judged = new Map<GuardedSnapshot, Promise<Held | undefined>>();
  readonly #held = new AbortController();
  #holding: Promise<RunHeldError> | undefined;
  figures: Partial<Record<SnapshotCollection, SnapshotDiff>> = {};
  /** Numbers of ids that a completion removes, including those that earlier attempts sent. */
  readonly expectedRemovals = new Map<SnapshotCollection, number>();
  /** Snapshots whose approval is used when the batch is completed, and the rules that they break. */
  readonly approved = new Map<GuardedSnapshot, readonly HeldReason["rule"][]>();

  constructor(
    options: JudgeParts,
    rules: ResolvedGuard,
    ledger: LedgerParts | undefined,
    configuration: SyncConfiguration,
  ) {
    this.#options = options;
    this.#rules = rules;
    this.#ledger = ledger;
    this.#configuration = configuration;
    this.#scope = { endpoint: configuration.endpoint.origin, installationId: options.installationId };
  }

  /** Fires with the error when a snapshot is held. */
  get held(): AbortSignal {
    return this.#held.signal;
  }

  /**
   * Judges a snapshot once.
   * @param earlier Ids that earlier attempts of the run sent.
   * @param ended Fires when the ledger must not be asked any more.
   * @returns undefined if it is not held
   */
  judgementOf(
    snapshot: GuardedSnapshot,
    earlier: IdTable | undefined,
    ended: AbortSignal,
  ): Promise<Held | undefined> {
    const judged = this.#judged.get(snapshot) ?? this.#judge(snapshot, earlier, ended);
    this.#judged.set(snapshot, judged);
    return judged;
  }

  /** Two snapshots that are sealed at the same time share one error. */
  hold(held: readonly Held[], ended: AbortSignal): Promise<RunHeldError> {
    const { installationId, ledger, boundTo } = this.#options;
    const scope = { installationId, ledger: locationOf(ledger), isStaged: boundTo !== undefined };
    const context = { ...this.#configuration, ended, boundTo };
    this.#holding ??= holdRun(scope, held, [...this.approved.keys()], context).then((error) => {
      this.#held.abort(error);
      return error;
    });
    return this.#holding;
  }

  async #judge(
    snapshot: GuardedSnapshot,
    earlier: IdTable | undefined,
    ended: AbortSignal,
  ): Promise<Held | undefined> {
    const { collection } = snapshot;
    const rules = {
      rule: this.#rules.ruleOf(collection),
      isUnknown: () => this.#isUnknown(),
      now: this.#configuration.clock.now(),
    };
    const judgement = await snapshot.judge(rules, earlier);
    const problem = await this.#approvalProblem(snapshot, judgement);
    // Otherwise a ledger that was not asked any more would look like an unreadable one.
    ended.throwIfAborted();
    const { figures, findings, compared } = judgement;
    this.expectedRemovals.set(collection, compared.all.gone);
    this.figures = { ...this.figures, [collection]: figures };
    const isBroken = findings.length > 0;
    const isApproved = isBroken && problem === undefined && this.#options.approve !== undefined;
    const broken = findings.map(({ rule }) => rule);
    if (isApproved) this.approved.set(snapshot, broken);
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

  /** Whether the ledger knows no completed run of the installation, and nobody has said that this is its first run. */
  async #isUnknown(): Promise<boolean> {
    const { firstRun, runId } = this.#options;
    if (this.#ledger === undefined || firstRun === true) return false;
    return !(await knowsInstallation(this.#ledger, this.#scope, runId).catch(() => false));
  }

  /** Why the given approval does not cover a held snapshot; undefined if it does, or if none was given. */
  async #approvalProblem(
    snapshot: GuardedSnapshot,
    judgement: SnapshotJudgement,
  ): Promise<string | undefined> {
    const { approve, boundTo } = this.#options;
    const rule = this.#rules.ruleOf(snapshot.collection);
    if (approve === undefined || judgement.findings.length === 0 || rule === undefined) return undefined;
    if (snapshot.ledger === undefined) return "without a ledger, approvals are not stored";
    if (judgement.heldSinceAttempt) return "an earlier attempt of this run sent more records";
    const now = this.#configuration.clock.now();
    return approvalProblem(snapshot.ledger, approve, snapshot, judgement, { rule, now, boundTo });
  }
}
