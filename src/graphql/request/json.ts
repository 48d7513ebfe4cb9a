import { InvalidInputError } from "../../core/errors/index.js";

/**
 * Writes a value as JSON, and refuses what JSON would change in silence.
 * @throws {InvalidInputError} naming the place of what JSON leaves out or makes null (a function, a symbol, `undefined`
 * in a list, a number that is not finite, an invalid Date), or writes as an object of something else (a Promise, a Map,
 * an Error, bytes); also for a BigInt and a circular reference
 */
function toJson(value: object): string {
  try {
    return JSON.stringify(value, silentChangesRefused());
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

/** A replacer that replaces nothing, and knows where it is. */
function silentChangesRefused(): (this: unknown, key: string, value: unknown) => unknown {
  const places = new WeakMap<object, string>();
  return function (this: unknown, key: string, value: unknown): unknown {
    const holder = typeof this === "object" && this !== null ? this : {};
    const place = placeWithin(places.get(holder), Array.isArray(holder), key);
    const expected = expectedFor(Reflect.get(holder, key), value, Array.isArray(holder));
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

/**
 * What must stand in the place of a value that JSON changes; undefined for one that it writes as it is.
 * @param written What is written of it: another value where it has a `toJSON`.
 */
function expectedFor(original: unknown, written: unknown, inList: boolean): string | undefined {
  // Its toJSON makes null of it.
  if (original instanceof Date && Number.isNaN(original.getTime())) return "a date, not an invalid Date";
  if (typeof written === "function" || typeof written === "symbol") return `a value, not a ${typeof written}`;
  if (written === undefined) return inList ? "a value or null, not undefined" : undefined;
  if (typeof written === "number" || written instanceof Number) {
    return Number.isFinite(Number(written)) ? undefined : "a finite number";
  }
  return typeof written === "object" && written !== null ? expectedForObject(written) : undefined;
}

/** Kinds of objects of which JSON writes all there is; instances of a program's classes are of the first. */
const WRITTEN_KINDS = ["Object", "Array", "String", "Boolean"];

function expectedForObject(value: object): string | undefined {
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -"]".length);
  if (WRITTEN_KINDS.includes(kind)) return undefined;
  if (kind === "Set") return "a list, not a Set";
  return /^[A-Z]\w{0,31}$/.test(kind) ? `a value that JSON can hold, not a ${kind}` : "a plain object";
}
