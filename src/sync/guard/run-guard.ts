import { raceAbort } from "../../core/abort.js";
import {
  ConfigurationError,
  type HeldReason,
  SaasManagementError,
  type SnapshotDiff,
} from "../../core/errors/index.js";
import { bestEffort } from "../call.js";
import type { SnapshotCollection } from "../collections.js";
import type { InspectorOf } from "../encoding/record-inspector.js";
import type { LedgerDraft } from "../ledger/collection-ledger.js";
import { batchToken } from "../ledger/installation-ledger.js";
import { logUsed, releaseApproval } from "../ledger/run-log.js";
import type { Lines } from "../ledger/value.js";
import type { SyncConfiguration } from "../options.js";
import type { OnProgress } from "../progress.js";
import type { Judged } from "./approval.js";
import { type JudgedRun, SnapshotJudge } from "./judge.js";
import { GuardedSnapshot } from "./snapshot.js";
import type { Finding } from "./verdict.js";

export interface RunGuardOptions extends JudgedRun {
  readonly snapshots: readonly SnapshotCollection[];
  readonly runId: string;
  readonly onProgress?: OnProgress | undefined;
}

/** Where the lines of ids are kept until they go to the ledger. */
export interface IdLog {
  appendLines(collection: SnapshotCollection, lines: Uint8Array, done: () => void): void;
  lines(collection: SnapshotCollection): Lines;
}

/** The ids of one batch on their way to the ledger. */
interface Drafts {
  readonly of: Map<GuardedSnapshot, LedgerDraft>;
  readonly token: string;
  areSaved: boolean;
  /** Resolves with the key of the note that the approval is used. */
  used?: Promise<string>;
}

/** Guards what a connector has written: all snapshots are judged once, before anything is sent, and then promoted. */
export class RunGuard {
  readonly #options: RunGuardOptions;
  readonly #configuration: SyncConfiguration;
  readonly #judge: SnapshotJudge;
  readonly #ids: IdLog;
  readonly #ended: AbortSignal;
  readonly #snapshots = new Map<string, GuardedSnapshot>();
  /** What was found in snapshots that are approved. */
  readonly #approved = new Map<GuardedSnapshot, readonly Finding[]>();
  /** Of the batch that is open. */
  #drafts: Drafts | undefined;
  figures: Partial<Record<SnapshotCollection, SnapshotDiff>> = {};

  /** @param ended Fires when the run has ended: the ledger is asked nothing more. */
  constructor(options: RunGuardOptions, configuration: SyncConfiguration, ids: IdLog, ended: AbortSignal) {
    this.#ended = ended;
    this.#options = options;
    this.#configuration = configuration;
    this.#ids = ids;
    this.#judge = new SnapshotJudge(options, configuration);
    for (const collection of options.snapshots) {
      const ledger = this.#judge.ledgerOf(collection, ended);
      // Without a guard and a ledger, nobody needs the ids.
      if (ledger === undefined && this.#judge.rules.ruleOf(collection) === undefined) continue;
      const write =
        ledger && ((lines: Uint8Array, done: () => void) => ids.appendLines(collection, lines, done));
      const lines = () => ids.lines(collection);
      this.#snapshots.set(collection, new GuardedSnapshot({ collection, ledger, write, lines }));
    }
  }

  readonly inspectorOf: InspectorOf = ({ name }) => this.#snapshots.get(name)?.ids;

  get approvedRules(): Partial<Record<SnapshotCollection, readonly HeldReason["rule"][]>> {
    return Object.fromEntries(
      [...this.#approved].map(([{ collection }, findings]) => [collection, findings.map(({ rule }) => rule)]),
    );
  }

  /** Whether snapshots are judged, and not only recorded. */
  get isOn(): boolean {
    return this.#judge.rules.isOn;
  }

  /** As {@link SnapshotJudge.checkFirstRun}. */
  checkFirstRun(): Promise<void> {
    return this.#judge.checkFirstRun(this.#ended);
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
    const { approvals, place } = this.#judge;
    const held: Judged[] = [];
    for (const snapshot of this.#snapshots.values()) {
      const { collection } = snapshot;
      const judged = await raceAbort(this.#judge.judge(snapshot), ended);
      // A ledger that is not asked any more looks like an unreadable one.
      ended.throwIfAborted();
      const { figures, findings, isHeld } = judged;
      this.figures = { ...this.figures, [collection]: figures };
      if (isHeld) held.push(judged);
      else if (findings.length > 0) this.#approved.set(snapshot, findings);
      const rules = findings.map(({ rule }) => rule);
      this.#options.onProgress?.({ type: "judged", collection, held: isHeld, diff: figures, rules });
      const details = { collection, held: isHeld, rules, ...figures };
      this.#configuration.logger.info("saas-management: snapshot judged", details);
    }
    if (held.length > 0)
      throw await raceAbort(approvals.offer(place, held, [...this.#approved.keys()], ended), ended);
    // Nobody needs the hashes any more.
    for (const { ids } of this.#snapshots.values()) ids.table.clear();
  }

  /**
   * Starts to store the ids of a batch, which holds the lock. Rejects with the reason of its signal when that fires.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  draft(ended: AbortSignal): Promise<void> {
    this.#drafts = { of: new Map(), token: batchToken(this.#options.runId), areSaved: false };
    return raceAbort(this.#draft(this.#drafts, ended), ended);
  }

  /**
   * Stores the ids, and uses up the approval of the run, before CompleteSyncBatch is sent: from then on the batch may be
   * completed without this run knowing it.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  save(ended: AbortSignal): Promise<void> {
    return raceAbort(this.#save(this.#drafts), ended);
  }

  /** Makes the ids that were sent the known ones: the batch was completed. */
  async completed(): Promise<void> {
    const message =
      "the batch was completed, but the ledger could not note it; the next run is compared with both snapshots";
    await bestEffort(this.#configuration, { level: "error", message }, (over) => this.#promote(over));
  }

  /**
   * Ends a batch that was not completed by this run.
   * @param outcome `completed` if another process completed the batch with some or all of the records. Then, and if the
   *   outcome is unknown, the saved ids stay beside those that were known before.
   */
  async givenUp(outcome: "aborted" | "unknown" | "completed"): Promise<void> {
    const drafts = this.#drafts;
    this.#drafts = undefined;
    if (drafts === undefined || (drafts.areSaved && outcome !== "aborted")) return;
    await this.#discard(drafts);
  }

  async #draft(drafts: Drafts, ended: AbortSignal): Promise<void> {
    for (const snapshot of this.#snapshots.values()) {
      const { collection, past } = snapshot;
      const lines = this.#ids.lines(collection);
      const drafting = this.#judge.ledgerOf(collection, ended)?.draft(drafts.token, lines, past);
      const draft = await drafting?.catch((error: unknown) => {
        throw unwritable(collection, error);
      });
      if (draft === undefined) continue;
      drafts.of.set(snapshot, draft);
      // The others are discarded already.
      if (ended.aborted) await this.#discard({ ...drafts, of: new Map([[snapshot, draft]]) });
      ended.throwIfAborted();
    }
  }

  async #save(drafts: Drafts | undefined): Promise<void> {
    if (drafts === undefined) return;
    const saved = [...drafts.of].map(([{ collection }, draft]) =>
      draft.save().catch((error: unknown) => {
        throw unwritable(collection, error);
      }),
    );
    await Promise.all(saved);
    drafts.areSaved = true;
    const { approve } = this.#options;
    const { ledger } = this.#judge;
    const isGivenUp = this.#drafts !== drafts;
    if (ledger === undefined || approve === undefined || this.#approved.size === 0 || isGivenUp) return;
    drafts.used = logUsed(ledger, approve, {
      at: this.#configuration.clock.now(),
      value: drafts.token,
    });
    await drafts.used.catch((error: unknown) => {
      throw unwritable("the approved snapshots", error);
    });
  }

  /** Makes the ids the known ones, and forgets the approval of the run. */
  async #promote(over: AbortSignal): Promise<void> {
    const { ledger, rules } = this.#judge;
    for (const [snapshot, draft] of this.#drafts?.of ?? []) {
      over.throwIfAborted();
      const rule = rules.ruleOf(snapshot.collection);
      await draft.promote(snapshot.pastsWith(rule, this.#approved.get(snapshot) ?? []));
    }
    over.throwIfAborted();
    const { approve } = this.#options;
    // Once, and for all that it covers: also for collections that this run does not declare.
    if (approve !== undefined && ledger !== undefined) await releaseApproval(ledger, approve);
  }

  async #discard({ of: drafts, used }: Drafts): Promise<void> {
    const message = "the ledger could not discard the ids of an aborted batch";
    await bestEffort(this.#configuration, { level: "warn", message }, async () => {
      for (const draft of drafts.values()) await draft.discard();
      const key = await used?.catch(() => undefined);
      if (key !== undefined) await this.#judge.ledger?.store.delete(key);
    });
  }
}

function unwritable(collection: string, cause: unknown): SaasManagementError {
  if (cause instanceof SaasManagementError) return cause;
  return new ConfigurationError(
    `The ledger could not store the ids of ${collection}; nothing was completed. See the error's cause. For a fileLedger, check its directory and the free disk space.`,
    { cause },
  );
}
