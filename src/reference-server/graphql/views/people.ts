import type { GenericAccountDetails } from "../../../sync/generated/saas_management/sync/v1/access_records.js";
import type { Digest } from "./digest.js";
import type { Employee } from "./employee.js";
import { addressKey, filled } from "./text.js";

/**
 * Somebody who uses applications: an employee; where there is none, an e-mail address; where there is none, an id of
 * one installation.
 */
export type Person = Employee | string;

/** Knows who is who across the installations of a workspace. */
export class People {
  readonly #directories: readonly Digest["employees"][];
  readonly #byAddress = new Map<string, Employee>();

  /** @param directories the employees of each installation. Where two are meant, the first one counts. */
  constructor(directories: readonly Digest["employees"][]) {
    this.#directories = directories;
    for (const directory of directories) {
      for (const employee of directory.values()) {
        for (const address of employee.addresses) {
          if (address !== "" && !this.#byAddress.has(address)) this.#byAddress.set(address, employee);
        }
      }
    }
  }

  /**
   * Whose account it is: the employee with the account's e-mail address, or with its id.
   *
   * An id of another installation counts only where the account has no address: two sources that both number from 1
   * mean different people.
   */
  ofAccount(digest: Digest, account: GenericAccountDetails): Person {
    const email = filled(account.email);
    const address = email === null ? null : addressKey(email);
    const employee =
      (address === null ? undefined : this.#byAddress.get(address)) ??
      digest.employees.get(account.id) ??
      (address === null ? this.#anywhere(account.id) : undefined);
    return employee ?? address ?? onlyIn(digest, account.id);
  }

  /** Who an actor of a usage event is: the holder of an account, or an employee. */
  ofActor(digest: Digest, actorId: string): Person {
    const account = digest.accounts.get(actorId);
    if (account !== undefined) return this.ofAccount(digest, account);
    return digest.employees.get(actorId) ?? this.#anywhere(actorId) ?? onlyIn(digest, actorId);
  }

  /** Who another system saw: its address counts before its id, which may be one of that system's own. */
  ofDiscovered(digest: Digest, actorId: string, address: string | null): Person {
    const employee = address === null ? undefined : this.#byAddress.get(address);
    const isKnown = digest.accounts.has(actorId) || digest.employees.has(actorId);
    return employee ?? (address === null || isKnown ? this.ofActor(digest, actorId) : address);
  }

  /** The employee with an id, of whichever installation. */
  #anywhere(id: string): Employee | undefined {
    for (const directory of this.#directories) {
      const employee = directory.get(id);
      if (employee !== undefined) return employee;
    }
    return undefined;
  }
}

function onlyIn(digest: Digest, id: string): string {
  return JSON.stringify([digest.installation.id, id]);
}
