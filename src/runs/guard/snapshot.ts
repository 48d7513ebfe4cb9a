import { type HeldReason, SaasManagementError, type SnapshotDiff } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../../sync/collections.js";
import { EMPTY_SAMPLE, type FieldSample, filledOf } from "../../sync/ids/field-sample.js";
import type { IdTable } from "../../sync/ids/id-table.js";
import { count, counted } from "../../sync/report-text.js";
import type { CollectionLedger, KnownIds } from "../ledger/collection-ledger.js";
import { type PastSnapshot, type PastSnapshots, remembered } from "../ledger/past.js";
import type { LedgerLook } from "../ledger/state.js";
import { type Lines, noLines } from "../ledger/value.js";
import { judgeBeside, memoryAfter } from "./changed.js";
import { type Comparison, compareIds, figuresOf } from "./comparison.js";
import { daysOf, type ResolvedRule } from "./rules.js";
import { SnapshotIds } from "./snapshot-ids.js";
import { type Finding, findingsOf } from "./verdict.js";

export interface SnapshotRules {
  readonly rule: ResolvedRule | undefined;
  /** Whether a run is held because the ledger does not know the installation. */
  readonly isUnknown: boolean;
  readonly now: number;
  /** What the ledger has. */
  readonly seen: LedgerLook;
}

export interface SnapshotJudgement {
  readonly collection: SnapshotCollection;
  readonly figures: SnapshotDiff;
  readonly compared: Comparison;
  /** The rules that hold the snapshot. */
  readonly findings: readonly Finding[];
  readonly problem: unknown;
}

/** Where the lines of ids are kept until they go to the ledger. */
export interface IdLog {
  /** @param done Called when the bytes of the lines may be used again. */
  appendLines(collection: SnapshotCollection, lines: Uint8Array, done: () => void): void;
  lines(collection: SnapshotCollection): Lines;
}

/** One snapshot collection of a run: the ids that the connector has written, and those that were known before. */
export class GuardedSnapshot {
  readonly collection: SnapshotCollection;
  readonly ledger: CollectionLedger | undefined;
  readonly ids: SnapshotIds;
  /** The ids that were written, as lines. */
  readonly lines: () => Lines;
  /** The known ids as far as they can be read; empty before `judge`. */
  knownIds: readonly KnownIds[] = [];
  /** What the ledger will remember of the snapshot; undefined before `judge`. */
  past: PastSnapshot | undefined;
  /** Of the fields; empty before `judge`. */
  sample: FieldSample = EMPTY_SAMPLE;
  #pasts: PastSnapshots = [];
  #compared: Pick<Comparison, "known" | "gone"> = { known: 0, gone: 0 };

  constructor(collection: SnapshotCollection, ledger: CollectionLedger | undefined, log: IdLog | undefined) {
    this.collection = collection;
    this.ledger = ledger;
    this.lines = () => log?.lines(collection) ?? noLines();
    const write = (lines: Uint8Array, done: () => void) => log?.appendLines(collection, lines, done);
    this.ids = new SnapshotIds({
      sampled: collection,
      write: ledger && log && write,
      keyOf: ledger?.keyOf,
    });
  }

  /** Compares the ids with the known ones, when all were written. */
  async judge({ rule, isUnknown, now, seen }: SnapshotRules): Promise<SnapshotJudgement> {
    const { table, duplicates } = this.ids;
    const sample = this.ids.sample();
    this.sample = sample;
    this.past = { at: now, sent: table.size, filled: filledOf(sample) };
    let baseline: SnapshotDiff["baseline"] = "off";
    let compared: Comparison;
    let problem: unknown;
    let unclear: PastSnapshots = [];
    const compare = async (what: LedgerLook) => {
      this.knownIds = this.ledger?.known(what) ?? [];
      const all = await compareIds(table, this.knownIds);
      this.#pasts = await pastsOf(this.knownIds, "completed");
      unclear = await pastsOf(this.knownIds, "unclear");
      return all;
    };
    try {
      // Once more, because the run before may have replaced its baseline meanwhile.
      compared = await compare(seen).catch(async () => compare((await this.ledger?.look()) ?? seen));
      if (this.ledger !== undefined) baseline = baselineOf(this.knownIds);
    } catch (error) {
      problem = error;
      baseline = "unreadable";
      this.knownIds = await readableOf(this.knownIds, table);
      compared = await compareIds(table, this.knownIds);
    }
    this.#compared = compared;
    const findings = (): readonly Finding[] => {
      if (rule === undefined) return [];
      if (baseline === "unreadable") return [unreadableLedger(compared, problem)];
      const isCompleted = this.knownIds.some(({ state }) => state === "completed");
      if (!isCompleted && isUnknown) return [unknownInstallation(compared)];
      const { collection } = this;
      return findingsOf({ collection, compared, sample, pasts: this.#pasts, unclear, now, duplicates }, rule);
    };
    return {
      collection: this.collection,
      figures: figuresOf(compared, baseline, duplicates),
      compared,
      findings: findings(),
      problem,
    };
  }

  /** Fields that differ from those of an approved run. */
  fieldsBeside(approved: FieldSample): readonly string[] {
    const { collection, sample: now } = this;
    const memory = this.#pasts.at(-1)?.fields;
    return judgeBeside(approved, { collection, memory, now, at: this.past?.at ?? 0 }).map(
      ({ field }) => field,
    );
  }

  /** What the ledger will remember of the collection. @param approved What the snapshot would have been held for */
  pastsWith(rule: ResolvedRule | undefined, approved: readonly Finding[]): PastSnapshots | undefined {
    if (this.past === undefined) return undefined;
    const fields = memoryAfter(this.#pasts.at(-1)?.fields, this.sample, this.past.at, this.#compared);
    return remembered(this.#pasts, { ...this.past, fields }, approved, daysOf(rule));
  }
}

/** Whether a rule says that it is not known what would be removed; then the ids that were sent are approved. */
export function isAboutBaseline({ rule }: Pick<HeldReason, "rule">): boolean {
  return rule === "no-baseline" || rule === "unreadable-ledger";
}

function unknownInstallation({ sent }: Comparison): Finding {
  return { rule: "no-baseline", text: `there is no earlier run to compare with; ${approving(sent)}` };
}

function unreadableLedger({ gone, known, sent }: Comparison, problem: unknown): Finding {
  const why = problem instanceof SaasManagementError ? ` (${problem.message})` : "";
  const readable =
    known === 0 ? "" : `; ${count(gone)} of the ${count(known)} ids that can be read would be removed`;
  return {
    rule: "unreadable-ledger",
    text: `the ledger cannot be read${why}${readable}; ${approving(sent)}`,
  };
}

function approving(sent: number): string {
  return `approving accepts the ${counted(sent, "record")} of this run as the new baseline`;
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

async function pastsOf(knownIds: readonly KnownIds[], wanted: KnownIds["state"]): Promise<PastSnapshots> {
  const pasts: PastSnapshot[] = [];
  for (const ids of knownIds) if (ids.state === wanted) pasts.push(...(await ids.pasts()));
  return pasts;
}

function baselineOf(knownIds: readonly KnownIds[]): SnapshotDiff["baseline"] {
  if (knownIds.some(({ state }) => state === "unclear")) return "unclear";
  return knownIds.length === 0 ? "none" : "completed";
}
