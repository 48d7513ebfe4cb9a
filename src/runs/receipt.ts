import type { HeldReason, SnapshotDiff } from "../core/errors/index.js";
import { isObject } from "../core/validate.js";
import {
  type Collection,
  collectionEntries,
  isSnapshot,
  type SnapshotCollection,
} from "../sync/collections.js";
import { aligned, count, counted, readDiff, withText } from "../sync/report-text.js";
import type { CompletionCounts } from "../sync/transport.js";
import type { WriteStats } from "../sync/write/options.js";
import type { Guard } from "./guard/guard.js";
import type { Judged } from "./guard/held-report.js";
import type { Lists } from "./ledger/collection-ledger.js";
import type { CompletedRun } from "./ledger/state.js";

/** What a completed run did. Plain data; `toString()` returns a text for a log. */
export interface RunReceipt {
  /** Id of the completed batch. */
  readonly batchId: string;
  /** How often the run tried again to send: see the option `retryForMs`. */
  readonly restarts: number;
  /** How long the run took, in milliseconds. */
  readonly durationMs: number;
  /** How long the run waited for other batches to release the lock, in milliseconds. */
  readonly waitedForLockMs: number;
  /** Location of the ledger; undefined if there was none. */
  readonly ledger: string | undefined;
  /** Whether the guard judged the snapshots: `off` with `guard: false`, or before `guard.offUntil`. */
  readonly guard: "on" | "off";
  /** What happened to each collection in the completed batch. */
  readonly collections: Partial<
    Record<
      Collection,
      {
        /** What was sent. */
        readonly stats: WriteStats;
        /** The changes that the ledger expected in a snapshot; absent without a guard and a ledger. */
        readonly expected?: SnapshotDiff;
        /** The service's own counts; absent if it sends none, or if the response to the completion was lost. */
        readonly reported?: NonNullable<CompletionCounts[Collection]>;
        /** The rules that a snapshot broke with approval; absent if it broke none. */
        readonly approved?: readonly HeldReason["rule"][];
        /**
         * Paths of files with the removed and added ids; they exist as long as the receipt. Absent if there are none,
         * if there was nothing to compare with, or if the ledger hashes ids.
         */
        readonly listedIn?: { readonly removals?: string; readonly additions?: string };
      }
    >
  >;
  /** Sentences about differences from what the ledger expected, and about unusual counts of events. */
  readonly surprises: readonly string[];
  /** Sentences about a run that sent everything, for example about windows that failed and were halved. */
  readonly notes: readonly string[];
  /** The text. */
  toString(): string;
}

/** What the service, the guard and the extraction know of a run. */
interface RunFacts extends Pick<RunReceipt, "restarts" | "durationMs" | "waitedForLockMs"> {
  readonly batch: { readonly id: string; readonly stats: Partial<Record<Collection, WriteStats>> };
  readonly counts: CompletionCounts;
  readonly guard: Guard;
  /** From the extraction, which knows how long the sources took. */
  readonly extracted: Partial<Record<Collection, WriteStats>>;
  readonly lists: Partial<Record<Collection, Lists<string>>>;
  readonly note: string | undefined;
  /** The runs before. */
  readonly runs: readonly CompletedRun[];
  readonly now: number;
}

export function receiptOf({
  batch,
  counts,
  guard,
  extracted,
  lists,
  note,
  runs,
  now,
  ...run
}: RunFacts): RunReceipt {
  const { ledger, rules, judged } = guard;
  const collections: { -readonly [C in Collection]?: RunReceipt["collections"][C] } = {};
  const surprises: string[] = [];
  for (const [name, written] of collectionEntries(batch.stats)) {
    const [read, reported, listedIn] = [extracted[name], counts[name], lists[name] ?? {}];
    const { figures: expected, findings = [] }: Partial<Judged> = judged.get(name) ?? {};
    collections[name] = {
      stats: { ...written, sourceWaitMs: read?.sourceWaitMs ?? 0, skipped: read?.skipped ?? 0 },
      ...(expected === undefined ? {} : { expected }),
      ...(reported === undefined ? {} : { reported }),
      ...(findings.length === 0 ? {} : { approved: findings.map(({ rule }) => rule) }),
      ...(Object.keys(listedIn).length === 0 ? {} : { listedIn }),
    };
    surprises.push(...surprisesOf(name, expected, reported?.removed));
    if (!isSnapshot(name)) surprises.push(...eventSurprises(name, written.sent, runs, now));
  }
  return describedReceipt({
    batchId: batch.id,
    ...run,
    ledger: ledger?.location,
    guard: rules.isOn ? "on" : "off",
    collections,
    surprises,
    notes: note === undefined ? [] : [note],
  });
}

/** Adds a surprise to a receipt. */
export function withSurprise(receipt: RunReceipt, surprise: string): RunReceipt {
  return describedReceipt({ ...receipt, surprises: [...receipt.surprises, surprise] });
}

/**
 * People who watch the job treat a surprise as an error, but a holiday normally has few events. So a number of
 * events is a surprise only if it differs from that of the same weekday by a factor of more than ten.
 */
const FAR = { factor: 10, runs: 3, events: 100 };
const DAY_MS = 24 * 60 * 60 * 1000;

/** What to say if there are far more or fewer events than on the same weekday (in UTC). */
function eventSurprises(name: Collection, sent: number, runs: RunFacts["runs"], now: number): string[] {
  const dayOf = (at: number) => new Date(at).getUTCDay();
  const before = runs.flatMap(({ at, receipt }) => {
    const isCompared = now - at > DAY_MS && dayOf(at) === dayOf(now) && isReceipt(receipt);
    return isCompared ? (receipt.collections[name]?.stats.sent ?? []) : [];
  });
  const [least, most] = [Math.min(...before), Math.max(...before)];
  const isFar = sent > FAR.factor * most || FAR.factor * sent < least;
  if (before.length < FAR.runs || !isFar || Math.max(sent, least) < FAR.events) return [];
  const range = least === most ? count(least) : `${count(least)} to ${count(most)}`;
  return [`${counted(sent, "event")} of ${name} were sent, and ${range} on the same weekday before`];
}

/** How many records of a run the service accepted. */
export function acceptedOf({ collections }: RunReceipt): number {
  const all = Object.values(collections).map(({ stats }) => stats.accepted + stats.alreadyAccepted);
  return all.reduce((sum, records) => sum + records, 0);
}

/** Whether a value from a ledger is a receipt. */
export function isReceipt(value: unknown): value is RunReceipt {
  if (!isObject(value)) return false;
  const { batchId, collections, surprises }: Partial<Record<keyof RunReceipt, unknown>> = value;
  return typeof batchId === "string" && isObject(collections) && Array.isArray(surprises);
}

/** Gives a receipt its text. */
export function describedReceipt(receipt: Omit<RunReceipt, "toString">): RunReceipt {
  return withText({ ...receipt }, () => linesOf(receipt));
}

const HEAD = ["", "sent", "added", "kept", "removed", "service: added", "updated", "removed"];

function linesOf(run: Omit<RunReceipt, "toString">) {
  const { batchId, restarts, durationMs, ledger = "none", guard, collections, surprises } = run;
  // Receipts of older versions have no notes.
  const { notes = [] }: Partial<typeof run> = run;
  const again = restarts === 0 ? "" : `, ${counted(restarts, "restart")}`;
  const seconds = (durationMs / 1000).toFixed(1);
  const written = collectionEntries(collections);
  const rows = written.map(([name, { stats, expected, reported = {} }]) => {
    const known = expected === undefined ? undefined : readDiff(expected).known;
    const { added, updated, removed }: CompletionCounts[Collection] = reported;
    const changes = [known?.added, known?.kept, known?.removed, added, updated, removed];
    return [
      name,
      count(stats.sent),
      ...changes.map((number) => (number === undefined ? "–" : count(number))),
    ];
  });
  const remarks = new Map<string, string[]>();
  for (const [name, facts] of written) {
    for (const remark of remarksOn(facts)) remarks.set(remark, [...(remarks.get(remark) ?? []), name]);
  }
  return [
    `Run completed: batch ${batchId}, ${seconds} s${again}; ledger: ${ledger}; guard: ${guard}.`,
    ...aligned([HEAD, ...rows]),
    ...[...remarks].map(([remark, names]) => `${names.join(", ")}: ${remark}.`),
    ...surprises.map((surprise) => `Unexpected: ${surprise}.`),
    ...notes.map((note) => `Note: ${note}.`),
  ];
}

function remarksOn({
  stats,
  expected,
  reported,
  approved,
  listedIn,
}: NonNullable<RunReceipt["collections"][Collection]>) {
  const remarks: string[] = [];
  if (stats.skipped > 0) remarks.push(`${count(stats.skipped)} skipped, sent before`);
  const { remark } = expected === undefined ? {} : readDiff(expected);
  if (remark !== undefined) remarks.push(remark);
  if (reported === undefined) remarks.push("the service hasn't said what changed");
  if (approved !== undefined) remarks.push(`approved: ${approved.join(", ")}`);
  if (listedIn !== undefined) remarks.push(`ids listed in ${Object.values(listedIn).join(" and ")}`);
  return remarks;
}

/** What to say if the batch was completed but the ledger couldn't record it. */
export function notNoted(hasSnapshots: boolean, error: unknown): string {
  const why = error instanceof Error ? error.message.replace(/\.$/, "") : "no reason was given";
  const next = `${hasSnapshots ? "is compared with both snapshots, and " : ""}sends the same events again`;
  return `the batch was completed, but the ledger could not record it (${why}): the next run ${next}`;
}

/** What to say if the service removed more than expected: a lost or restored ledger doesn't know all records. */
function surprisesOf(collection: Collection, expected: SnapshotDiff | undefined, removed = 0): string[] {
  if (expected === undefined || expected.baseline === "off" || removed <= expected.removed) return [];
  const why =
    expected.baseline === "none"
      ? `an earlier job, or one with another ledger, sent ${collection}`
      : "this may be an old copy of the ledger, or not the one that the last run used";
  return [
    `the service removed ${counted(removed, "record")} of ${collection}, but the ledger expected ${count(expected.removed)}: ${why}, or another connector also writes ${collection}. If they shouldn't be gone, run again at once with all records: the service restores what you send again`,
  ];
}

/** The number of runs whose counts a report shows. */
const SHOWN_RUNS = 7;

type Range = readonly [least: number, most: number];

/** What is usual for a collection, according to the receipts of earlier runs. It's for people, not for the rules. */
export function usualOf(runs: readonly CompletedRun[], collection: SnapshotCollection): HeldReason["usual"] {
  const past = runs.flatMap(({ receipt }) =>
    isReceipt(receipt) ? (receipt.collections[collection] ?? []) : [],
  );
  const diffs = past.flatMap(({ expected, approved }) => (expected ? [{ ...expected, approved }] : []));
  const judged = diffs.filter(({ known, approved }) => known > 0 && approved === undefined);
  const range = (what: "removed" | "added"): Range => {
    const shares = judged.map((diff) => diff[what] / diff.known);
    return [Math.min(...shares), Math.max(...shares)];
  };
  const sent = diffs.slice(-SHOWN_RUNS).map((diff) => diff.sent);
  return judged.length === 0 ? { sent } : { sent, removed: range("removed"), added: range("added") };
}
