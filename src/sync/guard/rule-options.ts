import type { SnapshotCollection } from "../collections.js";

/** When a snapshot is held. Each rule counts on its own; `false` turns it off. */
export interface GuardRules {
  /**
   * By the ids that would be removed: if nothing is left, if none of at least 2 known ids is left, if at least `min` and
   * more than `maxShare` of the known ids would be removed, or more than `max`.
   * @default { maxShare: 0.25, min: 3 }
   */
  readonly removed?: RemovedRule | false | undefined;
  /**
   * By shrinking over several runs: if a snapshot has at least `min` and more than `maxShare` fewer ids than the largest
   * one of the last `days` days, or of the last 8 completed runs if these reach further back.
   * @default { maxShare: 0.25, min: 5, days: 7 }
   */
  readonly window?: WindowRule | false | undefined;
  /**
   * By new ids: if they are more than `min`, and more than `maxShare` of the known ids, of which there is at least one.
   * @default { maxShare: 0.75, min: 50 }
   */
  readonly added?: AddedRule | false | undefined;
  /**
   * By the fields of up to 128 records, compared with the last completed run: if too many of them lost their values, took
   * other values or all took the same one, and more than in the runs before (the guide "Snapshot safety" has the limits).
   * @default true
   */
  readonly changed?: boolean | undefined;
}

interface RemovedRule {
  /** Largest share of the known ids; 0.25 is a quarter. @default 0.25 */
  readonly maxShare?: number | undefined;
  /** Number of removals from which the share counts. @default 3 */
  readonly min?: number | undefined;
  /** Largest number of removals, whatever their share. @default no limit */
  readonly max?: number | undefined;
}

interface WindowRule {
  /** Largest share of the largest snapshot. @default 0.25 */
  readonly maxShare?: number | undefined;
  /** Number of ids from which the share counts. @default 5 */
  readonly min?: number | undefined;
  /** How far back the window reaches, in days: an integer from 1 to 31. The last 8 runs always count. @default 7 */
  readonly days?: number | undefined;
}

interface AddedRule {
  /** Largest share of the known ids; it may be greater than 1. @default 0.75 */
  readonly maxShare?: number | undefined;
  /** So many new ids always pass. @default 50 */
  readonly min?: number | undefined;
}

/** Options of the guard: the rules for every collection, and rules for single ones. */
export interface GuardOptions extends GuardRules {
  /**
   * Rules of single collections, which replace the general ones; `false` turns the guard off for that collection.
   * @default none
   */
  readonly collections?: Partial<Record<SnapshotCollection, GuardRules | false>> | undefined;
  /**
   * Turns the guard off for runs that begin before this time, and on again after it: a `Date`, or an ISO 8601 string such
   * as `2026-12-31` or `2026-12-31T18:00:00Z`. What these runs send is compared and remembered as usual.
   * @default the guard is on
   */
  readonly offUntil?: Date | string | undefined;
}
