import { onTestFinished } from "vitest";

/** Resolves when `condition` holds; looked at after each turn of the event loop, until the test is over. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  let over = false;
  onTestFinished(() => {
    over = true;
  });
  while (!(await condition())) {
    if (over) throw new Error("What the test waited for did not happen.");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (reason) {
    return reason;
  }
  throw new Error("The promise was expected to reject.");
}
