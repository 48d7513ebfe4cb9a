import { fold, getOrAdd, lazy } from "../../values.js";
import type { Account, Employee, SyncedData } from "./synced.js";

/** When each person last used something, in milliseconds since the epoch. */
type LastUses = Map<string, number>;

/** Scope of usage that names neither a plan nor a product. */
const INSTALLATION = "installation";

/** Finds out who used what and when from the records of one installation. */
export class Usage {
  readonly #lastUses = lazy(() => this.#byScope());
  readonly #byAddress = lazy(
    () => new Map([...this.synced.employees().values()].map((one) => [fold(one.email ?? ""), one])),
  );

  constructor(readonly synced: SyncedData) {}

  /** The employee with the account's e-mail address or id. */
  employeeOf({ id, email }: Pick<Account, "id" | "email">): Employee | undefined {
    const addressed = email === null ? undefined : this.#byAddress().get(fold(email));
    return addressed ?? this.synced.employees().get(id);
  }

  /** When the holder of an account last used a plan; undefined if never. */
  lastUse(accountId: string, planId: string): number | undefined {
    const plan = this.synced.plans.get(planId);
    const product = plan === undefined ? [] : [`product:${fold(plan.product)}`];
    const person = this.#personOf(accountId);
    const times = [INSTALLATION, `plan:${planId}`, ...product].flatMap(
      (scope) => this.#lastUses().get(scope)?.get(person) ?? [],
    );
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** When each person last used a product. */
  usersOf(product: string): LastUses {
    const users: LastUses = new Map();
    const plans = [...this.synced.plans.values()].filter((plan) => fold(plan.product) === product);
    const own = plans.length === 0 ? [] : [INSTALLATION, ...plans.map(({ id }) => `plan:${id}`)];
    for (const scope of [`product:${product}`, ...own])
      for (const [person, time] of this.#lastUses().get(scope) ?? []) keep(users, person, time);
    return users;
  }

  /** @param email the event's e-mail address, used if the actor's account isn't known */
  #personOf(id: string, email: string | null = null): string {
    const named = this.synced.accounts().get(id) ?? { id, email };
    return this.employeeOf(named)?.id ?? (named.email === null ? id : fold(named.email));
  }

  #byScope(): ReadonlyMap<string, LastUses> {
    const scopes = new Map<string, LastUses>();
    for (const { actorId, email, plan, product, time } of this.synced.uses()) {
      const scope = plan ? `plan:${plan}` : product ? `product:${fold(product)}` : INSTALLATION;
      const uses = getOrAdd(scopes, scope, (): LastUses => new Map());
      keep(uses, this.#personOf(actorId, email), time);
    }
    return scopes;
  }
}

function keep(uses: LastUses, person: string, time: number): void {
  uses.set(person, Math.max(time, uses.get(person) ?? time));
}
