import type { GenericPlanDetails } from "../../../sync/generated/contract.js";
import { fold, getOrAdd } from "../../values.js";
import { type Directory, localId, type Person } from "./directory.js";
import { productOf, type SyncedData, type UsageScope, type Use } from "./synced.js";

/** Where use of a plan may have been noted. */
export interface PlanScopes {
  readonly ofAccount: readonly UsageScope[];
  readonly ofPerson: readonly string[];
}

/**
 * Last uses across the installations of a workspace, in milliseconds since the epoch.
 *
 * A use by an account counts for that account. If it names a product it also counts for the person, whichever
 * installation the person's license is from: a sign-on system reports the use of all products.
 */
export class UsageIndex {
  readonly #directory: Directory;
  /** By person, and by account as its local id. The scopes of persons differ from those of accounts. */
  readonly #lastUses = new Map<Person, Map<string, number>>();
  readonly #byProduct = new Map<string, Map<Person, number>>();

  constructor(directory: Directory, all: readonly SyncedData[]) {
    this.#directory = directory;
    for (const synced of all) for (const use of synced.uses) this.#add(synced, use);
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
    const ofAccount = this.#lastUses.get(localId(synced, accountId));
    const ofPerson = person === undefined ? undefined : this.#lastUses.get(person);
    let last: number | undefined;
    for (const scope of scopes.ofAccount) last = later(last, ofAccount?.get(scope));
    for (const scope of scopes.ofPerson) last = later(last, ofPerson?.get(scope));
    return last;
  }

  usersOf(product: string): ReadonlyMap<Person, number> {
    return this.#byProduct.get(product) ?? new Map();
  }

  #add(synced: SyncedData, { actorId, address, scope, time }: Use): void {
    const directory = this.#directory;
    const person =
      address === undefined
        ? directory.actorOf(synced, actorId)
        : directory.discoveredActorOf(synced, actorId, address);
    const isProduct = scope.startsWith("product:");
    if (address === undefined) this.#keep(localId(synced, actorId), scope, time);
    if (isProduct) this.#keep(person, scope, time);
    else if (!synced.accounts.has(actorId)) this.#keep(person, inInstallation(synced, scope), time);
    for (const product of productsOf(synced, scope)) {
      const users = getOrAdd(this.#byProduct, product, () => new Map());
      users.set(person, Math.max(time, users.get(person) ?? time));
    }
  }

  #keep(person: Person, scope: string, time: number): void {
    const uses = getOrAdd(this.#lastUses, person, () => new Map());
    uses.set(scope, Math.max(time, uses.get(scope) ?? time));
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
