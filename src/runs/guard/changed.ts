/**
 * The rule `changed`: too many of the sampled records lost or changed a value. `npm run simulate:guard` shows
 * which disasters the limits catch and which they miss.
 */
import type { HeldReason } from "../../core/errors/index.js";
import { COLLECTIONS, type SnapshotCollection } from "../../sync/collections.js";
import { FIELDS } from "../../sync/generated/fields.js";
import {
  changesOf,
  type FieldChange,
  type FieldSample,
  filledOf,
  rowsOf,
  SAMPLED_RECORDS,
  type SampledField,
} from "../../sync/ids/field-sample.js";
import type { FieldMemory, PastSnapshot, Usual, UsualShares } from "../ledger/past.js";
import type { Comparison } from "./comparison.js";

const DAY_MS = 24 * 60 * 60 * 1000;
/** The usual share halves in this many days, which is slow because quarters and seasons recur. */
const HALF_LIFE_DAYS = 56;
/** A share breaks the rule only if it's above this multiple of the usual one. */
const FACTOR = 2;
/** Until it has seen this much, the guard doesn't know what is usual: only changes to almost all records count. */
const YOUNG = { days: 7, comparisons: 3, share: 0.9 };
/** Legitimate clean-ups remove up to a quarter of the values. */
const LOST = { share: 0.25, min: 5, all: 3 };
/** A few values lost in each run add up, so the sample is also compared with earlier runs. */
const SLOWLY = { share: 0.25, min: 5, now: 2, shareNow: 0.04 };
/** If departments or plans merge, the records that take the same value are rarely more than this share. */
const MERGED = { share: 0.4, min: 8 };
/** A smaller share is enough if almost all records with another value took this one. */
const SWEEP = { share: 0.2, ofRest: 0.95 };
/** A reorganisation can change more than half of a field's values, but fewer if they count as unique. */
const OTHER = { share: 0.6, uniqueShare: 0.35, min: 10 };
/** Names and addresses rarely change, and never many at once. */
const IDENTITY_MIN = 5;
/** With few records, it's enough if all values become one and several differed, or if unique texts all change. */
const SMALL = { min: 3, values: 3, usual: 0.3 };
/**
 * A value that almost all records have, but fewer than half had before, is wrong even without a history. Names are
 * never all the same.
 */
const COLLAPSED = { share: 0.9, identityShare: 0.8, before: 0.5, min: 5 };
/** Times and versions that rarely changed before break the rule only if almost all of them change. */
const DRIFTING = { share: 0.95, usual: 0.1 };
/** Values count as unique if they have more than this share of the hashes that unique values would have. */
const UNIQUE = { share: 0.75, min: 4 };
const HASHES = 255;
/** Smaller shares are not remembered, because they affect no limit. */
const LEAST_SHARE = 0.005;
/** The share of removed ids is remembered under this name, next to the shares of the fields. */
const IDS = "";
const NOTHING: UsualShares = { lost: 0, other: 0, merged: 0 };

export interface ChangeFacts {
  readonly collection: SnapshotCollection;
  /** The sample of the last completed snapshot. */
  readonly memory: FieldMemory | undefined;
  readonly now: FieldSample;
  /** Earlier snapshots, which show slow losses. */
  readonly pasts: readonly PastSnapshot[];
  readonly at: number;
}

type FieldFigures = NonNullable<HeldReason["fields"]>[number];

/** A field that breaks the rule; `text` says how, without a final period. */
export interface ChangedField extends FieldFigures {
  readonly text: string;
  /** The rows of the sample that changed. */
  readonly rows: readonly number[];
}

/** Judges the fields of a snapshot. */
export function judgeChanges({ collection, memory, now, pasts, at }: ChangeFacts): readonly ChangedField[] {
  if (memory === undefined) return [];
  const usual = decayed(memory.usual, at);
  const changes = new Map(changesOf(memory.sample, now).map((change) => [change.field, change]));
  const { references } = COLLECTIONS[collection];
  // A reference to one of several collections is optional; one to the record's own collection isn't looked up.
  const targetsOf = (field: string) => {
    const targets = references[field] ?? [];
    return targets.length === 1 && !targets.includes(collection) ? targets : undefined;
  };
  const found = FIELDS[collection].flatMap((field) => {
    const change = changes.get(field.name);
    if (change === undefined) return [];
    const shares = usual.shares[field.name] ?? NOTHING;
    return (
      lossOf(change, shares, targetsOf(field.name)) ??
      slowLossOf(change, now, pasts, shares) ??
      otherwise(change, field, shares, isYoung(usual, at)) ??
      []
    );
  });
  return found.sort((a, b) => b.changed / b.sampled - a.changed / a.sampled);
}

/** The largest share of ids that a run usually removes; undefined until that is known. */
export function usualRemovals(memory: FieldMemory | undefined, at: number): number | undefined {
  if (memory === undefined || isYoung(memory.usual, at)) return undefined;
  return decayed(memory.usual, at).shares[IDS]?.lost ?? 0;
}

function isYoung({ since, comparisons }: Usual, at: number): boolean {
  return at - since < YOUNG.days * DAY_MS || comparisons < YOUNG.comparisons;
}

/** What to remember about the fields and the share of removed ids once a snapshot is completed. */
export function memoryAfter(
  memory: FieldMemory | undefined,
  now: FieldSample,
  at: number,
  { known, gone }: Pick<Comparison, "known" | "gone">,
): FieldMemory {
  if (memory === undefined) return { sample: now, usual: { since: at, at, comparisons: 0, shares: {} } };
  const { since, comparisons, shares } = decayed(memory.usual, at);
  const all = new Map(Object.entries(shares));
  const ids = { field: IDS, had: known, lost: gone, other: 0, merged: 0 };
  for (const { field, had, ...counts } of [...changesOf(memory.sample, now), ids]) {
    if (had < LOST.all) continue;
    const before = all.get(field) ?? NOTHING;
    const most = (name: keyof UsualShares) => Math.max(before[name], counts[name] / had);
    all.set(field, { lost: most("lost"), other: most("other"), merged: most("merged") });
  }
  const kept = [...all].filter(([, { lost, other }]) => Math.max(lost, other) >= LEAST_SHARE);
  return {
    sample: now,
    usual: { since, at, comparisons: comparisons + 1, shares: Object.fromEntries(kept) },
  };
}

/** Why a field lost too many of its values in one run. */
function lossOf(
  change: FieldChange,
  usual: UsualShares,
  targets: readonly string[] | undefined,
): ChangedField | undefined {
  const { had, lost } = change;
  const isMany = lost >= LOST.min || (lost === had && lost >= LOST.all);
  if (!isMany || lost / had <= limit(LOST.share, usual.lost)) return undefined;
  const did =
    targets === undefined ? "lost their value" : `refer to no record of ${targets.join(" or ")} in this run`;
  const what = `${lost} of ${had} sampled records ${did} (${usually([0, usual.lost])} do)`;
  const found = lostIn(change, usual.lost, what);
  return targets === undefined ? found : { ...found, value: "missing" };
}

function lostIn({ field: name, had, lost, rows }: FieldChange, usual: number, what: string): ChangedField {
  const lostRows = rows.flatMap(([row, value]) => (value === 0 ? [row] : []));
  const figures = { name, sampled: had, changed: lost, usual, value: "empty" };
  return { ...figures, rows: lostRows, text: `\`${name}\`: ${what}` };
}

/** Why a field has too few values compared with one of the earlier snapshots. */
function slowLossOf(
  change: FieldChange,
  now: FieldSample,
  pasts: readonly PastSnapshot[],
  usual: UsualShares,
): ChangedField | undefined {
  const { field, had, lost } = change;
  if (lost < SLOWLY.now || lost / had <= SLOWLY.shareNow) return undefined;
  const { count } = rowsOf(now);
  const filled = filledOf(now)[field] ?? 0;
  for (const past of pasts) {
    if (past.superseded?.includes(`changed:${field}`)) continue;
    const before = past.filled[field] ?? 0;
    const records = Math.min(past.sent, SAMPLED_RECORDS);
    const expected = (before / records) * count;
    if (expected - filled < SLOWLY.min || 1 - filled / expected <= limit(SLOWLY.share, usual.lost)) continue;
    const day = new Date(past.at).toISOString().slice(0, 10);
    const what = `${filled} of ${count} sampled records have a value; ${before} of ${records} had one on ${day}`;
    return lostIn(change, usual.lost, what);
  }
  return undefined;
}

/** Why too many records have a different value. */
function otherwise(
  change: FieldChange,
  { name, kind, values: names }: SampledField,
  usual: UsualShares,
  young: boolean,
): ChangedField | undefined {
  const { had, other, merged, before, values, value } = change;
  const changed = (count: number, usualShare: number, what: string, isOf: (byte: number) => boolean) => ({
    name,
    sampled: had,
    changed: count,
    usual: usualShare,
    text: `\`${name}\`: ${count} of ${had} sampled records ${what} (${usually([0, usualShare])} change)`,
    rows: change.rows.flatMap(([row, byte]) => (isOf(byte) ? [row] : [])),
  });
  const asOther = () => changed(other, usual.other, "took another value", (byte) => byte > 0);
  if (kind === "drifting") {
    const isNew = !young && usual.other <= DRIFTING.usual;
    return isNew && other >= OTHER.min && other / had >= DRIFTING.share ? asOther() : undefined;
  }
  const isUnique = had >= UNIQUE.min && values > UNIQUE.share * HASHES * (1 - Math.exp(-had / HASHES));
  const isIdentity = isUnique && kind === "text";
  const above = (count: number, share: number, usualShare: number) =>
    count / had > Math.max(young ? YOUNG.share : 0, limit(share, usualShare));
  const isSweep = merged >= SWEEP.ofRest * (had - before);
  const isMerged =
    merged >= (isIdentity ? IDENTITY_MIN : MERGED.min) &&
    above(merged, isSweep ? SWEEP.share : MERGED.share, usual.merged);
  const isSmall =
    merged === had &&
    had >= SMALL.min &&
    values >= Math.min(SMALL.values, had - 1) &&
    usual.merged < SMALL.usual;
  const isCollapsed =
    (isIdentity || kind === "value") &&
    merged >= COLLAPSED.min &&
    (merged + before) / had >= limit(isIdentity ? COLLAPSED.identityShare : COLLAPSED.share, usual.merged) &&
    before / had < COLLAPSED.before;
  if (isMerged || isSmall || isCollapsed) {
    // The sample holds booleans and enums as numbers, and other values as hashes.
    const named = names?.[value - 1] ?? "";
    const what =
      named === ""
        ? `now have the same value; ${before} had it before`
        : `became ${named}; ${before} already were`;
    const all = changed(merged, usual.merged, what, (byte) => byte === value);
    return { ...all, before, ...(named === "" ? {} : { value: named }) };
  }
  const isAll =
    kind === "text" && other === had && had >= SMALL.min && values === had && usual.other < SMALL.usual;
  const isOther =
    other >= (isIdentity ? IDENTITY_MIN : OTHER.min) &&
    above(other, isUnique ? OTHER.uniqueShare : OTHER.share, usual.other);
  return isOther || isAll ? asOther() : undefined;
}

function limit(share: number, usual: number): number {
  return Math.max(share, FACTOR * usual);
}

/** `usually 0 to 2%`. */
export function usually(range: readonly [least: number, most: number]): string {
  const [from, to] = range.map((share) => Math.round(share * 1000) / 10);
  if (to === 0) return "usually none";
  return from === to ? `usually ${to}%` : `usually ${from} to ${to}%`;
}

/** Reduces the usual shares according to the time that has passed. */
function decayed(usual: Usual, at: number): Usual {
  const factor = 2 ** (-Math.max(0, at - usual.at) / (HALF_LIFE_DAYS * DAY_MS));
  const shares = Object.entries(usual.shares).map(([field, { lost, other, merged }]) => [
    field,
    { lost: lost * factor, other: other * factor, merged: merged * factor },
  ]);
  return { ...usual, shares: Object.fromEntries(shares) };
}
