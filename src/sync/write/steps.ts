import { watchEntries } from "./source.js";

/** Waits, while the array that is being taken in must not change. */
export async function unchanged(records: readonly unknown[], waits: Promise<void>): Promise<void> {
  const requireUnchanged = watchEntries(records);
  await waits;
  requireUnchanged();
}

/**
 * Repeats a step that goes on as long as it can without waiting, and then returns what to wait for.
 * @returns nothing if it never had to wait: an `await` per record would cost more than the record
 */
export function inSteps(step: () => Promise<void> | undefined): Promise<void> | undefined {
  const waits = step();
  return waits === undefined ? undefined : continueSteps(waits, step);
}

async function continueSteps(first: Promise<void>, step: () => Promise<void> | undefined): Promise<void> {
  for (let waits: Promise<void> | undefined = first; waits !== undefined; waits = step()) await waits;
}
