/** What is usual for a collection, by the receipts of the runs before: for people, not for the rules. */
import type { HeldReason } from "../core/errors/index.js";
import type { SnapshotCollection } from "../sync/collections.js";
import type { CompletedRun } from "./ledger/state.js";
import { isReceipt } from "./receipt.js";

/** Runs whose counts a report shows. */
const SHOWN_RUNS = 7;

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
