import type { GenericPlanDetails } from "../../../sync/generated/saas_management/sync/v1/access_records.js";
import { type Digest, productOf } from "./digest.js";
import { getOrAdd } from "./get-or-add.js";
import type { People, Person } from "./people.js";
import { productKey } from "./text.js";
import type { LastUses, UsageScope } from "./usage-digest.js";

/** Where use of a plan may have been noted. */
export interface PlanScopes {
  /** In the digest of the plan's installation, under the account. */
  readonly ofAccount: readonly UsageScope[];
  /** In the index, under the person. */
  readonly ofPerson: readonly string[];
}

/**
 * Knows who used what last, across the installations of a workspace. Times are milliseconds since the epoch.
 *
 * A use by an account counts for that account. Where it names a product it counts for the person too, whichever
 * installation the person's license is from: a sign-on system reports the use of all products.
 */
export class UsageIndex {
  readonly #byPerson = new Map<Person, Map<string, number>>();
  readonly #byProduct = new Map<string, Map<Person, number>>();

  constructor(digests: readonly Digest[], people: People) {
    for (const digest of digests) {
      const { byActor, discovered } = digest.usage;
      for (const [actorId, lastUses] of byActor) {
        this.#note(digest, people.ofActor(digest, actorId), lastUses, digest.accounts.has(actorId));
      }
      for (const { actorId, address, lastUses } of discovered) {
        this.#note(digest, people.ofDiscovered(digest, actorId, address), lastUses, false);
      }
    }
  }

  /**
   * When the account or its holder last used the plan; undefined where no use was seen. There is no person where the
   * account's record is missing.
   */
  lastUse(
    digest: Digest,
    accountId: string,
    person: Person | undefined,
    scopes: PlanScopes,
  ): number | undefined {
    const ofAccount = digest.usage.byActor.get(accountId);
    const ofPerson = person === undefined ? undefined : this.#byPerson.get(person);
    let last: number | undefined;
    for (const scope of scopes.ofAccount) last = later(last, ofAccount?.get(scope));
    for (const scope of scopes.ofPerson) last = later(last, ofPerson?.get(scope));
    return last;
  }

  /** When each person last used a product, known by its key. */
  usersOf(product: string): ReadonlyMap<Person, number> {
    return this.#byProduct.get(product) ?? new Map();
  }

  #note(digest: Digest, person: Person, lastUses: LastUses, isAccount: boolean): void {
    for (const [scope, time] of lastUses) {
      if (scope.startsWith("product:")) keepLater(this.#byPerson, person, scope, time);
      else if (!isAccount) keepLater(this.#byPerson, person, inInstallation(digest, scope), time);
      for (const product of productsOf(digest, scope)) keepLater(this.#byProduct, product, person, time);
    }
  }
}

/** The scopes that mean a plan; without the plan's record, as far as its id goes. */
export function scopesOf(digest: Digest, planId: string, plan: GenericPlanDetails | undefined): PlanScopes {
  const own: readonly UsageScope[] = [`plan:${planId}`, "installation"];
  const products: readonly UsageScope[] =
    plan === undefined ? [] : [`product:${productKey(productOf(plan, digest.installation))}`];
  return {
    ofAccount: [...own, ...products],
    ofPerson: [...own.map((scope) => inInstallation(digest, scope)), ...products],
  };
}

function inInstallation(digest: Digest, scope: UsageScope): string {
  return `${digest.installation.id} ${scope}`;
}

/** Keys of the products that a use within an installation may be a use of. */
function productsOf(digest: Digest, scope: UsageScope): Iterable<string> {
  if (scope.startsWith("product:")) return [scope.slice("product:".length)];
  if (scope === "installation") return digest.products.keys();
  const plan = digest.plans.get(scope.slice("plan:".length));
  return plan === undefined ? [] : [productKey(productOf(plan, digest.installation))];
}

function keepLater<K, S>(uses: Map<K, Map<S, number>>, key: K, scope: S, time: number): void {
  const known = getOrAdd(uses, key, () => new Map<S, number>());
  known.set(scope, Math.max(time, known.get(scope) ?? time));
}

function later(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}
