import type { TestClock } from "@saas-management/sdk/testing";
import { onTestFinished } from "vitest";
import { drive } from "../../src/reference-server/test-clock.js";
import { poolTurn } from "../../src/testing/kit/run/driver.js";

/** After this many turns of the event loop, `until` pauses between turns, so that other processes can run. */
const SPINNING_TURNS = 200;
/** Node's own function, even if a test replaces the global one. */
const { setTimeout } = globalThis;

/** Resolves when `condition` holds; checked once per turn of the event loop, until the test ends. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  let over = false;
  onTestFinished(() => {
    over = true;
  });
  for (let turns = 0; !(await condition()); turns += 1) {
    if (over) throw new Error("The condition was not met before the test ended.");
    await new Promise<void>((resolve) => {
      if (turns < SPINNING_TURNS) setImmediate(resolve);
      else setTimeout(resolve, 1);
    });
  }
}

/** Like `clock.drive`, but lets time pass sooner, because it doesn't wait for other processes. */
export function driven<T>(clock: TestClock, work: Promise<T>): Promise<T> {
  return drive(clock, work, { activity: () => clock.changes, patience: () => 30, turn: poolTurn });
}

/** The reason that the promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (reason) {
    return reason;
  }
  throw new Error("The promise did not reject.");
}
