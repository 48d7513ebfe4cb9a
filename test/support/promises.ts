import { onTestFinished } from "vitest";

/** Resolves when `condition` holds; checked once per turn of the event loop, until the test ends. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  let over = false;
  onTestFinished(() => {
    over = true;
  });
  while (!(await condition())) {
    if (over) throw new Error("The condition was not met before the test ended.");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The reason of a rejection. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (reason) {
    return reason;
  }
  throw new Error("The promise did not reject.");
}
