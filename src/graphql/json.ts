import { InvalidInputError } from "../errors.js";

/**
 * Writes a value as JSON, and refuses what JSON would change in silence.
 * @throws {InvalidInputError} a number that is not finite (JSON makes it null), a BigInt, a circular reference
 */
export function toJson(value: unknown): string {
  try {
    const text = JSON.stringify(value);
    // A number that is not finite would be in there as null. Asking for each value is slow, and seldom needed.
    return text.includes("null") ? JSON.stringify(value, refuseSilentChanges) : text;
  } catch (cause) {
    if (cause instanceof InvalidInputError) throw cause;
    // The engine's text may quote what it stumbled over: not passed on.
    throw new InvalidInputError("The variables cannot be written as JSON: a BigInt or a circular reference.");
  }
}

/** A copy of a value as it will be sent: later changes of the original do not reach it. */
export function jsonCopy(value: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(parseObject(toJson(value))));
}

function parseObject(text: string): object {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? value : {};
}

function refuseSilentChanges(key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new InvalidInputError(`The variable field ${key} must be a finite number.`, {
      issues: [{ path: key, expected: "a finite number" }],
    });
  }
  return value;
}
