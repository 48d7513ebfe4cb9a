/** Says in a sentence what code generation can't carry or what it needs to know, and where. */
export class Refusal extends Error {}

/** Returns the result of `read`, or notes its refusal. */
export function unlessRefused<T>(refusals: string[], read: () => T): readonly T[] {
  try {
    return [read()];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refusals.push(error.message);
    return [];
  }
}
