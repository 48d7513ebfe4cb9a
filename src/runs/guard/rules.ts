import { type HeldReport, InvalidInputError } from "../../core/errors/index.js";
import {
  FLAG,
  isCount,
  isPlainObject,
  type KnownOptions,
  LIMIT,
  type OptionTable,
  type Rule,
  readOptions,
  rejectUnknownKeys,
  wholeNumber,
} from "../../core/validate.js";
import type { SnapshotCollection } from "../../sync/collections.js";
import { isoSeconds } from "../../sync/encoding/iso-time.js";
import { WIRE } from "../../sync/generated/collections.js";
import type { Ledger } from "../ledger/ledger.js";
import { WINDOW_DAYS } from "../ledger/past.js";

/** When a snapshot is held. One rule is enough to hold it; `false` turns a rule off. */
export interface GuardRules {
  /**
   * Holds a snapshot that would remove too many ids: if it's empty, if it has none of at least 2 known ids, or if it
   * would remove at least `min` ids and more than `maxShare` of the known ones, or more than `max` ids. It also holds
   * one that would remove more than 15% and more than twice the usual share, or more than 5% if repeated records
   * suggest that a page was read twice.
   * @default { maxShare: 0.25, min: 3 }
   */
  readonly removed?: RemovedRule | false | undefined;
  /**
   * Holds a snapshot that shrank over several runs: it's at least `min` ids and more than `maxShare` smaller than the
   * largest one of the last `days` days or the last 8 completed runs, whichever period is longer.
   * @default { maxShare: 0.25, min: 5, days: 7 }
   */
  readonly window?: WindowRule | false | undefined;
  /**
   * Holds a snapshot with too many new ids: more than `maxShare` of the known ids, and either more than `min` or no
   * fewer than the known ids (if at least 3 are known). It doesn't apply while no ids are known.
   * @default { maxShare: 0.4, min: 20 }
   */
  readonly added?: AddedRule | false | undefined;
  /**
   * Compares the fields of up to 128 records with the last completed run. Holds the snapshot if too many values of a
   * field, and more than in earlier runs, were lost, changed or replaced with one value (the guide "Snapshot safety"
   * has the limits).
   * @default true
   */
  readonly changed?: boolean | undefined;
}

interface RemovedRule {
  /** Largest share of the known ids; 0.25 is a quarter. @default 0.25 */
  readonly maxShare?: number | undefined;
  /** With fewer removals than this, the share does not matter. @default 3 */
  readonly min?: number | undefined;
  /** Largest number of removals, even if their share is small. @default no limit */
  readonly max?: number | undefined;
}

interface WindowRule {
  /** Largest share of the largest snapshot's ids that may be missing. @default 0.25 */
  readonly maxShare?: number | undefined;
  /** With fewer missing ids than this, the share does not matter. @default 5 */
  readonly min?: number | undefined;
  /** How far back the window reaches, in days: an integer from 1 to 31. The last 8 runs always count. @default 7 */
  readonly days?: number | undefined;
}

interface AddedRule {
  /** Largest share of the known ids; it may be greater than 1. @default 0.4 */
  readonly maxShare?: number | undefined;
  /** Up to this many new ids pass, unless there are at least 3 known ids and no fewer new ones. @default 20 */
  readonly min?: number | undefined;
}

/** Options of the guard: the rules for all collections, and rules for individual ones. */
export interface GuardOptions extends GuardRules {
  /**
   * Rules for individual collections, which replace the general ones; `false` turns the guard off for that collection.
   * @default none
   */
  readonly collections?: Partial<Record<SnapshotCollection, GuardRules | false>> | undefined;
  /**
   * Turns the guard off for runs that begin before this time, and on again after it: a `Date`, or an ISO 8601 string
   * such as `2026-12-31` or `2026-12-31T18:00:00Z`. These runs' data is still compared and remembered.
   * @default the guard is on
   */
  readonly offUntil?: Date | string | undefined;
}

/** Whether a run is the first one, and how many records its caller expects in its snapshots. */
export type FirstRun = boolean | { readonly [C in SnapshotCollection]?: number };

/** What decides whether a run is completed or held. */
export interface JudgeOptions {
  /**
   * Where the ids of completed snapshots are stored, so that the next run can tell what it would remove:
   * {@link fileLedger}, another ledger, or `"none"`, which compares nothing with earlier runs. With `"none"`, runs of
   * one installation must not overlap; with `guard: false` as well, nothing checks ids or notices duplicates.
   * @default the client's `sync.ledger`, or `fileLedger()`
   */
  readonly ledger?: Ledger | "none" | undefined;
  /**
   * When a run is held instead of sent; `false` turns the guard off.
   * @default the client's `sync.guard`, or the defaults of all {@link GuardRules}
   */
  readonly guard?: GuardOptions | false | undefined;
  /**
   * Id of the approval that a {@link RunHeldError} offered: this run may differ from the held one as much as an
   * unapproved run may differ from the last completed one. A run approved from the command line needs no option.
   * @default none
   */
  readonly approve?: string | undefined;
  /**
   * Whether this is the first run of the installation with this ledger. If it's not set, a run is held while the
   * ledger doesn't know the installation: it may be the wrong ledger. A later run with `firstRun: true` is refused.
   * Record counts, such as `{ accounts: 1240 }`, imply `true`; a run with other counts is refused.
   * @default false
   */
  readonly firstRun?: FirstRun | undefined;
  /**
   * Called with the report of a held run, to notify someone. The run waits for it, and logs errors it throws.
   * @default the client's `sync.onHeld`
   */
  readonly onHeld?: ((report: HeldReport) => void | Promise<void>) | undefined;
}

const DEFAULTS = {
  removed: { maxShare: 0.25, min: 3, max: Number.POSITIVE_INFINITY },
  window: { maxShare: 0.25, min: 5, days: WINDOW_DAYS },
  added: { maxShare: 0.4, min: 20 },
  changed: true,
} satisfies ResolvedRule;

const SHARE: Rule = { expected: "a number from 0 to 1", fits: (value) => isCount(value) && value <= 1 };
const MIN = wholeNumber(1);
const DAYS: Rule = {
  expected: "a whole number from 1 to 31",
  fits: (value) => MIN.fits(value) && Number(value) <= 31,
};
const GROWTH: Rule = {
  expected: "a number, 0 or more",
  fits: (value) => value === Number.POSITIVE_INFINITY || isCount(value),
};
const LIMITS = {
  removed: { maxShare: SHARE, min: MIN, max: LIMIT },
  window: { maxShare: SHARE, min: MIN, days: DAYS },
  added: { maxShare: GROWTH, min: MIN },
} as const;

/** A rule with all its defaults. */
export type ResolvedRule = { readonly changed: boolean } & {
  readonly [Name in Exclude<keyof GuardRules, "changed">]-?:
    | { readonly [Key in keyof Exclude<GuardRules[Name], false | undefined>]-?: number }
    | false;
};

export interface ResolvedGuard {
  /** Whether the guard is on at all: false with `guard: false`, or before `offUntil`. */
  readonly isOn: boolean;
  ruleOf(collection: SnapshotCollection): ResolvedRule | undefined;
}

const RULE_OPTIONS = {
  removed: true,
  window: true,
  added: true,
  changed: FLAG,
} satisfies OptionTable<GuardRules>;
const GUARD_OPTIONS = {
  ...RULE_OPTIONS,
  collections: true,
  offUntil: true,
} satisfies OptionTable<GuardOptions>;

const COLLECTION_KEYS: KnownOptions = Object.fromEntries(Object.keys(WIRE).map((name) => [name, true]));

const OFF: ResolvedGuard = { isOn: false, ruleOf: () => undefined };

/** @param now When the run begins, in milliseconds since 1970. */
export function resolveGuard(options: GuardOptions | false | undefined, now: number): ResolvedGuard {
  if (options === false) return OFF;
  const { collections = {}, offUntil, ...general } = readOptions("guard", options ?? {}, GUARD_OPTIONS);
  if (!isPlainObject(collections)) throw new InvalidInputError("guard.collections must be an object.");
  rejectUnknownKeys("guard.collections", collections, COLLECTION_KEYS);
  const rule = resolveRule("guard", general, DEFAULTS);
  const own = new Map<string, ResolvedRule | undefined>();
  for (const [name, ownRule] of Object.entries(collections)) {
    const place = `guard.collections.${name}`;
    if (ownRule !== undefined)
      own.set(
        name,
        ownRule === false ? undefined : resolveRule(place, readOptions(place, ownRule, RULE_OPTIONS), rule),
      );
  }
  if (offUntil !== undefined && now < timeOf(offUntil)) return OFF;
  return { isOn: true, ruleOf: (name) => (own.has(name) ? own.get(name) : rule) };
}

/** How many days of a collection's snapshots are remembered. */
export function daysOf(rule: Pick<ResolvedRule, "window"> | undefined): number {
  return rule === undefined || rule.window === false ? WINDOW_DAYS : rule.window.days;
}

function resolveRule(place: string, rules: GuardRules, general: ResolvedRule): ResolvedRule {
  return {
    removed: resolve(`${place}.removed`, rules.removed, general.removed, DEFAULTS.removed, LIMITS.removed),
    window: resolve(`${place}.window`, rules.window, general.window, DEFAULTS.window, LIMITS.window),
    added: resolve(`${place}.added`, rules.added, general.added, DEFAULTS.added, LIMITS.added),
    changed: rules.changed ?? general.changed,
  };
}

function resolve<Limits extends Readonly<Record<string, number>>>(
  place: string,
  given: { readonly [Key in keyof Limits]?: number | undefined } | false | undefined,
  general: Limits | false,
  defaults: Limits,
  table: OptionTable<Limits>,
): Limits | false {
  if (given === undefined) return general;
  if (given === false) return false;
  const limits = Object.entries(readOptions<object>(place, given, table));
  const set = Object.fromEntries(limits.filter(([, value]) => value !== undefined));
  return { ...(general === false ? defaults : general), ...set };
}

function timeOf(offUntil: Date | string): number {
  const time =
    offUntil instanceof Date
      ? offUntil.getTime()
      : typeof offUntil === "string"
        ? isoSeconds(offUntil.includes("T") ? offUntil : `${offUntil}T00:00:00Z`) * 1000
        : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidInputError(
      "guard.offUntil must be a valid Date, or an ISO 8601 string such as 2026-12-31 or 2026-12-31T18:00:00Z.",
    );
  return time;
}
