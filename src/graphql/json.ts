import { InvalidInputError } from "../errors.js";

/**
 * Writes a value as JSON, and refuses what JSON would change in silence.
 * @throws {InvalidInputError} naming the place of a number that is not finite, or of `undefined`, a function or a
 * symbol in a list (JSON makes them null), or of a Map or a Set (it makes them empty objects); also for a BigInt and a
 * circular reference
 */
export function toJson(value: unknown): string {
  try {
    const text = JSON.stringify(value);
    return mayBeChanged(text) ? JSON.stringify(value, silentChangesRefused()) : text;
  } catch (cause) {
    if (cause instanceof InvalidInputError) throw cause;
    // The engine's text may quote what it stumbled over: not passed on.
    throw new InvalidInputError("The variables cannot be written as JSON: a BigInt or a circular reference.");
  }
}

/** A copy of a value as it will be sent: later changes of the original do not reach it. */
export function jsonCopy(value: object): Readonly<Record<string, unknown>> {
  const copy: unknown = JSON.parse(toJson(value));
  return isObject(copy) ? copy : {};
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What JSON changes is in the text as null or as an empty object. Asking for each value is slow, and seldom needed. */
function mayBeChanged(text: string): boolean {
  return text.includes("null") || text.includes("{}");
}

/** A replacer that replaces nothing, and knows where it is. */
function silentChangesRefused(): (this: unknown, key: string, value: unknown) => unknown {
  const places = new WeakMap<object, string>();
  return function (this: unknown, key: string, value: unknown): unknown {
    const holder = typeof this === "object" && this !== null ? this : {};
    const place = placeWithin(places.get(holder), Array.isArray(holder), key);
    const expected = expectedFor(value, Array.isArray(holder));
    if (expected !== undefined) {
      throw new InvalidInputError(`The variable field ${place} must be ${expected}.`, {
        issues: [{ path: place, expected }],
      });
    }
    if (typeof value === "object" && value !== null) places.set(value, place);
    return value;
  };
}

function placeWithin(parent: string | undefined, inList: boolean, key: string): string {
  if (inList) return `${parent ?? ""}[${key}]`;
  return parent === undefined || parent === "" ? key : `${parent}.${key}`;
}

/** What must stand in the place of a value that JSON changes; undefined for one that it writes as it is. */
function expectedFor(value: unknown, inList: boolean): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return "a finite number";
  if (value instanceof Map) return "an object, not a Map";
  if (value instanceof Set) return "a list, not a Set";
  const lost = value === undefined || typeof value === "function" || typeof value === "symbol";
  return inList && lost
    ? `a value or null, not ${value === undefined ? "undefined" : `a ${typeof value}`}`
    : undefined;
}
