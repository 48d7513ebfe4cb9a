import { raceAbort } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { withinGrace } from "../call.js";
import type { SnapshotCollection } from "../collections.js";
import { CollectionLedger } from "../ledger/collection-ledger.js";
import type { InstallationLedger } from "../ledger/installation-ledger.js";
import type { SyncConfiguration } from "../options.js";
import { Approvals, type Judged } from "./approval.js";
import type { HeldScope } from "./held-error.js";
import { type JudgeOptions, type ResolvedGuard, resolveGuard } from "./rules.js";
import type { GuardedSnapshot } from "./snapshot.js";

export interface JudgedRun extends Omit<JudgeOptions, "onHeld" | "ledger"> {
  /** Undefined for `"none"`. */
  readonly ledger: InstallationLedger | undefined;
  readonly installationId: string;
  /** Begins the tokens of the run's batches in the ledger; a preview has none. */
  readonly runId?: string;
}

/** Judges the snapshots of a run or a preview by the guard's options, the ledger, and a given approval. */
export class SnapshotJudge {
  readonly ledger: InstallationLedger | undefined;
  readonly rules: ResolvedGuard;
  readonly approvals: Approvals;
  readonly #options: JudgedRun;
  readonly #configuration: SyncConfiguration;

  /** @throws {InvalidInputError} an option of the guard is wrong */
  constructor(options: JudgedRun, configuration: SyncConfiguration) {
    const { ledger, guard } = options;
    this.#options = options;
    this.#configuration = configuration;
    this.ledger = ledger;
    this.approvals = new Approvals(ledger, options.runId, configuration);
    this.rules = resolveGuard(guard, configuration.clock.now());
  }

  /** What reports of held runs say of the ledger. */
  get place(): HeldScope {
    const { installationId, ledger } = this.#options;
    return { installationId, ledger: ledger?.location ?? "none" };
  }

  ledgerOf(collection: SnapshotCollection, ended?: AbortSignal): CollectionLedger | undefined {
    return this.ledger && new CollectionLedger(this.ledger, collection, ended);
  }

  /**
   * Refuses `firstRun: true` if the ledger knows the installation. One that does not tell holds the run later. Rejects
   * with the reason of the signal when that fires.
   * @throws {InvalidInputError} it is not the first run
   */
  async checkFirstRun(signal: AbortSignal | undefined): Promise<void> {
    const { ledger } = this;
    if (this.#options.firstRun !== true || ledger === undefined) return;
    const knows = withinGrace(this.#configuration.clock, () => ledger.isKnown());
    if (
      !(await raceAbort(
        knows.catch(() => false),
        signal,
      ))
    )
      return;
    const { installationId } = this.#options;
    throw new InvalidInputError(
      `firstRun must not be true: the ledger (${ledger.location}) knows earlier runs of installation ${JSON.stringify(installationId)}. Leave it out, or set it from the command line: firstRun: process.argv.includes("--first-run").`,
    );
  }

  /** Judges a snapshot, of which all records were written. */
  async judge(snapshot: GuardedSnapshot): Promise<Judged> {
    const { firstRun, approve } = this.#options;
    const rule = this.rules.ruleOf(snapshot.collection);
    const now = this.#configuration.clock.now();
    const { ledger } = this;
    const isUnknown = async () =>
      ledger !== undefined && firstRun !== true && !(await ledger.isKnown().catch(() => false));
    const judgement = { ...(await snapshot.judge({ rule, isUnknown, now })), snapshot };
    if (judgement.findings.length === 0 || rule === undefined || approve === undefined)
      return { ...judgement, isHeld: judgement.findings.length > 0, approvalProblem: undefined };
    const problem = await this.approvals.problem(approve, judgement, rule);
    return { ...judgement, isHeld: problem !== undefined, approvalProblem: problem };
  }
}
