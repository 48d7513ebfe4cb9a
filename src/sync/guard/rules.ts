import { InvalidInputError } from "../../core/errors/index.js";
import { isPlainObject, type KeysOf, readOptions, rejectUnknownKeys } from "../../core/validate.js";
import type { SnapshotCollection } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Comparison } from "./comparison.js";

/** When a snapshot is held. */
export interface GuardRules {
  /** Largest share of the known ids that may be removed; 0.25 is a quarter. @default 0.25 */
  readonly maxRemovedShare?: number | undefined;
  /** Number of removals from which the share counts: fewer never hold, unless nothing is left. @default 3 */
  readonly minRemoved?: number | undefined;
  /** Largest number of removals, whatever their share. @default no limit */
  readonly maxRemoved?: number | undefined;
}

/** Options of the removal guard: the rule for every collection, and rules for single ones. */
export interface GuardOptions extends GuardRules {
  /**
   * Whether a collection is held if the ledger knows nothing of it: for machines that lose their disk. Needs a ledger.
   * @default false
   */
  readonly requireBaseline?: boolean | undefined;
  /**
   * Rules of single collections, which replace the general ones; `false` turns the guard off for that collection.
   * @default none
   */
  readonly collections?: Partial<Record<SnapshotCollection, GuardRules | false>> | undefined;
}

/** What decides whether a run is completed or held. */
export interface JudgeOptions {
  /**
   * Where the ids of completed snapshots are stored, so that the next run can tell what it would remove:
   * {@link fileLedger}, another ledger, or `"none"`, which turns the comparison with earlier runs off. With
   * `guard: false` as well, ids are not checked at all: duplicates are not noticed.
   * @default the client's `sync.ledger`; one of the two is required
   */
  readonly ledger?: Ledger | "none" | undefined;
  /**
   * When a run is held instead of completed; `false` turns the guard off.
   * @default the client's `sync.guard`, or when a collection would go from some records to none, or when at least 3 and
   *   more than a quarter of its known ids would be removed
   */
  readonly guard?: GuardOptions | false | undefined;
  /**
   * Id of the approval that a {@link RunHeldError} offered: this run may remove the records that it names.
   * @default none
   */
  readonly approve?: string | undefined;
}

const RULE_KEYS = {
  maxRemovedShare: true,
  minRemoved: true,
  maxRemoved: true,
} satisfies KeysOf<GuardRules>;

const GUARD_KEYS = {
  ...RULE_KEYS,
  requireBaseline: true,
  collections: true,
} satisfies KeysOf<GuardOptions>;

const COLLECTION_KEYS = Object.fromEntries(Object.keys(WIRE).map((name) => [name, true] as const));

/** A rule with all values set. */
export type ResolvedRule = { readonly [Name in keyof GuardRules]-?: number };

/** The rules with all values set. */
export interface ResolvedGuard {
  readonly requireBaseline: boolean;
  /** The rule of a collection; undefined if the guard is off. */
  ruleOf(collection: SnapshotCollection): ResolvedRule | undefined;
}

const DEFAULTS: ResolvedRule = {
  maxRemovedShare: 0.25,
  minRemoved: 3,
  maxRemoved: Number.POSITIVE_INFINITY,
};

/**
 * Checks the options of the guard.
 * @throws {InvalidInputError} naming the option and what is allowed
 */
export function resolveGuard(options: GuardOptions | false = {}): ResolvedGuard {
  if (options === false) return { requireBaseline: false, ruleOf: () => undefined };
  const { requireBaseline = false, collections = {}, ...general } = readOptions("guard", options, GUARD_KEYS);
  if (typeof requireBaseline !== "boolean")
    throw new InvalidInputError("guard.requireBaseline must be true or false.");
  if (!isPlainObject(collections)) throw new InvalidInputError("guard.collections must be an object.");
  rejectUnknownKeys("guard.collections", collections, COLLECTION_KEYS);
  const rule = resolveRule("guard", general, DEFAULTS);
  const own = new Map<string, ResolvedRule | undefined>();
  for (const [name, ownRule] of Object.entries(collections)) {
    const place = `guard.collections.${name}`;
    if (ownRule !== undefined)
      own.set(
        name,
        ownRule === false ? undefined : resolveRule(place, readOptions(place, ownRule, RULE_KEYS), rule),
      );
  }
  return { requireBaseline, ruleOf: (name) => (own.has(name) ? own.get(name) : rule) };
}

/** Whether completing a snapshot would remove more than the rule allows, of all known ids or of any set of them. */
export function isHeld(compared: Pick<Comparison, "sent" | "all" | "sets">, rule: ResolvedRule): boolean {
  const { sent } = compared;
  return [compared.all, ...compared.sets].some((set) => exceeds({ ...set, sent }, rule));
}

/** Whether removing so many of a set of known ids is more than the rule allows. */
export function exceeds(
  { known, sent, gone }: Pick<Comparison, "known" | "sent" | "gone">,
  rule: ResolvedRule,
): boolean {
  if (gone === 0) return false;
  return (
    sent === 0 || (gone >= rule.minRemoved && gone / known > rule.maxRemovedShare) || gone > rule.maxRemoved
  );
}

function resolveRule(place: string, options: GuardRules, general: ResolvedRule): ResolvedRule {
  const { maxRemovedShare = general.maxRemovedShare, minRemoved = general.minRemoved } = options;
  const { maxRemoved = general.maxRemoved } = options;
  if (typeof maxRemovedShare !== "number" || !(maxRemovedShare >= 0 && maxRemovedShare <= 1))
    throw new InvalidInputError(`${place}.maxRemovedShare must be a number from 0 to 1.`);
  if (!Number.isInteger(minRemoved) || minRemoved < 1)
    throw new InvalidInputError(`${place}.minRemoved must be an integer of 1 or more.`);
  if (maxRemoved !== Number.POSITIVE_INFINITY && !(Number.isInteger(maxRemoved) && maxRemoved >= 0))
    throw new InvalidInputError(`${place}.maxRemoved must be an integer of 0 or more.`);
  return { maxRemovedShare, minRemoved, maxRemoved };
}
