import { type HeldReason, SaasManagementError, type SnapshotDiff } from "../../core/errors/index.js";
import { COLLECTIONS, type SnapshotCollection } from "../../sync/collections.js";
import { FIELDS } from "../../sync/generated/fields.js";
import { EMPTY_SAMPLE, type FieldSample, FieldSampler, filledOf } from "../../sync/ids/field-sample.js";
import type { IdTable } from "../../sync/ids/id-table.js";
import { count, counted } from "../../sync/report-text.js";
import {
  type CollectionLedger,
  type KnownIds,
  LIST_KINDS,
  type ListKind,
  type Lists,
} from "../ledger/collection-ledger.js";
import { linesOf } from "../ledger/id-lines.js";
import { type PastSnapshot, type PastSnapshots, remembered, upTo } from "../ledger/past.js";
import type { LedgerSnapshot } from "../ledger/state.js";
import { isDamage, type Lines, noLines } from "../ledger/value.js";
import { memoryAfter } from "./changed.js";
import { type Comparison, compareIds, goneLines, linesWhere, tableOf } from "./comparison.js";
import { daysOf, type ResolvedRule } from "./rules.js";
import { SnapshotIds } from "./snapshot-ids.js";
import { type Finding, findingsOf, limitsOf } from "./verdict.js";

export interface SnapshotRules {
  readonly rule: ResolvedRule | undefined;
  /** Whether a run is held because the ledger doesn't know the installation. */
  readonly isUnknown: boolean;
  readonly now: number;
  /** What the ledger has. */
  readonly seen: LedgerSnapshot;
}

export interface SnapshotJudgement {
  readonly collection: SnapshotCollection;
  readonly figures: SnapshotDiff;
  readonly compared: Comparison;
  /** The rules that hold the snapshot. */
  readonly findings: readonly Finding[];
  /** How many ids it may remove and add. */
  readonly limits: HeldReason["limits"];
  readonly problem: unknown;
}

/** Where the lines of ids are kept until they go to the ledger. */
export interface IdLog {
  /** @param done Called when the bytes of the lines may be reused. */
  appendLines(name: string, lines: Uint8Array, done: () => void): void;
  /** Resolves when all lines so far have been consumed. */
  settled(): Promise<void>;
  lines(name: string): Lines;
}

/** One snapshot collection of a run: the ids that the connector has written, and those that were known before. */
export class GuardedSnapshot {
  readonly collection: SnapshotCollection;
  readonly ledger: CollectionLedger | undefined;
  readonly ids: SnapshotIds;
  readonly sampler: FieldSampler;
  /** The ids that were written, as lines. */
  readonly lines: () => Lines;
  /** What a completed run removes and adds, for people; empty before `keepLists`. */
  lists: Lists<() => Lines> = {};
  /** The known ids that can be read; empty before `judge`. */
  knownIds: readonly KnownIds[] = [];
  /** What the ledger will remember of the snapshot; undefined before `judge`. */
  past: PastSnapshot | undefined;
  /** The sample of the fields; empty before `judge`. */
  sample: FieldSample = EMPTY_SAMPLE;
  #pasts: PastSnapshots = [];
  #compared: Pick<Comparison, "known" | "gone"> = { known: 0, gone: 0 };
  readonly #log: IdLog | undefined;

  constructor(collection: SnapshotCollection, ledger: CollectionLedger | undefined, log: IdLog | undefined) {
    this.collection = collection;
    this.ledger = ledger;
    this.#log = log;
    this.lines = () => log?.lines(collection) ?? noLines();
    const write = (lines: Uint8Array, done: () => void) => log?.appendLines(collection, lines, done);
    this.sampler = new FieldSampler(FIELDS[collection], Object.keys(COLLECTIONS[collection].references));
    this.ids = new SnapshotIds({
      sampler: this.sampler,
      write: ledger && log && write,
      keyOf: ledger?.keyOf,
    });
  }

  /** Compares the ids with the known ones, once all are written. */
  async judge({ rule, isUnknown, now, seen }: SnapshotRules): Promise<SnapshotJudgement> {
    const { table, duplicates } = this.ids;
    const sample = this.sampler.sample();
    this.sample = sample;
    this.past = { at: now, sent: table.size, filled: filledOf(sample) };
    let baseline: SnapshotDiff["baseline"] = "off";
    let compared: Comparison;
    let problem: unknown;
    let unclear: PastSnapshots = [];
    const compare = async (what: LedgerSnapshot) => {
      this.knownIds = this.ledger?.known(what) ?? [];
      const all = await compareIds(table, this.knownIds);
      this.#pasts = upTo(now, await pastsOf(this.knownIds, "completed"));
      unclear = upTo(now, await pastsOf(this.knownIds, "unclear"));
      return all;
    };
    try {
      // Once more, because the previous run may have replaced its baseline in the meantime.
      compared = await compare(seen).catch(async () => compare((await this.ledger?.read()) ?? seen));
      if (this.ledger !== undefined) baseline = baselineOf(this.knownIds);
    } catch (error) {
      if (!isDamage(error)) throw error;
      problem = error;
      baseline = "unreadable";
      this.knownIds = await readableOf(this.knownIds, table);
      compared = await compareIds(table, this.knownIds);
    }
    this.#compared = compared;
    const { collection } = this;
    // A ledger hashes ids because they are personal data.
    const sampledIds = this.ledger?.keyOf === undefined ? this.sampler.ids() : [];
    const facts = { collection, compared, sample, sampledIds, pasts: this.#pasts, unclear, now, duplicates };
    const findings = (): readonly Finding[] => {
      if (rule === undefined) return [];
      if (baseline === "unreadable") return [unreadableLedger(compared, problem)];
      const isCompleted = this.knownIds.some(({ state }) => state === "completed");
      if (!isCompleted && isUnknown) return [unknownInstallation(compared)];
      return findingsOf(facts, rule);
    };
    const { known, sent, new: added, kept, gone: removed } = compared;
    return {
      collection,
      figures: { baseline, known, sent, added, kept, removed, duplicates },
      compared,
      findings: findings(),
      limits: rule === undefined ? {} : limitsOf(facts, rule),
      problem,
    };
  }

  /**
   * What the snapshot would be held for if a held run had been completed. Its previously known ids also count
   * separately, so that many new ones can't hide that they are gone; so do ids that may have been completed since.
   */
  async findingsBeside(held: KnownIds, rule: ResolvedRule): Promise<readonly Finding[]> {
    const { collection, sample } = this;
    const { duplicates } = this.ids;
    const shown = await tableOf(held.lines());
    // Anything is too much for an empty baseline: approving the removal of everything must not let other records in.
    if (shown.size === 0 && this.ids.table.size > 0) return [{ rule: "added", text: "that one was empty" }];
    const isShown = (low: number, high: number) => shown.has(low, high);
    const known = this.knownIds.map((ids) =>
      ids.sequence > held.sequence ? ids : { ...ids, lines: () => linesWhere(ids.lines(), isShown) },
    );
    const now = this.past?.at ?? 0;
    const facts = { collection, sample, pasts: upTo(now, await held.pasts()), unclear: [], now, duplicates };
    const onlyRemoved = { ...rule, window: false, added: false, changed: false } as const;
    return [
      ...findingsOf({ ...facts, compared: await compareIds(this.ids.table, [held]) }, rule),
      ...findingsOf({ ...facts, compared: await compareIds(this.ids.table, known) }, onlyRemoved),
    ];
  }

  /** Lists for people: what a run removes and adds, or what it sent if the changes aren't known. */
  listsOf({ baseline, removed, added }: SnapshotDiff, findings: readonly Finding[]): Lists<() => Lines> {
    if (findings.some(isAboutBaseline)) return { sent: this.lines };
    if (baseline !== "completed" && baseline !== "unclear") return {};
    const { ids, knownIds } = this;
    const changed = findings.flatMap(({ ids: sampled = [] }) => sampled.map(({ id }) => id));
    const removals = () => goneLines(ids.table, knownIds);
    return {
      ...(removed === 0 ? {} : { removals }),
      ...(added === 0 ? {} : { additions: () => this.#newLines() }),
      ...(changed.length === 0 ? {} : { changed: () => linesOf(changed) }),
    };
  }

  /** Keeps what a run removes and adds until the ledger stores it, because by then the ids are no longer in memory. */
  async keepLists(figures: SnapshotDiff): Promise<void> {
    const log = this.#log;
    if (log === undefined || this.ledger === undefined || this.ledger.keyOf !== undefined) return;
    const kept: { [Kind in ListKind]?: () => Lines } = {};
    const lists = this.listsOf(figures, []);
    for (const kind of LIST_KINDS) {
      const lines = lists[kind];
      if (lines === undefined) continue;
      const name = `${this.collection} ${kind}`;
      for await (const piece of lines()) {
        log.appendLines(name, piece, () => {});
        await log.settled();
      }
      kept[kind] = () => log.lines(name);
    }
    this.lists = kept;
  }

  /** The ids that are missing from a set of known ones, if it has any. */
  async *#newLines(): Lines {
    const tables = await Promise.all(this.knownIds.map((set) => tableOf(set.lines())));
    yield* linesWhere(this.lines(), (low, high) =>
      tables.some((table) => table.size > 0 && !table.has(low, high)),
    );
  }

  /** What the ledger will remember of the collection. @param approved What the snapshot would have been held for */
  pastsWith(rule: ResolvedRule | undefined, approved: readonly Finding[]): PastSnapshots | undefined {
    if (this.past === undefined) return undefined;
    const fields = memoryAfter(this.#pasts.at(-1)?.fields, this.sample, this.past.at, this.#compared);
    return remembered(this.#pasts, { ...this.past, fields }, approved, daysOf(rule));
  }
}

/** Whether a rule means that the removals are unknown; then an approval covers the ids that were sent. */
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

/** The sets that can be read completely. */
async function readableOf(knownIds: readonly KnownIds[], table: IdTable): Promise<readonly KnownIds[]> {
  const readable: KnownIds[] = [];
  for (const ids of knownIds) {
    try {
      await compareIds(table, [ids]);
      readable.push(ids);
    } catch (error) {
      // The other sets may be readable.
      if (!isDamage(error)) throw error;
    }
  }
  return readable;
}

async function pastsOf(knownIds: readonly KnownIds[], wanted: KnownIds["state"]): Promise<PastSnapshots> {
  const all = knownIds.filter(({ state }) => state === wanted).map((ids) => ids.pasts());
  return (await Promise.all(all)).flat();
}

function baselineOf(knownIds: readonly KnownIds[]): SnapshotDiff["baseline"] {
  if (knownIds.some(({ state }) => state === "unclear")) return "unclear";
  return knownIds.length === 0 ? "none" : "completed";
}
