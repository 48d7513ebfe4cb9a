import { InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import { rejectUnknownKeys } from "../../core/validate.js";
import type { SnapshotCollection } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import type { Comparison } from "./comparison.js";

/** When a snapshot is held. */
export interface GuardRule {
  /** Largest share of the known ids that may be removed; 0.25 is a quarter. @default 0.25 */
  readonly maxRemovedShare?: number | undefined;
  /** Number of removals from which on the share counts: fewer never hold, unless nothing is left. @default 3 */
  readonly minRemoved?: number | undefined;
  /** Largest number of removals, whatever their share. @default no limit */
  readonly maxRemoved?: number | undefined;
}

const RULE_NAMES = {
  maxRemovedShare: true,
  minRemoved: true,
  maxRemoved: true,
} satisfies KeysOf<GuardRule>;

/** Options of the removal guard: the rule for every collection, and those of single ones. */
export interface GuardOptions extends GuardRule {
  /**
   * Whether a collection of which the ledger knows nothing is held: for machines that lose their disk. Needs a ledger.
   * @default false
   */
  readonly requireBaseline?: boolean | undefined;
  /**
   * Rules of single collections, in place of the general ones; `false` turns the guard off for that collection.
   * @default none
   */
  readonly collections?: Partial<Record<SnapshotCollection, GuardRule | false>> | undefined;
}

const GUARD_NAMES = {
  ...RULE_NAMES,
  requireBaseline: true,
  collections: true,
} satisfies KeysOf<GuardOptions>;

/** A rule with every value set. */
export type ResolvedRule = { readonly [Name in keyof GuardRule]-?: number };

/** The rules, with every value set. */
export interface GuardRules {
  readonly requireBaseline: boolean;
  /** The rule of a collection; undefined where the guard is off. */
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
export function resolveGuard(options: GuardOptions | false | undefined): GuardRules {
  if (options === false) return { requireBaseline: false, ruleOf: () => undefined };
  requireOptions("guard", options, " or false");
  const { requireBaseline = false, collections = {}, ...general } = options ?? {};
  rejectUnknownKeys("guard", options ?? {}, GUARD_NAMES);
  if (typeof requireBaseline !== "boolean")
    throw new InvalidInputError("guard.requireBaseline must be true or false.");
  requireOptions("guard.collections", collections);
  const rule = resolveRule("guard", general, DEFAULTS);
  const own = new Map<string, ResolvedRule | undefined>();
  for (const [name, given] of Object.entries(collections)) {
    if (!Object.hasOwn(WIRE, name)) throw new InvalidInputError(`guard.collections: there is no ${name}.`);
    const place = `guard.collections.${name}`;
    if (given === undefined) continue;
    if (given !== false) {
      requireOptions(place, given, " or false");
      rejectUnknownKeys(place, given, RULE_NAMES);
    }
    own.set(name, given === false ? undefined : resolveRule(place, given, rule));
  }
  return { requireBaseline, ruleOf: (name) => (own.has(name) ? own.get(name) : rule) };
}

/** Whether completing a snapshot would remove more than the rule allows of all that was known, or of any set of it. */
export function isHeld(compared: Pick<Comparison, "sent" | "all" | "sets">, rule: ResolvedRule): boolean {
  const { sent } = compared;
  return (
    exceeds({ ...compared.all, sent }, rule) || compared.sets.some((set) => exceeds({ ...set, sent }, rule))
  );
}

/** Whether so many removals of one set of known ids are more than the rule allows. */
export function exceeds(
  { known, sent, gone }: Pick<Comparison, "known" | "sent" | "gone">,
  rule: ResolvedRule,
): boolean {
  if (gone === 0) return false;
  return (
    (known > 0 && sent === 0) ||
    (gone >= rule.minRemoved && gone / known > rule.maxRemovedShare) ||
    gone > rule.maxRemoved
  );
}

function resolveRule(place: string, given: GuardRule, general: ResolvedRule): ResolvedRule {
  const { maxRemovedShare = general.maxRemovedShare, minRemoved = general.minRemoved } = given;
  const { maxRemoved = general.maxRemoved } = given;
  // A comparison alone takes true, "1" and [1] for 1, which turns the share off.
  if (typeof maxRemovedShare !== "number" || !(maxRemovedShare >= 0 && maxRemovedShare <= 1))
    throw new InvalidInputError(`${place}.maxRemovedShare must be a share from 0 to 1.`);
  if (!Number.isInteger(minRemoved) || minRemoved < 1)
    throw new InvalidInputError(`${place}.minRemoved must be a whole number, 1 or more.`);
  if (maxRemoved !== Number.POSITIVE_INFINITY && !(Number.isInteger(maxRemoved) && maxRemoved >= 0))
    throw new InvalidInputError(`${place}.maxRemoved must be a whole number, 0 or more.`);
  return { maxRemovedShare, minRemoved, maxRemoved };
}

/** Refuses what has its fields elsewhere, such as a Map, or none: it would be a guard with its defaults. */
function requireOptions(place: string, value: unknown, otherwise = ""): void {
  if (value === undefined || Object.prototype.toString.call(value) === "[object Object]") return;
  throw new InvalidInputError(`${place} must be an object${otherwise === "" ? "" : `,${otherwise}`}.`);
}
