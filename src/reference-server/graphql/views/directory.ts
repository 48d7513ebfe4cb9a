import { fold, lazy, nullIfBlank } from "../../values.js";
import type { Account, Employee, SyncedData, Use } from "./synced.js";

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
export function localId({ installation }: SyncedData, id: string): string {
  return JSON.stringify([installation.id, id]);
}
