import type { HeldReason } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../collections.js";
import type { FieldSample } from "../ids/field-sample.js";
import type { History, PastSnapshot } from "../ledger/history.js";
import { counted } from "../report-text.js";
import { judgeChanges } from "./changed.js";
import type { Comparison } from "./comparison.js";
import { daysOf, inWindow } from "./history.js";
import { describeRemovals, growth, isHeld, shrinkage } from "./id-rules.js";
import type { ResolvedRule } from "./rules.js";

const FIRST_FIELDS = 5;

/** What a snapshot is judged by. */
export interface SnapshotFacts {
  readonly collection: SnapshotCollection;
  readonly compared: Comparison;
  readonly sample: FieldSample;
  readonly history: History;
  /** Snapshots that may have been completed after those of the history. */
  readonly unclear: readonly PastSnapshot[];
  readonly now: number;
}

/** A rule that a snapshot breaks. */
export interface Finding {
  readonly rule: HeldReason["rule"];
  /** The fields concerned, for `changed`. */
  readonly fields?: readonly string[];
  /** What was found, with figures and without a period; the collection is not named. */
  readonly text: string;
}

/** Judges a snapshot by the rules that need no other collection. */
export function findingsOf(facts: SnapshotFacts, rule: ResolvedRule): readonly Finding[] {
  const { collection, compared, sample, history, unclear, now } = facts;
  const pasts = [...inWindow(history, now, daysOf(rule)), ...unclear];
  const window = pasts.filter(({ superseded = [] }) => !superseded.includes("window"));
  const findings: Finding[] = [];
  const find = (name: Finding["rule"], text: string | undefined) => {
    if (text !== undefined) findings.push({ rule: name, text });
  };
  // What `removed` says need not be said again as shrinkage.
  if (isHeld(compared, rule)) find("removed", describeRemovals(compared));
  else if (rule.window !== false) find("window", shrinkage(compared, window, rule.window));
  if (rule.added !== false) find("added", growth(compared, rule.added));
  const memory = history.at(-1)?.fields;
  const changed = rule.changed ? judgeChanges({ collection, memory, now: sample, pasts, at: now }) : [];
  if (changed.length === 0) return findings;
  const texts = changed.slice(0, FIRST_FIELDS).map(({ text }) => text);
  const more = changed.length - texts.length;
  if (more > 0) texts.push(`the same with ${counted(more, "more field")}`);
  return [
    ...findings,
    { rule: "changed", fields: changed.map(({ field }) => field), text: texts.join("; ") },
  ];
}
