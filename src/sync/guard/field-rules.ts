import { changedRecords, type SnapshotProfile } from "../ids/snapshot-profile.js";
import type { PastSnapshot } from "../ledger/history.js";
import { count } from "../report-text.js";
import { percent } from "./id-rules.js";
import type { ResolvedRule } from "./rules.js";

type Limits<Name extends keyof ResolvedRule> = Exclude<ResolvedRule[Name], false>;
type Counts = Readonly<Record<string, number>>;

/** A field that breaks a rule, and how. */
export interface FieldFinding {
  readonly field: string;
  readonly text: string;
}

/** Fields that lost too many of the values that any of the snapshots had. */
export function emptiedFields(
  { records, filled }: SnapshotProfile,
  window: readonly PastSnapshot[],
  { maxShare, min }: Limits<"emptied">,
): readonly FieldFinding[] {
  // Without records there are no fields: the rules about ids judge that.
  if (records === 0) return [];
  const found = new Map<string, FieldFinding & { readonly lost: number }>();
  for (const past of window) {
    const before = past.profile;
    for (const [field, values] of Object.entries(before.filled)) {
      if (past.superseded?.includes(`emptied:${field}`)) continue;
      const now = filled[field] ?? 0;
      const lost = values - now;
      const lostRate = 1 - now / records / (values / before.records);
      if (lost < min || lost / values <= maxShare || lostRate <= maxShare) continue;
      if (lost <= (found.get(field)?.lost ?? 0)) continue;
      const text = `${field} has a value in ${count(now)} of ${count(records)} records, before in ${count(values)} of ${count(before.records)}`;
      found.set(field, { field, text, lost });
    }
  }
  return [...found.values()];
}

/** Booleans and enums whose values are shared out otherwise than in every snapshot before. */
export function flippedFields(
  { choices }: SnapshotProfile,
  history: readonly PastSnapshot[],
  { maxDistance, min }: Limits<"flipped">,
): readonly FieldFinding[] {
  const found: FieldFinding[] = [];
  for (const [field, now] of Object.entries(choices)) {
    const before = history
      .map(({ profile }) => profile.choices[field] ?? {})
      .filter((counts) => sumOf(counts) >= min);
    const latest = before.at(-1);
    if (latest === undefined || sumOf(now) < min) continue;
    if (before.some((counts) => distance(now, counts) <= maxDistance)) continue;
    found.push({ field, text: `${field} is ${describeChange(now, latest)}` });
  }
  return found;
}

/** Why the known ids look like those of other people. */
export function otherPeople(
  { sample }: SnapshotProfile,
  before: SnapshotProfile | undefined,
  { maxShare, min }: Limits<"values">,
): string | undefined {
  const { kept, changed } = changedRecords(before?.sample ?? "", sample);
  if (kept < min || changed / kept <= maxShare) return undefined;
  return `name and e-mail address both changed in ${changed} of ${kept} compared records`;
}

/** The total variation distance: the share of values that would have to change. */
function distance(now: Counts, before: Counts): number {
  const all = { now: sumOf(now), before: sumOf(before) };
  const values = new Set([...Object.keys(now), ...Object.keys(before)]);
  let sum = 0;
  for (const value of values)
    sum += Math.abs((now[value] ?? 0) / all.now - (before[value] ?? 0) / all.before);
  return sum / 2;
}

/** Describes the value that became most frequent. */
function describeChange(now: Counts, before: Counts): string {
  const all = { now: sumOf(now), before: sumOf(before) };
  const gain = (value: string) => (now[value] ?? 0) / all.now - (before[value] ?? 0) / all.before;
  const value = Object.keys(now).reduce((best, next) => (gain(next) > gain(best) ? next : best));
  return `${value} in ${percent(now[value] ?? 0, all.now)} of ${count(all.now)} records, before in ${percent(before[value] ?? 0, all.before)} of ${count(all.before)}`;
}

function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, value) => sum + value, 0);
}
