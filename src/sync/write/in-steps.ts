/**
 * Repeats a step that goes on as long as it can without waiting, and returns what it has to wait for.
 * @returns nothing where it never had to wait: an `await` a record would cost more than the record
 */
export function inSteps(step: () => Promise<void> | undefined): Promise<void> | undefined {
  const waits = step();
  return waits === undefined ? undefined : restOf(waits, step);
}

async function restOf(first: Promise<void>, step: () => Promise<void> | undefined): Promise<void> {
  for (let waits: Promise<void> | undefined = first; waits !== undefined; waits = step()) await waits;
}
