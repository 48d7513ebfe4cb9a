import { raceAbort } from "../../core/abort.js";
import {
  ConfigurationError,
  type HeldReason,
  InvalidInputError,
  SaasManagementError,
  type SnapshotDiff,
} from "../../core/errors/index.js";
import { withinGrace } from "../call.js";
import type { SnapshotCollection } from "../collections.js";
import type { ObserverOf } from "../encoding/record-observer.js";
import { CollectionLedger, type LedgerDraft } from "../ledger/collection-ledger.js";
import type { InstallationScope, Lines } from "../ledger/entry.js";
import { releaseApproval } from "../ledger/installation.js";
import { batchToken } from "../ledger/keys.js";
import { type LedgerParts, requireLedger } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import type { CompletionCounts } from "../transport.js";
import type { Held } from "./approval.js";
import { surprisesOf } from "./comparison.js";
import { type ResolvedGuard, resolveGuard } from "./rules.js";
import { GuardedSnapshot } from "./snapshot.js";
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

/** The ids of one batch on their way to the ledger. */
interface Drafts {
  readonly of: Map<GuardedSnapshot, LedgerDraft>;
  areSaved: boolean;
}

const newDrafts = (): Drafts => ({ of: new Map(), areSaved: false });

/** Guards what a connector has written: all snapshots are judged once, before anything is sent, and then promoted. */
export class RunGuard {
  readonly #options: RunGuardOptions;
  readonly #configuration: SyncConfiguration;
  readonly #ledger: LedgerParts | undefined;
  readonly #scope: InstallationScope;
  readonly #rules: ResolvedGuard;
  readonly #judge: SnapshotJudge;
  readonly #ids: IdLog;
  readonly #ended: AbortSignal;
  readonly #snapshots = new Map<string, GuardedSnapshot>();
  /** Of the batch that is open. */
  #drafts = newDrafts();
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
      [...this.#judge.approved].map(([{ collection }, findings]) => [
        collection,
        findings.map(({ rule }) => rule),
      ]),
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
    this.#drafts = newDrafts();
    return raceAbort(this.#draft(this.#drafts, batchToken(this.#options.runId), ended), ended);
  }

  /**
   * Stores the ids before CompleteSyncBatch is sent: from then on the batch may be completed without this run knowing it.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  save(ended: AbortSignal): Promise<void> {
    const drafts = this.#drafts;
    const saved = [...drafts.of].map(([{ collection }, draft]) =>
      draft.save().catch((error: unknown) => {
        throw unwritable(collection, error);
      }),
    );
    const all = Promise.all(saved).then(() => {
      drafts.areSaved = true;
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
    const { clock, logger } = this.#configuration;
    try {
      await withinGrace(clock, (over) => this.#promote(over));
    } catch (error) {
      logger.error(
        "saas-management: the batch was completed, but the ledger could not note it; the next run is compared with both snapshots",
        { error },
      );
    }
  }

  /**
   * Ends a batch that was not completed by this run.
   * @param outcome `completed` if another process completed the batch with some or all of the records. Then, and if the
   *   outcome is unknown, the saved ids stay beside those that were known before.
   */
  async givenUp(outcome: "aborted" | "unknown" | "completed"): Promise<void> {
    const drafts = this.#drafts;
    this.#drafts = newDrafts();
    if (drafts.areSaved && outcome !== "aborted") return;
    await this.#discard([...drafts.of.values()]);
  }

  #ledgerOf(collection: SnapshotCollection, ended = this.#ended): CollectionLedger | undefined {
    return this.#ledger && new CollectionLedger(this.#ledger, { ...this.#scope, collection }, ended);
  }

  async #draft({ of: drafts }: Drafts, token: string, ended: AbortSignal): Promise<void> {
    for (const snapshot of this.#snapshots.values()) {
      const { collection, past } = snapshot;
      const lines = this.#ids.lines(collection);
      const drafting = this.#ledgerOf(collection, ended)?.draft(token, lines, past);
      const draft = await drafting?.catch((error: unknown) => {
        throw unwritable(collection, error);
      });
      if (draft === undefined) continue;
      drafts.set(snapshot, draft);
      // The others are discarded already.
      if (ended.aborted) await this.#discard([draft]);
      ended.throwIfAborted();
    }
  }

  /** Makes the ids the known ones, and uses up the approval of the run. */
  async #promote(over: AbortSignal): Promise<void> {
    for (const [snapshot, draft] of this.#drafts.of) {
      over.throwIfAborted();
      const rule = this.#rules.ruleOf(snapshot.collection);
      await draft.promote(snapshot.historyWith(rule, this.#judge.approved.get(snapshot) ?? []));
    }
    over.throwIfAborted();
    const { approve } = this.#options;
    // Once, and for all that it covers: also for collections that this run does not declare.
    if (approve !== undefined && this.#ledger !== undefined)
      await releaseApproval(this.#ledger, this.#scope, approve);
  }

  async #discard(drafts: readonly LedgerDraft[]): Promise<void> {
    const { clock, logger } = this.#configuration;
    try {
      await withinGrace(clock, async () => {
        for (const draft of drafts) await draft.discard();
      });
    } catch (error) {
      logger.warn("saas-management: the ledger could not discard the ids of an aborted batch", { error });
    }
  }
}

function unwritable(collection: SnapshotCollection, cause: unknown): SaasManagementError {
  if (cause instanceof SaasManagementError) return cause;
  return new ConfigurationError(
    `The ledger could not store the ids of ${collection}; nothing was completed. See the error's cause. For a fileLedger, check its directory and the free disk space.`,
    { cause },
  );
}
