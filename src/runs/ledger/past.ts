import type { HeldReason } from "../../core/errors/index.js";
import { type Check, isCount, isText, listOf, objectOf, optional, recordOf } from "../../core/validate.js";
import type { FieldSample } from "../../sync/ids/field-sample.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const LAST_RUNS = 8;

/** For how many days a collection's snapshots are remembered, unless a rule says otherwise. */
export const WINDOW_DAYS = 7;

/** What a ledger remembers about a completed snapshot besides its ids. */
export interface PastSnapshot {
  /** When the snapshot was judged, in milliseconds since 1970. */
  readonly at: number;
  /** Number of different ids. */
  readonly sent: number;
  /** In how many sampled records each field has a value; fields without values are omitted. */
  readonly filled: Readonly<Record<string, number>>;
  /** Only the last snapshot has them. */
  readonly fields?: FieldMemory;
  /** How a later, approved snapshot was allowed to differ from this one: rules, or `changed:` and a field. */
  readonly superseded?: readonly string[];
}

/** What the rule `changed` remembers. */
export interface FieldMemory {
  readonly sample: FieldSample;
  readonly usual: Usual;
}

/** How much of each field changes from run to run. */
export interface Usual {
  /** When the first and the last snapshot were judged. */
  readonly since: number;
  readonly at: number;
  readonly comparisons: number;
  /** The latest shares, by field. Older shares count less. */
  readonly shares: Readonly<Record<string, UsualShares>>;
}

/** The largest shares of a field's values that one run lost, changed, or replaced with one and the same value. */
export interface UsualShares {
  readonly lost: number;
  readonly other: number;
  readonly merged: number;
}

/** The last snapshots of a collection, the latest one last. */
export type PastSnapshots = readonly PastSnapshot[];

/**
 * Adds a completed snapshot to those before it. Keeps the last 8 snapshots, and each day's largest one for the last
 * `days` days.
 * @param approved Rules that the snapshot breaks with approval; for them, earlier snapshots no longer count.
 */
export function remembered(
  pasts: PastSnapshots,
  next: PastSnapshot,
  approved: readonly Pick<HeldReason, "rule" | "fields">[],
  days = WINDOW_DAYS,
): PastSnapshots {
  const allowed = approved.flatMap(supersededBy);
  const earlier = pasts.map(({ fields: _, superseded = [], ...past }): PastSnapshot => {
    const all = [...new Set([...superseded, ...allowed])];
    return all.length === 0 ? past : { ...past, superseded: all };
  });
  const all = [...earlier, next];
  const recent = inWindow(all, next.at, days);
  const largest = new Map<string, PastSnapshot>();
  for (const past of recent) {
    // A superseded snapshot must not take the place of a smaller one that counts.
    const day = `${Math.floor(past.at / DAY_MS)} ${past.superseded}`;
    if (past.sent > (largest.get(day)?.sent ?? -1)) largest.set(day, past);
  }
  const kept = new Set([...largest.values(), ...all.slice(-LAST_RUNS)]);
  return all.filter((past) => kept.has(past));
}

function supersededBy({ rule, fields = [] }: Pick<HeldReason, "rule" | "fields">): readonly string[] {
  if (rule === "changed") return fields.map(({ name }) => `${rule}:${name}`);
  // Removing too many ids also shrinks the snapshot.
  return rule === "removed" ? [rule, "window"] : [rule];
}

/** Replaces future times with the current one; otherwise a run with a fast clock could be the latest for years. */
export function upTo(now: number, pasts: PastSnapshots): PastSnapshots {
  return pasts.map(({ fields, ...past }) => {
    const known = { ...past, at: Math.min(past.at, now) };
    if (fields === undefined) return known;
    const { since, at } = fields.usual;
    const usual = { ...fields.usual, since: Math.min(since, now), at: Math.min(at, now) };
    return { ...known, fields: { ...fields, usual } };
  });
}

/** The snapshots of the last 8 runs or the last `days` days, whichever reaches further back. */
export function inWindow(pasts: PastSnapshots, now: number, days: number): PastSnapshots {
  return pasts.filter((past, i) => i >= pasts.length - LAST_RUNS || now - past.at <= days * DAY_MS);
}

const isSample = objectOf<FieldSample>({ fields: listOf(isText), rows: isText });

export const isPast = objectOf<PastSnapshot>({
  at: isCount,
  sent: isCount,
  filled: recordOf(isCount),
  fields: optional(
    objectOf<FieldMemory>({
      sample: isSample,
      usual: objectOf<Usual>({
        since: isCount,
        at: isCount,
        comparisons: isCount,
        shares: recordOf(objectOf<UsualShares>({ lost: isCount, other: isCount, merged: isCount })),
      }),
    }),
  ),
  superseded: optional(listOf(isText)),
});

export const arePasts: Check<PastSnapshots> = listOf(isPast);
