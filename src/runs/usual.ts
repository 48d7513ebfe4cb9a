/** What is usual for a collection, judging by the receipts of the runs before: for people, not for the rules. */
import type { HeldReason } from "../core/errors/index.js";
import {
  type Collection,
  collectionEntries,
  isSnapshot,
  type SnapshotCollection,
} from "../sync/collections.js";
import { count, counted } from "../sync/report-text.js";
import type { WriteStats } from "../sync/write/options.js";
import type { CompletedRun } from "./ledger/state.js";
import { isReceipt } from "./receipt.js";

/** Runs whose counts a report shows. */
const SHOWN_RUNS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * A surprise is an error for whoever watches the job, and on a holiday hardly anyone works: only ten times as many events
 * as on the same weekday are one, or a tenth of them.
 */
const FAR = { factor: 10, runs: 3, events: 100 };

type Range = readonly [least: number, most: number];

export function usualOf(runs: readonly CompletedRun[], collection: SnapshotCollection): HeldReason["usual"] {
  const past = runs.flatMap(({ receipt }) =>
    isReceipt(receipt) ? (receipt.collections[collection] ?? []) : [],
  );
  const diffs = past.flatMap(({ expected, approved }) => (expected ? [{ ...expected, approved }] : []));
  const counted = diffs.filter(({ known, approved }) => known > 0 && approved === undefined);
  const range = (what: "removed" | "added"): Range => {
    const shares = counted.map((diff) => diff[what] / diff.known);
    return [Math.min(...shares), Math.max(...shares)];
  };
  const sent = diffs.slice(-SHOWN_RUNS).map((diff) => diff.sent);
  return counted.length === 0 ? { sent } : { sent, removed: range("removed"), added: range("added") };
}

/** The counts of events that are far from those of the same weekday (in UTC), in sentences without a period. */
export function eventSurprises(
  runs: readonly CompletedRun[],
  stats: Partial<Record<Collection, WriteStats>>,
  now: number,
): readonly string[] {
  const weekday = new Date(now).getUTCDay();
  const same = runs.filter(({ at }) => now - at > DAY_MS && new Date(at).getUTCDay() === weekday);
  return collectionEntries(stats).flatMap(([name, { sent }]) => {
    if (isSnapshot(name)) return [];
    const before = same.flatMap(({ receipt }) =>
      isReceipt(receipt) ? (receipt.collections[name]?.stats.sent ?? []) : [],
    );
    const [least, most] = [Math.min(...before), Math.max(...before)];
    const isFar = sent > FAR.factor * most || FAR.factor * sent < least;
    if (before.length < FAR.runs || !isFar || Math.max(sent, least) < FAR.events) return [];
    const range = least === most ? count(least) : `${count(least)} to ${count(most)}`;
    return [`${counted(sent, "event")} of ${name} were sent, and ${range} on the same weekday before`];
  });
}
