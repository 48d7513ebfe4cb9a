import { memoryAfter } from "../../../src/runs/guard/changed.js";
import type { Comparison } from "../../../src/runs/guard/comparison.js";
import { daysOf, type ResolvedRule } from "../../../src/runs/guard/rules.js";
import { type Finding, findingsOf } from "../../../src/runs/guard/verdict.js";
import { type PastSnapshots, remembered } from "../../../src/runs/ledger/past.js";
import type { FieldSample } from "../../../src/sync/ids/field-sample.js";
import { filledOf } from "../../../src/sync/ids/field-sample.js";
import type { Modelled } from "./fields.js";

/** A snapshot as the guard sees it. */
export interface Snapshot {
  readonly alive: Uint8Array;
  readonly sample: FieldSample;
  readonly at: number;
  /** Number of records that were sent twice. */
  readonly duplicates?: number | undefined;
}

/** What a ledger knows of a collection. */
export interface Ledger {
  readonly alive: Uint8Array;
  readonly pasts: PastSnapshots;
}

/** Judges a snapshot by the shipped rules. @returns the findings, and the ledger as it is after a completion */
export function judged(
  collection: Modelled,
  { alive: before, pasts }: Ledger,
  { alive, sample, at, duplicates = 0 }: Snapshot,
  rule: ResolvedRule,
): { readonly findings: readonly Finding[]; readonly next: Ledger } {
  const compared = comparisonOf(before, alive);
  const findings = findingsOf(
    { collection, compared, sample, pasts, unclear: [], now: at, duplicates },
    rule,
  );
  const fields = memoryAfter(pasts.at(-1)?.fields, sample, at, compared);
  const past = { at, sent: compared.sent, filled: filledOf(sample), fields };
  return { findings, next: { alive, pasts: remembered(pasts, past, findings, daysOf(rule)) } };
}

function comparisonOf(before: Uint8Array, now: Uint8Array): Comparison {
  const [known, sent] = [countOf(before), countOf(now)];
  let kept = 0;
  for (let slot = 0; slot < before.length; slot += 1) if (before[slot] === 1 && now[slot] === 1) kept += 1;
  const gone = known - kept;
  const sets = [{ origin: "completed" as const, known, gone }];
  return { known, sent, new: sent - kept, kept, gone, sets, firstGone: [] };
}

function countOf(alive: Uint8Array): number {
  let count = 0;
  for (const one of alive) count += one;
  return count;
}
