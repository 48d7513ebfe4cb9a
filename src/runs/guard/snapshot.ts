import { type HeldReason, SaasManagementError, type SnapshotDiff } from "../../core/errors/index.js";
import { COLLECTIONS, type Collection, type SnapshotCollection } from "../../sync/collections.js";
import { FIELDS } from "../../sync/generated/fields.js";
import { EMPTY_SAMPLE, type FieldSample, FieldSampler, filledOf } from "../../sync/ids/field-sample.js";
import type { IdTable } from "../../sync/ids/id-table.js";
import { count, counted } from "../../sync/report-text.js";
import type { CollectionLedger, KnownIds, Lists, SnapshotLines } from "../ledger/collection-ledger.js";
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
  /** The current content of the ledger. */
  readonly seen: LedgerSnapshot;
}

export interface SnapshotJudgement {
  readonly snapshot: GuardedSnapshot;
  readonly figures: SnapshotDiff;
  readonly compared: Comparison;
  /** The rules that hold the snapshot. */
  readonly findings: readonly Finding[];
  /** How many ids the snapshot may remove and add. */
  readonly limits: HeldReason["limits"];
  readonly problem: unknown;
}

/** Where the lines of ids are kept until they go to the ledger. */
export interface IdLog {
  /** @param done Called when the bytes of the lines may be reused. */
  appendLines(collection: Collection, lines: Uint8Array, done: () => void): void;
  lines(collection: Collection): Lines;
}

/** One snapshot collection of a run: the ids that the connector has written, and those that were known before. */
export class GuardedSnapshot implements SnapshotLines {
  readonly collection: SnapshotCollection;
  readonly ledger: CollectionLedger | undefined;
  readonly ids: SnapshotIds;
  readonly sampler: FieldSampler;
  /** The ids that were written, as lines. */
  readonly lines: () => Lines;
  /** What a completed run removes and adds, for people; empty before `judge`. */
  lists: Lists<() => Lines> = {};
  /** The known ids that can be read; empty before `judge`. */
  knownIds: readonly KnownIds[] = [];
  /** What the ledger will remember of the snapshot; undefined before `judge`. */
  past: PastSnapshot | undefined;
  /** What the ledger will remember of the collection if the snapshot is completed or held; empty before `judge`. */
  pasts: PastSnapshots = [];
  /** The sample of the fields; empty before `judge`. */
  sample: FieldSample = EMPTY_SAMPLE;

  constructor(collection: SnapshotCollection, ledger: CollectionLedger | undefined, log: IdLog | undefined) {
    this.collection = collection;
    this.ledger = ledger;
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
    const past = { at: now, sent: table.size, filled: filledOf(sample) };
    this.past = past;
    let baseline: SnapshotDiff["baseline"] = "off";
    let compared: Comparison;
    let problem: unknown;
    let pasts: PastSnapshots = [];
    let unclear: PastSnapshots = [];
    const compare = async (what: LedgerSnapshot) => {
      this.knownIds = this.ledger?.known(what) ?? [];
      const all = await compareIds(table, this.knownIds);
      pasts = upTo(now, await pastsOf(this.knownIds, "completed"));
      unclear = upTo(now, await pastsOf(this.knownIds, "unclear"));
      return all;
    };
    try {
      // Tries again, because another run may have replaced the baseline in the meantime.
      compared = await compare(seen).catch(async () => compare((await this.ledger?.read()) ?? seen));
      if (this.ledger !== undefined) baseline = baselineOf(this.knownIds);
    } catch (error) {
      if (!isDamage(error)) throw error;
      problem = error;
      baseline = "unreadable";
      this.knownIds = await readableOf(this.knownIds, table);
      compared = await compareIds(table, this.knownIds);
    }
    const { collection } = this;
    // Ids that a ledger hashes are personal data.
    const sampledIds = this.ledger?.keyOf === undefined ? this.sampler.ids() : [];
    const facts = { collection, compared, sample, sampledIds, pasts, unclear, now, duplicates };
    const find = (): readonly Finding[] => {
      if (rule === undefined) return [];
      if (baseline === "unreadable") return [unreadableLedger(compared, problem)];
      const isCompleted = this.knownIds.some(({ state }) => state === "completed");
      if (!isCompleted && isUnknown) return [unknownInstallation(compared)];
      return findingsOf(facts, rule);
    };
    const { known, sent, new: added, kept, gone: removed } = compared;
    const figures = { baseline, known, sent, added, kept, removed, duplicates };
    const findings = find();
    this.lists = this.listsOf(figures, []);
    const fields = memoryAfter(pasts.at(-1)?.fields, sample, now, compared);
    this.pasts = remembered(pasts, { ...past, fields }, findings, daysOf(rule));
    return {
      snapshot: this,
      figures,
      compared,
      findings,
      limits: rule === undefined ? {} : limitsOf(facts, rule),
      problem,
    };
  }

  /**
   * Why the snapshot would be held if the given held run had been completed. Also compares the ids known before that
   * run, and those of later snapshots that may have been completed, so that many new ids can't hide missing ones.
   */
  async findingsBeside(held: KnownIds, rule: ResolvedRule): Promise<readonly Finding[]> {
    const { collection, sample } = this;
    const { duplicates } = this.ids;
    const shown = await tableOf(held.lines());
    // The approval of an empty snapshot doesn't cover one with records.
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

  /** The ids that are missing from at least one set of known ids; empty sets don't count. */
  async *#newLines(): Lines {
    const tables = await Promise.all(this.knownIds.map((set) => tableOf(set.lines())));
    yield* linesWhere(this.lines(), (low, high) =>
      tables.some((table) => table.size > 0 && !table.has(low, high)),
    );
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
