import type { RunHeldError, SnapshotDiff } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../collections.js";
import type { InstallationScope } from "../ledger/entry.js";
import { knowsInstallation } from "../ledger/installation.js";
import type { Ledger, LedgerParts } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import type { OnProgress } from "../progress.js";
import { approvalProblem, type Held, holdRun } from "./approval.js";
import { locationOf } from "./first-run.js";
import type { JudgeOptions, ResolvedGuard } from "./rules.js";
import type { GuardedSnapshot, SnapshotJudgement } from "./snapshot.js";
import type { Finding } from "./verdict.js";

export interface JudgedRun extends JudgeOptions {
  readonly ledger: Ledger | "none";
  readonly installationId: string;
  readonly onProgress?: OnProgress | undefined;
}

/** Judges the snapshots of a run, and holds it. */
export class SnapshotJudge {
  readonly #options: JudgedRun;
  readonly #rules: ResolvedGuard;
  readonly #ledger: LedgerParts | undefined;
  readonly #configuration: SyncConfiguration;
  readonly #scope: InstallationScope;
  figures: Partial<Record<SnapshotCollection, SnapshotDiff>> = {};
  /** Numbers of ids that a completion removes. */
  readonly expectedRemovals = new Map<SnapshotCollection, number>();
  /** Snapshots whose approval is used when the batch is completed, and what they break. */
  readonly approved = new Map<GuardedSnapshot, readonly Finding[]>();

  constructor(
    options: JudgedRun,
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

  /** @returns the error of the run: one report and one approval for all that is held */
  hold(held: readonly Held[], ended: AbortSignal): Promise<RunHeldError> {
    const { installationId, ledger } = this.#options;
    const scope = { installationId, ledger: locationOf(ledger) };
    return holdRun(scope, held, [...this.approved.keys()], { ...this.#configuration, ended });
  }

  /**
   * Judges a snapshot.
   * @param ended Fires when the ledger must not be asked any more.
   * @returns undefined if it is not held
   */
  async judgementOf(snapshot: GuardedSnapshot, ended: AbortSignal): Promise<Held | undefined> {
    const { collection } = snapshot;
    const rules = {
      rule: this.#rules.ruleOf(collection),
      isUnknown: () => this.#isUnknown(),
      now: this.#configuration.clock.now(),
    };
    const judgement = await snapshot.judge(rules);
    const problem = await this.#approvalProblem(snapshot, judgement);
    // Otherwise a ledger that was not asked any more would look like an unreadable one.
    ended.throwIfAborted();
    const { figures, findings, compared } = judgement;
    this.expectedRemovals.set(collection, compared.gone);
    this.figures = { ...this.figures, [collection]: figures };
    const isBroken = findings.length > 0;
    const isApproved = isBroken && problem === undefined && this.#options.approve !== undefined;
    const broken = findings.map(({ rule }) => rule);
    if (isApproved) this.approved.set(snapshot, findings);
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
    if (this.#ledger === undefined || this.#options.firstRun === true) return false;
    return !(await knowsInstallation(this.#ledger, this.#scope).catch(() => false));
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
    const now = this.#configuration.clock.now();
    return approvalProblem(snapshot.ledger, approve, snapshot, judgement, { rule, now });
  }
}
