import type { GenericAccountDetails } from "../../../sync/generated/contract.js";
import { fold, lazy, nullIfBlank } from "../../values.js";
import { type Employee, employeeDetails, type SyncedData } from "./synced.js";

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
  holderOf(synced: SyncedData, account: GenericAccountDetails): Person {
    const email = nullIfBlank(account.email);
    if (email === null) {
      return synced.employee(account.id) ?? this.#anywhere(account.id) ?? localId(synced, account.id);
    }
    const address = fold(email);
    return this.#byAddress().get(address) ?? synced.employee(account.id) ?? address;
  }

  /** The actor of a usage event: the holder of an account, or an employee. */
  actorOf(synced: SyncedData, actorId: string): Person {
    const account = synced.account(actorId);
    if (account !== undefined) return this.holderOf(synced, account);
    return synced.employee(actorId) ?? this.#anywhere(actorId) ?? localId(synced, actorId);
  }

  /** The actor whom another system saw. The address counts before the id, which may be that system's own. */
  discoveredActorOf(synced: SyncedData, actorId: string, address: string | null): Person {
    if (address === null) return this.actorOf(synced, actorId);
    const isKnown = (synced.account(actorId) ?? synced.employee(actorId)) !== undefined;
    return this.#byAddress().get(address) ?? (isKnown ? this.actorOf(synced, actorId) : address);
  }

  #anywhere(id: string): Employee | undefined {
    for (const synced of this.#synced) {
      const employee = synced.employee(id);
      if (employee !== undefined) return employee;
    }
    return undefined;
  }

  /** Of employees with the same address the first counts. */
  #addresses(): ReadonlyMap<string, Employee> {
    const found = new Map<string, Employee>();
    const add = (address: string, employee: Employee): void => {
      if (address !== "" && !found.has(address)) found.set(address, employee);
    };
    for (const { installation } of this.#synced) {
      for (const { variant } of installation.records("employees")) {
        if (variant === undefined) continue;
        const { email = "", aliases = [] } = employeeDetails(variant);
        add(fold(email), variant);
        for (const alias of aliases) add(fold(alias), variant);
      }
    }
    return found;
  }
}

/** Identifies an actor that only one installation knows. */
export function localId({ installation }: SyncedData, id: string): string {
  return JSON.stringify([installation.id, id]);
}
