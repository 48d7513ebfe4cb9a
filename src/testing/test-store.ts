import { randomBytes } from "node:crypto";
import { type Clock, systemClock } from "../core/clock.js";
import type { Store } from "../runs/ledger/store.js";
import { BrokenRule, STORE_RULES, type StoreRule, TestedStore } from "./store-rules.js";

/** The time limit of the check: a store that holds a lock or a connection during a slow put would never answer. */
const LIMIT_MS = 60_000;

/**
 * Checks that a store follows the rules of `Store`, in any test runner: it stores values whole or not at all, returns
 * them unchanged, lists them by prefix and deletes them, and no call waits for another call's slow value. The check
 * writes about 50 MiB in total, under keys that begin with `test-store-`, and cleans up. If a rule is broken, the
 * values that show it remain.
 *
 * Give the store as few connections as its users may have, for example one, to expose a store that needs a connection
 * for each unfinished value. The check doesn't cover crashes of a process or a machine.
 * @param makeStore Called for each of about 10 checks; may return the same store each time, even one with values.
 * @throws {Error} the store breaks a rule, which the message names, or doesn't answer for a minute
 */
export function testStore(makeStore: () => Store | Promise<Store>): Promise<void> {
  return checkStore(makeStore, LIMIT_MS);
}

export async function checkStore(
  makeStore: () => Store | Promise<Store>,
  limitMs: number,
  clock: Clock = systemClock,
): Promise<void> {
  for (const [rule, check] of Object.entries(STORE_RULES)) {
    const folder = `test-store-${randomBytes(6).toString("hex")}/`;
    const checked = checkRule(rule, new TestedStore(await makeStore(), folder), check);
    let cancel = () => {};
    const late = new Promise<"late">((resolve) => {
      cancel = clock.after(limitMs, () => resolve("late"), { keepAlive: true });
    });
    if ((await Promise.race([checked, late]).finally(cancel)) === "late")
      throw new Error(
        `The store did not answer for ${limitMs / 1000} seconds when this rule was checked: ${rule}.`,
      );
  }
}

async function checkRule(rule: string, store: TestedStore, check: StoreRule): Promise<void> {
  try {
    await check(store);
    for (const key of await store.list("")) await store.delete(key);
  } catch (error) {
    if (error instanceof BrokenRule) throw new Error(`The store breaks a rule: ${rule}. ${error.message}`);
    throw new Error(`The store failed when this rule was checked: ${rule}.`, { cause: error });
  }
}
