import type { Baseline, SnapshotFigures } from "../progress.js";
import type { Comparison } from "./comparison.js";

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
