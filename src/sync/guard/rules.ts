import { type HeldReport, InvalidInputError } from "../../core/errors/index.js";
import { isPlainObject, type KeysOf, readOptions, rejectUnknownKeys } from "../../core/validate.js";
import type { SnapshotCollection } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Comparison } from "./comparison.js";

/** When a snapshot is held. */
export interface GuardRules {
  /**
   * By its removals: if nothing is left, if at least `min` and more than `maxShare` of the known ids would be removed, or
   * more than `max`. `false` turns the rule off.
   * @default { maxShare: 0.25, min: 3 }
   */
  readonly removed?: RemovedRule | false | undefined;
}

interface RemovedRule {
  /** Largest share of the known ids; 0.25 is a quarter. @default 0.25 */
  readonly maxShare?: number | undefined;
  /** Number of removals from which the share counts. @default 3 */
  readonly min?: number | undefined;
  /** Largest number of removals, whatever their share. @default no limit */
  readonly max?: number | undefined;
}

/** Options of the removal guard: the rule for every collection, and rules for single ones. */
export interface GuardOptions extends GuardRules {
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
  /**
   * Whether this is the first run of the installation with this ledger. Otherwise a run is held whose ledger knows nothing
   * of the installation: it may be another ledger than before. A later run with `firstRun: true` is refused.
   * @default false
   */
  readonly firstRun?: boolean | undefined;
  /**
   * Called with the report of a run that is held, to tell somebody; the run waits for it. What it throws is logged.
   * @default the client's `sync.onHeld`
   */
  readonly onHeld?: ((report: HeldReport) => void | Promise<void>) | undefined;
}

const REMOVED_KEYS = { maxShare: true, min: true, max: true } satisfies KeysOf<RemovedRule>;

const RULE_KEYS = { removed: true } satisfies KeysOf<GuardRules>;

const GUARD_KEYS = {
  ...RULE_KEYS,
  collections: true,
} satisfies KeysOf<GuardOptions>;

const COLLECTION_KEYS = Object.fromEntries(Object.keys(WIRE).map((name) => [name, true] as const));

export interface ResolvedRule {
  readonly removed: { readonly [Name in keyof RemovedRule]-?: number } | false;
}

export interface ResolvedGuard {
  ruleOf(collection: SnapshotCollection): ResolvedRule | undefined;
}

const DEFAULTS = { maxShare: 0.25, min: 3, max: Number.POSITIVE_INFINITY };

export function resolveGuard(options: GuardOptions | false = {}): ResolvedGuard {
  if (options === false) return { ruleOf: () => undefined };
  const { collections = {}, ...general } = readOptions("guard", options, GUARD_KEYS);
  if (!isPlainObject(collections)) throw new InvalidInputError("guard.collections must be an object.");
  rejectUnknownKeys("guard.collections", collections, COLLECTION_KEYS);
  const rule = resolveRule("guard", general, { removed: DEFAULTS });
  const own = new Map<string, ResolvedRule | undefined>();
  for (const [name, ownRule] of Object.entries(collections)) {
    const place = `guard.collections.${name}`;
    if (ownRule !== undefined)
      own.set(
        name,
        ownRule === false ? undefined : resolveRule(place, readOptions(place, ownRule, RULE_KEYS), rule),
      );
  }
  return { ruleOf: (name) => (own.has(name) ? own.get(name) : rule) };
}

/** Whether completing a snapshot would remove more than the rule allows, of all known ids or of any set of them. */
export function isHeld(compared: Pick<Comparison, "sent" | "all" | "sets">, rule: ResolvedRule): boolean {
  const { sent } = compared;
  return [compared.all, ...compared.sets].some((set) => exceeds({ ...set, sent }, rule));
}

/** Whether removing so many of a set of known ids is more than the rule allows. */
export function exceeds(
  { known, sent, gone }: Pick<Comparison, "known" | "sent" | "gone">,
  { removed: rule }: ResolvedRule,
): boolean {
  if (rule === false || gone === 0) return false;
  return sent === 0 || (gone >= rule.min && gone / known > rule.maxShare) || gone > rule.max;
}

function resolveRule(place: string, { removed }: GuardRules, general: ResolvedRule): ResolvedRule {
  if (removed === undefined) return general;
  if (removed === false) return { removed };
  const name = `${place}.removed`;
  const given = readOptions(name, removed, REMOVED_KEYS);
  const defaults = general.removed === false ? DEFAULTS : general.removed;
  const { maxShare = defaults.maxShare, min = defaults.min, max = defaults.max } = given;
  if (typeof maxShare !== "number" || !(maxShare >= 0 && maxShare <= 1))
    throw new InvalidInputError(`${name}.maxShare must be a number from 0 to 1.`);
  if (!Number.isInteger(min) || min < 1)
    throw new InvalidInputError(`${name}.min must be an integer of 1 or more.`);
  if (max !== Number.POSITIVE_INFINITY && !(Number.isInteger(max) && max >= 0))
    throw new InvalidInputError(`${name}.max must be an integer of 0 or more.`);
  return { removed: { maxShare, min, max } };
}
