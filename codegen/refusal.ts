/** Something that code generation can't carry, or needs to know: a sentence that says where. */
export class Refusal extends Error {}

/** Returns what `read` does, or notes its refusal. */
export function unlessRefused<T>(refusals: string[], read: () => T): readonly T[] {
  try {
    return [read()];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refusals.push(error.message);
    return [];
  }
}
