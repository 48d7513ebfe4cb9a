import type { Comparison } from "./comparison.js";

/**
 * What a snapshot was compared with.
 *
 * - `ledger`: the ids of the last completed snapshot.
 * - `unclear`: those, and the ids of a later snapshot of which nobody knows whether it was completed.
 * - `none`: the ledger knew nothing of the collection.
 * - `unreadable`: the ledger could not be read, and the guard was off for the collection, or it was approved of. The
 *   figures are of what could be read.
 * - `off`: the run was told to keep no ledger.
 */
export type Baseline = "ledger" | "unclear" | "none" | "unreadable" | "off";

/**
 * The ids of a snapshot, beside those that the ledger knew. What an earlier attempt of the same run had sent counts as
 * new still.
 */
export interface SnapshotFigures {
  /** What the snapshot was compared with. */
  readonly baseline: Baseline;
  /** Number of ids that the ledger knew. */
  readonly known: number;
  /** Number of ids that the ledger did not know. */
  readonly new: number;
  /** Number of known ids that the snapshot has too. */
  readonly kept: number;
  /** Number of known ids that the snapshot lacks: the service marks them as removed. */
  readonly gone: number;
  /** Share of the known ids that are gone, from 0 to 1; 0 where none was known. */
  readonly goneShare: number;
  /** Share of the snapshot's ids that are new, from 0 to 1; 0 where it has none. */
  readonly newShare: number;
  /** Number of records that came twice, with the same id and the same contents. */
  readonly duplicates: number;
}

/** The figures of a comparison. */
export function figuresOf(compared: Comparison, baseline: Baseline, duplicates: number): SnapshotFigures {
  const { known, sent, kept, gone } = compared;
  return {
    baseline,
    known,
    new: compared.new,
    kept,
    gone,
    goneShare: known === 0 ? 0 : gone / known,
    newShare: sent === 0 ? 0 : compared.new / sent,
    duplicates,
  };
}
