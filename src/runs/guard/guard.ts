import { raceAbort } from "../../core/abort.js";
import { type HeldReport, InvalidInputError, RunHeldError } from "../../core/errors/index.js";
import { withinGrace } from "../../sync/call.js";
import {
  COLLECTIONS,
  type Collection,
  collectionEntries,
  type SnapshotCollection,
} from "../../sync/collections.js";
import type { InspectorOf } from "../../sync/encoding/record-inspector.js";
import type { SyncConfiguration } from "../../sync/options.js";
import type { OnProgress } from "../../sync/progress.js";
import { count } from "../../sync/report-text.js";
import type { WriteStats } from "../../sync/write/options.js";
import { CollectionLedger } from "../ledger/collection-ledger.js";
import type { InstallationLedger } from "../ledger/installation-ledger.js";
import { noteHeld } from "../ledger/notes.js";
import { knowsSnapshots, type LedgerSnapshot } from "../ledger/state.js";
import { decide, heldRunOf, offer } from "./approval.js";
import { describeHeld, type HeldScope, heldMessage, type Judged, type UsualOf } from "./held-report.js";
import { type JudgeOptions, type ResolvedGuard, resolveGuard } from "./rules.js";
import { GuardedSnapshot, type IdLog } from "./snapshot.js";

export interface JudgedRun extends Omit<JudgeOptions, "onHeld" | "ledger"> {
  /** Undefined for `"none"`. */
  readonly ledger: InstallationLedger | undefined;
  readonly installationId: string;
  readonly onProgress?: OnProgress | undefined;
}

/** Judges all snapshots of a connector together, using the rules, the ledger and an approval. */
export class Guard {
  readonly ledger: InstallationLedger | undefined;
  readonly rules: ResolvedGuard;
  readonly snapshots: ReadonlyMap<string, GuardedSnapshot>;
  /** What was found in each snapshot; empty before `judge`. */
  readonly judged = new Map<Collection, Judged>();
  readonly #options: JudgedRun;
  readonly #configuration: SyncConfiguration;
  readonly #ended: AbortSignal;

  /**
   * @param ended Fires when the run has ended; after that, the ledger isn't used.
   * @param log Keeps ids until they go to the ledger; undefined in a preview.
   * @throws {InvalidInputError} an option is wrong
   */
  constructor(
    options: JudgedRun,
    snapshots: readonly SnapshotCollection[],
    configuration: SyncConfiguration,
    ended: AbortSignal,
    log?: IdLog,
  ) {
    const { ledger, guard } = options;
    this.#options = options;
    this.#configuration = configuration;
    this.#ended = ended;
    this.ledger = ledger;
    const rules = resolveGuard(guard, configuration.clock.now());
    this.rules = rules;
    // A preview always needs ids, to report repeated ones. A run without a guard and a ledger needs none.
    const isSeen = (collection: SnapshotCollection) =>
      log === undefined || ledger !== undefined || rules.ruleOf(collection) !== undefined;
    this.snapshots = new Map(
      snapshots.filter(isSeen).map((collection) => {
        const own = ledger && new CollectionLedger(ledger, collection, ended);
        return [collection, new GuardedSnapshot(collection, own, log)];
      }),
    );
  }

  readonly inspectorOf: InspectorOf = ({ name }) => this.snapshots.get(name)?.ids;

  /** What reports of held runs say about the ledger. */
  get place(): HeldScope {
    const { installationId, ledger } = this.#options;
    return { installationId, ledger: ledger?.location ?? "none" };
  }

  /**
   * Before the source is read, checks that the ledger is writable and, if `firstRun` is set, that it doesn't know the
   * installation. Rejects with the reason of the run's signal when the signal fires.
   * @param seen The ledger's content.
   * @throws {ConfigurationError} the ledger cannot be written
   * @throws {InvalidInputError} `firstRun` is set, and it isn't the first run
   */
  async checkLedger(seen: LedgerSnapshot): Promise<void> {
    const { ledger } = this;
    if (ledger === undefined) return;
    await raceAbort(ledger.requireWritable(), this.#ended);
    const { firstRun = false, installationId } = this.#options;
    if (firstRun === false || !knowsSnapshots(seen)) return;
    throw new InvalidInputError(
      `firstRun must not be set: the ledger (${ledger.location}) has earlier runs of installation ${JSON.stringify(installationId)}. Leave it out.`,
      { advice: { option: "firstRun", text: "firstRun" } },
    );
  }

  /** @throws {InvalidInputError} a snapshot doesn't have the expected number of records */
  checkCounts(stats: Partial<Record<Collection, WriteStats>>): void {
    const { firstRun } = this.#options;
    if (typeof firstRun !== "object") return;
    for (const [name, expected] of collectionEntries(firstRun)) {
      const written = stats[name]?.sent ?? 0;
      if (written === expected) continue;
      throw new InvalidInputError(
        `firstRun expects ${count(expected)} records of ${name}, and the connector wrote ${count(written)}. Nothing was sent: compare both with the dashboard before you run again.`,
        {
          issues: [{ collection: name, path: "", expected: `${expected} records` }],
          advice: { option: "firstRun", text: "firstRun" },
        },
      );
    }
  }

  /** Stores the last ids, once the connector has returned. */
  flush(): void {
    for (const { ids } of this.snapshots.values()) ids.flush();
  }

  /**
   * Judges the snapshots, once all their records are written. Rejects with the reason of the run's signal when the
   * signal fires, because a ledger may never answer.
   * @param seen The ledger's content.
   * @returns the snapshots that are held
   */
  async judge(seen: LedgerSnapshot): Promise<readonly Judged[]> {
    const ended = this.#ended;
    // A run without snapshots can't be held; it fails, because a damaged ledger couldn't record it.
    if (this.snapshots.size === 0 && seen.problem !== undefined) throw seen.problem;
    const held: Judged[] = [];
    this.#resolveReferences();
    for (const snapshot of this.snapshots.values()) {
      const { collection } = snapshot;
      const judged = await raceAbort(this.#judge(snapshot, seen), ended);
      // Once a run has ended, calls to its ledger fail, which makes the ledger look unreadable.
      ended.throwIfAborted();
      const { figures, findings, isHeld } = judged;
      this.judged.set(collection, judged);
      if (isHeld) held.push(judged);
      const rules = findings.map(({ rule }) => rule);
      this.#options.onProgress?.({ type: "judged", collection, held: isHeld, diff: figures, rules });
      const details = { collection, held: isHeld, rules, ...figures };
      this.#configuration.logger.info("saas-management: snapshot judged", details);
    }
    // If nothing is held, only snapshots with lists of changes still need the hashes of their ids.
    if (held.length === 0)
      for (const { ids, lists } of this.snapshots.values())
        if (Object.keys(lists).length === 0) ids.table.clear();
    return held;
  }

  /** Offers an approval of the held snapshots, if the ledger can store them. @returns the error of the run */
  async offer(held: readonly Judged[], seen: LedgerSnapshot, usual: UsualOf): Promise<RunHeldError> {
    const ended = this.#ended;
    const offering = this.#offer(held, seen, usual).catch((error: unknown) => {
      ended.throwIfAborted();
      this.#configuration.logger.error("saas-management: the ledger could not store the held run", {
        error,
      });
      return describeHeld(this.place, held, "not-stored", usual);
    });
    const report = await raceAbort(offering, ended);
    const cause = held.find(({ problem }) => problem !== undefined)?.problem;
    return new RunHeldError(heldMessage(report), { report, cause });
  }

  async #offer(held: readonly Judged[], seen: LedgerSnapshot, usual: UsualOf): Promise<HeldReport> {
    const { ledger, approve } = this.#options;
    if (ledger === undefined) return describeHeld(this.place, held, "no-ledger", usual);
    const { clock } = this.#configuration;
    const now = clock.now();
    const stored = await offer(held, { seen, approve, now });
    const report = describeHeld(this.place, held, stored, usual);
    const run = heldRunOf(stored, report, seen);
    await withinGrace(clock, (over) =>
      noteHeld(
        ledger,
        { run, baselines: stored.baselines, approve, now },
        AbortSignal.any([over, this.#ended]),
      ),
    );
    return report;
  }

  /** Marks values as lost if they name a record that is missing from the run. */
  #resolveReferences(): void {
    for (const { collection, ids, sampler } of this.snapshots.values())
      for (const [field, targets] of Object.entries(COLLECTIONS[collection].references)) {
        const named = targets.flatMap((target) => this.snapshots.get(target)?.ids ?? []);
        // Skips references within a collection: for a while, employees still refer to a manager who has left.
        if (named.length < targets.length || named.includes(ids)) continue;
        sampler.resolve(field, (id) => named.some((one) => one.has(id)));
      }
  }

  async #judge(snapshot: GuardedSnapshot, seen: LedgerSnapshot): Promise<Judged> {
    const { approve, firstRun, ledger } = this.#options;
    const rule = this.rules.ruleOf(snapshot.collection);
    const now = this.#configuration.clock.now();
    const isUnknown = ledger !== undefined && (firstRun ?? false) === false && !knowsSnapshots(seen);
    const judgement = await snapshot.judge({ rule, isUnknown, now, seen });
    if (judgement.findings.length === 0 || rule === undefined)
      return { ...judgement, isHeld: false, approvalProblem: undefined, waiting: undefined };
    return { ...judgement, ...(await decide(snapshot, rule, { seen, approve, now })) };
  }
}
