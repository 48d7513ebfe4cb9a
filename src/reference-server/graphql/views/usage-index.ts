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
 *
 * Each of its two indexes is made when it is needed first.
 */
export class UsageIndex {
  readonly #people: People;
  readonly #digests: readonly Digest[];
  #byPerson: ReadonlyMap<Person, ReadonlyMap<string, number>> | undefined;
  #byProduct: ReadonlyMap<string, ReadonlyMap<Person, number>> | undefined;

  constructor(people: People, digests: readonly Digest[]) {
    this.#people = people;
    this.#digests = digests;
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
    const ofAccount = digest.usage.get(accountId);
    this.#byPerson ??= this.#indexByPerson();
    const ofPerson = person === undefined ? undefined : this.#byPerson.get(person);
    let last: number | undefined;
    for (const scope of scopes.ofAccount) last = later(last, ofAccount?.get(scope));
    for (const scope of scopes.ofPerson) last = later(last, ofPerson?.get(scope));
    return last;
  }

  /** When each person last used a product, known by its key. */
  usersOf(product: string): ReadonlyMap<Person, number> {
    this.#byProduct ??= this.#indexByProduct();
    return this.#byProduct.get(product) ?? new Map();
  }

  #indexByPerson(): ReadonlyMap<Person, ReadonlyMap<string, number>> {
    const index = new Map<Person, Map<string, number>>();
    for (const actor of this.#actors()) {
      // Most accounts were seen without a product: nobody has to find out whose they are.
      let person: Person | undefined;
      for (const [scope, time] of actor.lastUses) {
        const isProduct = scope.startsWith("product:");
        if (actor.isAccount && !isProduct) continue;
        person ??= this.#personOf(actor);
        keepLater(index, person, isProduct ? scope : inInstallation(actor.digest, scope), time);
      }
    }
    return index;
  }

  #indexByProduct(): ReadonlyMap<string, ReadonlyMap<Person, number>> {
    const index = new Map<string, Map<Person, number>>();
    for (const actor of this.#actors()) {
      const person = this.#personOf(actor);
      for (const [scope, time] of actor.lastUses) {
        for (const product of productsOf(actor.digest, scope)) keepLater(index, product, person, time);
      }
    }
    return index;
  }

  *#actors(): Iterable<Actor> {
    for (const digest of this.#digests) {
      for (const [actorId, lastUses] of digest.usage) {
        yield { digest, actorId, isAccount: digest.accounts.has(actorId), lastUses };
      }
      for (const { actorId, address, lastUses } of digest.discovered.byActor) {
        yield { digest, actorId, isAccount: false, address, lastUses };
      }
    }
  }

  #personOf({ digest, actorId, address }: Actor): Person {
    if (address === undefined) return this.#people.ofActor(digest, actorId);
    return this.#people.ofDiscovered(digest, actorId, address);
  }
}

/** Somebody who was seen using something, as one installation names them. */
interface Actor {
  readonly digest: Digest;
  readonly actorId: string;
  /** Whether the installation itself saw the use, under one of its accounts. */
  readonly isAccount: boolean;
  /** Of discovered usage only: the e-mail address, as it is compared, or null where there is none. */
  readonly address?: string | null;
  readonly lastUses: LastUses;
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
