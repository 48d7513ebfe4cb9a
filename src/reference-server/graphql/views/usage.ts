import { fold, lazy, nullIfBlank } from "../../values.js";
import {
  type Account,
  type Employee,
  keep,
  type LastUses,
  productOf,
  type SyncedData,
  type UsageScope,
  type Use,
} from "./synced.js";

/** A user of applications: an employee; else an e-mail address; else an id within one installation. */
export type Person = Employee | string;

export class Directory {
  readonly #synced: readonly SyncedData[];
  readonly #byAddress = lazy(() => this.#addresses());

  constructor(synced: readonly SyncedData[]) {
    this.#synced = synced;
  }

  /**
   * The holder of an account: the employee with the account's e-mail address or id. An id of another installation
   * counts only if the account has no address: two sources that both number from 1 mean different people.
   */
  holderOf(synced: SyncedData, account: Account): Person {
    const email = nullIfBlank(account.email);
    if (email === null) return this.#withId(synced, account.id);
    const address = fold(email);
    return this.#byAddress().get(address) ?? synced.employee(account.id) ?? address;
  }

  /**
   * The actor of a use: the holder of an account, or an employee. If another system saw the use, the address counts
   * before the id, which may be that system's own.
   */
  actorOf(synced: SyncedData, { actorId, address }: Use): Person {
    const account = synced.account(actorId);
    if (address != null) {
      const known = this.#byAddress().get(address);
      if (known !== undefined) return known;
      if (account === undefined && synced.employee(actorId) === undefined) return address;
    }
    return account === undefined ? this.#withId(synced, actorId) : this.holderOf(synced, account);
  }

  #withId(synced: SyncedData, id: string): Person {
    const own = synced.employee(id);
    if (own !== undefined) return own;
    for (const other of this.#synced) {
      const employee = other.employee(id);
      if (employee !== undefined) return employee;
    }
    return localId(synced, id);
  }

  /** Of employees with the same address the first counts. */
  #addresses(): ReadonlyMap<string, Employee> {
    const found = new Map<string, Employee>();
    const add = (address: string, employee: Employee): void => {
      if (address !== "" && !found.has(address)) found.set(address, employee);
    };
    for (const { employees } of this.#synced) {
      for (const employee of employees()) {
        add(fold(employee.email ?? ""), employee);
        for (const alias of employee.aliases) add(fold(alias), employee);
      }
    }
    return found;
  }
}

/** Identifies an actor that only one installation knows. */
function localId({ installation }: SyncedData, id: string): string {
  return JSON.stringify([installation.id, id]);
}

/** Last uses of one plan, by id of the account and by person. */
export interface PlanUses {
  readonly ofAccounts: readonly ReadonlyMap<string, number>[];
  readonly ofPersons: readonly ReadonlyMap<Person, number>[];
}

/**
 * When an account or its holder last used a plan; undefined if no use was seen. If the record of the account is
 * missing, only what its id tells counts.
 */
export function lastUse(
  { ofAccounts, ofPersons }: PlanUses,
  accountId: string,
  holder: () => Person | undefined,
): number | undefined {
  let last: number | undefined;
  for (const uses of ofAccounts) last = later(last, uses.get(accountId));
  const person = ofPersons.length === 0 ? undefined : holder();
  if (person === undefined) return last;
  for (const uses of ofPersons) last = later(last, uses.get(person));
  return last;
}

/**
 * Last uses across the installations of a workspace.
 *
 * A use by an account counts for that account. If it names a product it also counts for the person, whichever
 * installation the person's license is from: a sign-on system reports the use of all products.
 */
export class UsageIndex {
  readonly #directory: Directory;
  readonly #ofUnknown = new Map<SyncedData, LastUses<string>>();
  /** What persons use is named in other words than what accounts use. */
  readonly #ofPersons: LastUses<Person> = new Map();
  readonly #byProduct = lazy(() => this.#usersByProduct());

  constructor(directory: Directory, all: readonly SyncedData[]) {
    this.#directory = directory;
    for (const synced of all) {
      const ofUnknown: LastUses<string> = new Map();
      this.#ofUnknown.set(synced, ofUnknown);
      for (const use of synced.uses) this.#add(synced, use, ofUnknown);
    }
  }

  /** The uses of a plan. If its record is missing, only what its id tells counts. */
  usesOf(synced: SyncedData, planId: string): PlanUses {
    const plan = synced.plan(planId);
    const own: readonly UsageScope[] = [`plan:${planId}`, "installation"];
    const products = plan === undefined ? [] : [`product:${fold(productOf(plan, synced.installation))}`];
    const ofAccounts = [synced.lastUses(), this.#ofUnknown.get(synced)].flatMap((uses) =>
      among(uses, [...own, ...products]),
    );
    const ofPersons = among(this.#ofPersons, [
      ...own.map((scope) => inInstallation(synced, scope)),
      ...products,
    ]);
    return { ofAccounts, ofPersons };
  }

  usersOf(product: string): ReadonlyMap<Person, number> {
    return this.#byProduct().get(product) ?? new Map();
  }

  #add(synced: SyncedData, use: Use, ofUnknown: LastUses<string>): void {
    const { actorId, address, scope, time } = use;
    const isProduct = scope.startsWith("product:");
    if (!isProduct && synced.account(actorId) !== undefined) return;
    const person = this.#directory.actorOf(synced, use);
    keep(this.#ofPersons, isProduct ? scope : inInstallation(synced, scope), person, time);
    // Somebody unknown may have an account whose record is missing.
    if (address === null && person === localId(synced, actorId)) keep(ofUnknown, scope, actorId, time);
  }

  #usersByProduct(): LastUses<Person> {
    const users: LastUses<Person> = new Map();
    for (const synced of this.#ofUnknown.keys()) {
      for (const use of synced.uses) {
        const person = this.#directory.actorOf(synced, use);
        for (const product of productsOf(synced, use.scope)) keep(users, product, person, use.time);
      }
    }
    return users;
  }
}

function among<User>(all: LastUses<User> | undefined, scopes: readonly string[]) {
  return scopes.flatMap((scope) => all?.get(scope) ?? []);
}

function inInstallation({ installation }: SyncedData, scope: UsageScope): string {
  return `${installation.id} ${scope}`;
}

/** Folded names of the products that a use may be a use of. */
function productsOf({ installation, products, plan }: SyncedData, scope: UsageScope): Iterable<string> {
  if (scope.startsWith("product:")) return [scope.slice("product:".length)];
  if (scope === "installation") return products.keys();
  const used = plan(scope.slice("plan:".length));
  return used === undefined ? [] : [fold(productOf(used, installation))];
}

function later(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}
