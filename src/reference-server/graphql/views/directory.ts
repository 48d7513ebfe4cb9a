import type { GenericAccountDetails } from "../../../sync/generated/contract.js";
import { fold, nullIfBlank } from "../../values.js";
import type { Employee, SyncedData } from "./synced.js";

/** A user of applications: an employee; else an e-mail address; else an id within one installation. */
export type Person = Employee | string;

export class Directory {
  readonly #synced: readonly SyncedData[];
  readonly #byAddress = new Map<string, Employee>();

  /** Of employees with the same address or id the first counts. */
  constructor(synced: readonly SyncedData[]) {
    this.#synced = synced;
    for (const { employees } of synced) {
      for (const employee of employees.values()) {
        for (const address of employee.addresses) {
          if (address !== "" && !this.#byAddress.has(address)) this.#byAddress.set(address, employee);
        }
      }
    }
  }

  /**
   * The holder of an account: the employee with the account's e-mail address or id. An id of another installation
   * counts only if the account has no address: two sources that both number from 1 mean different people.
   */
  holderOf(synced: SyncedData, account: GenericAccountDetails): Person {
    const email = nullIfBlank(account.email);
    if (email === null) {
      return synced.employees.get(account.id) ?? this.#anywhere(account.id) ?? localId(synced, account.id);
    }
    const address = fold(email);
    return this.#byAddress.get(address) ?? synced.employees.get(account.id) ?? address;
  }

  /** The actor of a usage event: the holder of an account, or an employee. */
  actorOf(synced: SyncedData, actorId: string): Person {
    const account = synced.accounts.get(actorId);
    if (account !== undefined) return this.holderOf(synced, account);
    return synced.employees.get(actorId) ?? this.#anywhere(actorId) ?? localId(synced, actorId);
  }

  /** The actor whom another system saw. The address counts before the id, which may be that system's own. */
  discoveredActorOf(synced: SyncedData, actorId: string, address: string | null): Person {
    if (address === null) return this.actorOf(synced, actorId);
    const isKnown = synced.accounts.has(actorId) || synced.employees.has(actorId);
    return this.#byAddress.get(address) ?? (isKnown ? this.actorOf(synced, actorId) : address);
  }

  #anywhere(id: string): Employee | undefined {
    for (const { employees } of this.#synced) {
      const employee = employees.get(id);
      if (employee !== undefined) return employee;
    }
    return undefined;
  }
}

/** Identifies an actor that only one installation knows. */
export function localId({ installation }: SyncedData, id: string): string {
  return JSON.stringify([installation.id, id]);
}
