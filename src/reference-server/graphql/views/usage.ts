import { fold, getOrAdd, lazy } from "../../values.js";
import type { Account, Employee, SyncedData } from "./synced.js";

/** When each user, as named in the events, last used something: in milliseconds since the epoch. */
type LastUses = Map<string, number>;

/** Scope of usage that names neither a plan nor a product. */
const INSTALLATION = "installation";

/** Finds who holds the accounts of an installation and who used what when, in the installation's own records. */
export class Usage {
  readonly #lastUses = lazy(() => this.#byScope());
  readonly #byAddress = lazy(() => this.#addresses());

  constructor(readonly synced: SyncedData) {}

  /** The employee with the account's e-mail address or id. */
  holderOf({ id, email }: Account): Employee | undefined {
    return this.#byAddress().get(fold(email ?? "")) ?? this.synced.employees().get(id);
  }

  /** When an account or its holder last used a plan; undefined if never. */
  lastUse(accountId: string, planId: string): number | undefined {
    const plan = this.synced.plans.get(planId);
    const product = plan === undefined ? [] : [`product:${fold(plan.product)}`];
    const account = this.synced.accounts().get(accountId);
    const names = account === undefined ? [accountId] : this.#namesOf(account);
    const times = [INSTALLATION, `plan:${planId}`, ...product].flatMap((scope) =>
      names.flatMap((name) => this.#lastUses().get(scope)?.get(name) ?? []),
    );
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** When each user last used a product. */
  usersOf(product: string): LastUses {
    const users: LastUses = new Map();
    const plans = [...this.synced.plans.values()].filter((plan) => fold(plan.product) === product);
    const own = plans.length === 0 ? [] : [INSTALLATION, ...plans.map(({ id }) => `plan:${id}`)];
    for (const scope of [`product:${product}`, ...own]) {
      for (const [name, time] of this.#lastUses().get(scope) ?? []) keep(users, this.#userOf(name), time);
    }
    return users;
  }

  /** An employee's id or an address may name the holder, unless an account has this id. */
  #namesOf(account: Account): readonly string[] {
    const holder = this.holderOf(account)?.id;
    const address = account.email === null ? [] : [fold(account.email)];
    return [
      account.id,
      ...address,
      ...(holder === undefined || this.synced.accounts().has(holder) ? [] : [holder]),
    ];
  }

  /** One name for all names of a user. */
  #userOf(name: string): string {
    const account = this.synced.accounts().get(name);
    return account === undefined ? name : (this.#namesOf(account).at(-1) ?? name);
  }

  #byScope(): ReadonlyMap<string, LastUses> {
    const scopes = new Map<string, LastUses>();
    for (const { actorId, email, plan, product, time } of this.synced.uses()) {
      const scope = plan ? `plan:${plan}` : product ? `product:${fold(product)}` : INSTALLATION;
      keep(
        getOrAdd(scopes, scope, () => new Map()),
        this.#nameOf(actorId, email),
        time,
      );
    }
    return scopes;
  }

  /** The address takes precedence over an id that the installation doesn't know, which may be another system's. */
  #nameOf(actorId: string, email: string | null): string {
    if (email === null) return actorId;
    const { accounts, employees } = this.synced;
    const known = this.#byAddress().get(fold(email))?.id;
    return known ?? (accounts().has(actorId) || employees().has(actorId) ? actorId : fold(email));
  }

  /** If several employees have the same address, the first one wins. */
  #addresses(): ReadonlyMap<string, Employee> {
    const found = new Map<string, Employee>();
    for (const employee of this.synced.employees().values()) {
      for (const address of [employee.email ?? "", ...employee.aliases]) {
        if (fold(address) !== "") getOrAdd(found, fold(address), () => employee);
      }
    }
    return found;
  }
}

function keep(uses: LastUses, name: string, time: number): void {
  uses.set(name, Math.max(time, uses.get(name) ?? time));
}
