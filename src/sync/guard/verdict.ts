import type { HeldReason } from "../../core/errors/index.js";
import type { SnapshotProfile } from "../ids/snapshot-profile.js";
import type { History, PastSnapshot } from "../ledger/history.js";
import { counted } from "../report-text.js";
import type { Comparison } from "./comparison.js";
import { emptiedFields, type FieldFinding, flippedFields, otherPeople } from "./field-rules.js";
import { daysOf, inWindow } from "./history.js";
import { describeRemovals, growth, isHeld, shrinkage } from "./id-rules.js";
import type { ResolvedRule } from "./rules.js";

const FIRST_FIELDS = 5;

/** What a snapshot is judged by. */
export interface SnapshotFacts {
  readonly compared: Comparison;
  readonly profile: SnapshotProfile;
  readonly history: History;
  /** Snapshots that may have been completed after those of the history. */
  readonly unclear: readonly PastSnapshot[];
  readonly now: number;
}

/** A rule that a snapshot breaks. */
export interface Finding {
  readonly rule: HeldReason["rule"];
  /** The fields concerned, for rules about fields. */
  readonly fields?: readonly string[];
  /** What was found, with figures and without a period; the collection is not named. */
  readonly text: string;
}

/** Judges a snapshot by the rules that need no other collection. */
export function findingsOf(facts: SnapshotFacts, rule: ResolvedRule): readonly Finding[] {
  const { compared, profile, history, now } = facts;
  const pasts = [...inWindow(history, now, daysOf(rule)), ...facts.unclear];
  const window = pasts.filter(({ superseded = [] }) => !superseded.includes("window"));
  const findings: Finding[] = [];
  const find = (name: Finding["rule"], text: string | undefined) => {
    if (text !== undefined) findings.push({ rule: name, text });
  };
  const findFields = (name: Finding["rule"], fields: readonly FieldFinding[]) => {
    if (fields.length === 0) return;
    const texts = fields.slice(0, FIRST_FIELDS).map(({ text }) => text);
    const more = fields.length - texts.length;
    if (more > 0) texts.push(`the same with ${counted(more, "more field")}`);
    findings.push({ rule: name, fields: fields.map(({ field }) => field), text: texts.join("; ") });
  };
  // What `removed` says need not be said again as shrinkage.
  if (isHeld(compared, rule)) find("removed", describeRemovals(compared));
  else if (rule.window !== false) find("window", shrinkage(compared, window, rule.window));
  if (rule.emptied !== false) findFields("emptied", emptiedFields(profile, pasts, rule.emptied));
  if (rule.flipped !== false) findFields("flipped", flippedFields(profile, history, rule.flipped));
  if (rule.added !== false) find("added", growth(compared, rule.added));
  if (rule.values !== false) find("values", otherPeople(profile, history.at(-1)?.profile, rule.values));
  return findings;
}

export function isAboutFields(rule: Finding["rule"]): boolean {
  return rule === "emptied" || rule === "flipped" || rule === "values";
}

/** Whether a snapshot breaks a rule about fields beside one other snapshot. */
export function breaksBeside(
  rule: Finding["rule"],
  profile: SnapshotProfile,
  before: SnapshotProfile,
  { emptied, flipped, values }: ResolvedRule,
): boolean {
  const past = [{ at: 0, sent: before.records, profile: before }];
  if (rule === "emptied" && emptied !== false) return emptiedFields(profile, past, emptied).length > 0;
  if (rule === "flipped" && flipped !== false) return flippedFields(profile, past, flipped).length > 0;
  return values !== false && otherPeople(profile, before, values) !== undefined;
}
