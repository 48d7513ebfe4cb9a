import type { GenericPlanDetails } from "../../../sync/generated/saas_management/sync/v1/access_records.js";
import { fold, getOrAdd } from "../../values.js";
import type { Directory, Person } from "./directory.js";
import { keepLatest, type LastUses, productOf, type SyncedData, type UsageScope } from "./synced.js";

/** Where use of a plan may have been noted. */
export interface PlanScopes {
  /** Under the account, in the data of the plan's installation. */
  readonly ofAccount: readonly UsageScope[];
  /** Under the person, in the index. */
  readonly ofPerson: readonly string[];
}

/** An actor as one installation names it. */
interface Actor {
  readonly synced: SyncedData;
  readonly actorId: string;
  /** Folded e-mail address, or null if there is none; undefined for use that the installation itself saw. */
  readonly address?: string | null;
  /** Whether the installation itself saw the use, under one of its accounts. */
  readonly isAccount: boolean;
  readonly lastUses: LastUses;
}

/**
 * Last uses across the installations of a workspace, in milliseconds since the epoch.
 *
 * A use by an account counts for that account. If it names a product it also counts for the person, whichever
 * installation the person's license is from: a sign-on system reports the use of all products.
 */
export class UsageIndex {
  readonly #directory: Directory;
  readonly #synced: readonly SyncedData[];
  #byPerson: ReadonlyMap<Person, ReadonlyMap<string, number>> | undefined;
  #byProduct: ReadonlyMap<string, ReadonlyMap<Person, number>> | undefined;

  constructor(directory: Directory, synced: readonly SyncedData[]) {
    this.#directory = directory;
    this.#synced = synced;
  }

  /**
   * When the account or its holder last used the plan; undefined if no use was seen.
   * @param person undefined if the account's record is missing
   */
  lastUse(
    synced: SyncedData,
    accountId: string,
    person: Person | undefined,
    scopes: PlanScopes,
  ): number | undefined {
    this.#byPerson ??= this.#indexByPerson();
    const ofAccount = synced.usage.get(accountId);
    const ofPerson = person === undefined ? undefined : this.#byPerson.get(person);
    let last: number | undefined;
    for (const scope of scopes.ofAccount) last = later(last, ofAccount?.get(scope));
    for (const scope of scopes.ofPerson) last = later(last, ofPerson?.get(scope));
    return last;
  }

  /** When each person last used a product. @param product folded name */
  usersOf(product: string): ReadonlyMap<Person, number> {
    this.#byProduct ??= this.#indexByProduct();
    return this.#byProduct.get(product) ?? new Map();
  }

  #indexByPerson(): ReadonlyMap<Person, ReadonlyMap<string, number>> {
    const index = new Map<Person, Map<string, number>>();
    for (const actor of this.#actors()) {
      for (const [scope, time] of actor.lastUses) {
        const isProduct = scope.startsWith("product:");
        if (actor.isAccount && !isProduct) continue;
        const uses = getOrAdd(index, this.#personOf(actor), () => new Map());
        keepLatest(uses, isProduct ? scope : inInstallation(actor.synced, scope), time);
      }
    }
    return index;
  }

  #indexByProduct(): ReadonlyMap<string, ReadonlyMap<Person, number>> {
    const index = new Map<string, Map<Person, number>>();
    for (const actor of this.#actors()) {
      const person = this.#personOf(actor);
      for (const [scope, time] of actor.lastUses) {
        for (const product of productsOf(actor.synced, scope)) {
          const users = getOrAdd(index, product, () => new Map());
          keepLatest(users, person, time);
        }
      }
    }
    return index;
  }

  *#actors(): Iterable<Actor> {
    for (const synced of this.#synced) {
      for (const [actorId, lastUses] of synced.usage) {
        yield { synced, actorId, isAccount: synced.accounts.has(actorId), lastUses };
      }
      for (const { actorId, address, lastUses } of synced.discovered) {
        yield { synced, actorId, address, isAccount: false, lastUses };
      }
    }
  }

  #personOf({ synced, actorId, address }: Actor): Person {
    if (address === undefined) return this.#directory.actorOf(synced, actorId);
    return this.#directory.discoveredActorOf(synced, actorId, address);
  }
}

/** The scopes that mean a plan; if the plan's record is missing, only those that its id tells. */
export function scopesOf(
  synced: SyncedData,
  planId: string,
  plan: GenericPlanDetails | undefined,
): PlanScopes {
  const own: readonly UsageScope[] = [`plan:${planId}`, "installation"];
  const products: readonly UsageScope[] =
    plan === undefined ? [] : [`product:${fold(productOf(plan, synced.installation))}`];
  return {
    ofAccount: [...own, ...products],
    ofPerson: [...own.map((scope) => inInstallation(synced, scope)), ...products],
  };
}

function inInstallation({ installation }: SyncedData, scope: UsageScope): string {
  return `${installation.id} ${scope}`;
}

/** Folded names of the products that a use may be a use of. */
function productsOf({ installation, products, plans }: SyncedData, scope: UsageScope): Iterable<string> {
  if (scope.startsWith("product:")) return [scope.slice("product:".length)];
  if (scope === "installation") return products.keys();
  const plan = plans.get(scope.slice("plan:".length));
  return plan === undefined ? [] : [fold(productOf(plan, installation))];
}

function later(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}
