import { InvalidInputError } from "../../core/errors/index.js";

/**
 * Checks what a run's function returned: what it left to somebody else would not be waited for, or never be done.
 * @throws {InvalidInputError} it is a generator, whose body nobody runs, or a list of promises, which nobody awaits
 */
export function checkReturned(result: unknown): void {
  if (typeof result !== "object" || result === null) return;
  if (isIterator(result)) {
    throw new InvalidInputError(
      "The run's function returned a generator or another iterator, which nobody reads: what it was to write was not written. Write it as an async function, and give the generator to batch.write.",
    );
  }
  if (Array.isArray(result) && result.some(isPromise)) {
    throw new InvalidInputError(
      "The run's function returned a list of promises, which nobody awaits. Return Promise.all of them.",
    );
  }
}

function isIterator(result: object): boolean {
  return (
    typeof Reflect.get(result, "next") === "function" &&
    (Symbol.iterator in result || Symbol.asyncIterator in result)
  );
}

function isPromise(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "then") === "function";
}
