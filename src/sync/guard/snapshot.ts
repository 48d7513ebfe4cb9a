import type { SnapshotDiff } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../collections.js";
import type { EncodedRecords } from "../encoding/encoded-records.js";
import type { IdTable } from "../ids/id-table.js";
import type { CollectionLedger, KnownIds } from "../ledger/collection-ledger.js";
import type { Lines } from "../ledger/entry.js";
import type { History, PastSnapshot } from "../ledger/history.js";
import { linesOfBlocks } from "./blocks.js";
import { type Comparison, compareIds, figuresOf } from "./comparison.js";
import { daysOf, remembered } from "./history.js";
import { exceeds } from "./id-rules.js";
import type { ResolvedRule } from "./rules.js";
import { SnapshotDraft } from "./snapshot-draft.js";
import { SnapshotIds } from "./snapshot-ids.js";
import { unknownInstallation, unreadableLedger } from "./unknown-baseline.js";
import { type Finding, findingsOf } from "./verdict.js";

export interface SnapshotRules {
  readonly rule: ResolvedRule | undefined;
  /** Whether a run is held because the ledger does not know the installation. */
  readonly isUnknown: () => Promise<boolean>;
  readonly now: number;
}

export interface SnapshotJudgement {
  readonly figures: SnapshotDiff;
  readonly compared: Comparison;
  /** The rules that hold the snapshot. */
  readonly findings: readonly Finding[];
  /** Whether the ids that earlier attempts of the run sent are enough to hold it. */
  readonly heldSinceAttempt: boolean;
  readonly problem: unknown;
}

export interface SnapshotParts {
  readonly collection: SnapshotCollection;
  readonly ledger: CollectionLedger | undefined;
  /** Fires when the batch has ended; then nothing more is saved. */
  readonly ended?: AbortSignal | undefined;
  /** The records, if they can be read again. By default their ids are in the draft. */
  readonly blocks?: (() => AsyncIterable<EncodedRecords>) | undefined;
  /** The ids, if they were collected before. */
  readonly observed?: SnapshotIds | undefined;
  /** Names a record in the refusal of another one. @default its index */
  readonly placeOf?: ((index: number) => string) | undefined;
}

/** One snapshot collection of an attempt: the ids that were sent, and those that were known before. */
export class GuardedSnapshot {
  readonly collection: SnapshotCollection;
  readonly ledger: CollectionLedger | undefined;
  readonly ids: SnapshotIds;
  /** Takes the ids that are sent. */
  readonly draft: SnapshotDraft;
  /** The known ids as far as they can be read; empty before `judge`. */
  knownIds: readonly KnownIds[] = [];
  readonly #parts: SnapshotParts;
  #history: History = [];
  #past: PastSnapshot | undefined;

  /** @param judged The same snapshot, if it was judged before: nothing but its ids is collected. */
  constructor(parts: SnapshotParts, judged?: GuardedSnapshot) {
    const { collection, ledger, ended, observed, placeOf } = parts;
    this.collection = collection;
    this.ledger = ledger;
    this.#parts = parts;
    this.draft = new SnapshotDraft(ledger, ended);
    this.ids =
      observed ??
      new SnapshotIds({
        profiled: judged === undefined ? collection : undefined,
        write: (lines, done) => this.draft.write(lines, done),
        keyOf: ledger?.keyOf,
        placeOf,
        areDistinct: judged?.ids.duplicates === 0,
      });
    if (judged === undefined) return;
    this.#history = judged.#history;
    this.#past = judged.#past;
  }

  /**
   * Compares the ids that were sent with the known ones, when all were sent.
   * @param earlier Ids that earlier attempts of the same run sent.
   */
  async judge(
    { rule, isUnknown, now }: SnapshotRules,
    earlier: IdTable | undefined,
  ): Promise<SnapshotJudgement> {
    const { table, duplicates } = this.ids;
    const profile = this.ids.profile();
    this.#past = { at: now, sent: table.size, profile };
    let baseline: SnapshotDiff["baseline"] = "off";
    let compared: Comparison;
    let problem: unknown;
    const compare = async () => {
      this.knownIds = (await this.ledger?.known()) ?? [];
      this.#parts.ended?.throwIfAborted();
      const all = await compareIds(table, this.knownIds, earlier);
      const completed = this.knownIds.find(({ state }) => state === "completed");
      this.#history = (await completed?.history()) ?? [];
      return all;
    };
    try {
      // Once more, because the run before may have replaced its baseline meanwhile.
      compared = await compare().catch(compare);
      if (this.ledger !== undefined) baseline = baselineOf(this.knownIds);
    } catch (error) {
      problem = error;
      baseline = "unreadable";
      this.knownIds = await readableOf(this.knownIds, table);
      compared = await compareIds(table, this.knownIds, earlier);
    }
    const findings = async (): Promise<readonly Finding[]> => {
      if (rule === undefined) return [];
      if (baseline === "unreadable") return [unreadableLedger(compared, problem)];
      const isCompleted = this.knownIds.some(({ state }) => state === "completed");
      if (!isCompleted && (await isUnknown())) return [unknownInstallation(compared)];
      const unclear = await unclearOf(this.knownIds);
      return findingsOf({ compared, profile, history: this.#history, unclear, now }, rule);
    };
    const { sent, gone, all } = compared;
    const sinceAttempt = { known: earlier?.size ?? 0, sent, gone: all.gone - gone };
    return {
      figures: figuresOf(compared, baseline, duplicates),
      compared,
      findings: await findings(),
      heldSinceAttempt: rule !== undefined && exceeds(sinceAttempt, rule),
      problem,
    };
  }

  async *sentLines(): Lines {
    const { blocks, ledger } = this.#parts;
    if (blocks !== undefined) yield* linesOfBlocks(blocks(), ledger?.keyOf);
    else {
      await this.save();
      yield* this.draft.lines();
    }
  }

  async save(): Promise<void> {
    this.ids.flush();
    await this.draft.save(this.#past);
  }

  /** Makes the ids the known ones, and remembers the snapshot. @param isApproved Whether it was held otherwise */
  async promote(rule: ResolvedRule | undefined, isApproved: boolean): Promise<void> {
    const history = this.#past && remembered(this.#history, this.#past, isApproved, daysOf(rule));
    await this.draft.promote(history);
  }
}

/** The sets that can be read to their ends. */
async function readableOf(knownIds: readonly KnownIds[], table: IdTable): Promise<readonly KnownIds[]> {
  const readable: KnownIds[] = [];
  for (const ids of knownIds) {
    try {
      await compareIds(table, [ids]);
      readable.push(ids);
    } catch {
      // The other sets may be readable.
    }
  }
  return readable;
}

/** What the ledger remembers of snapshots that may have been completed. */
async function unclearOf(knownIds: readonly KnownIds[]): Promise<readonly PastSnapshot[]> {
  const pasts: PastSnapshot[] = [];
  for (const ids of knownIds) {
    const past = ids.state === "unclear" ? await ids.past() : undefined;
    if (past !== undefined) pasts.push(past);
  }
  return pasts;
}

function baselineOf(knownIds: readonly KnownIds[]): SnapshotDiff["baseline"] {
  if (knownIds.some(({ state }) => state === "unclear")) return "unclear";
  return knownIds.length === 0 ? "none" : "completed";
}

export async function discard(snapshots: readonly GuardedSnapshot[]): Promise<void> {
  for (const { draft } of snapshots) await draft.discard();
}
