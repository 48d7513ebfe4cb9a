import { InvalidInputError } from "../../core/errors/index.js";
import { describeType, isObject } from "../../core/validate.js";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Kinds of objects that JSON serializes completely. Class instances are also of the kind "Object". */
const JSON_KINDS = ["Object", "Array"];

/**
 * Copies the variables as they will be sent, so that later changes to the caller's objects have no effect.
 * @param isOwn Whether the variables belong to a method of the client, where dates are calendar dates. In a caller's
 *   own document, a `Date` becomes a timestamp.
 * @throws {InvalidInputError} JSON would silently change a value, or part of a filter has lost its condition;
 *   `issues` gives the path
 */
export function copyVariables(variables: object, isOwn = false): JsonObject {
  const paths = new WeakMap<object, string>();
  function check(this: unknown, key: string, value: unknown): unknown {
    const holder = isObject(this) ? this : {};
    const path = joinPath(paths.get(holder), Array.isArray(holder), key);
    // Reads the original, because a Date in `value` is already a string.
    const original: unknown = Reflect.get(holder, key);
    const expected = expectedForDate(original, isOwn) ?? expectedFor(value, holder);
    if (expected !== undefined) throw invalidVariable(path, expected);
    if (isObject(value)) {
      paths.set(value, path);
      if (isOwn) refuseEmptied(value, path);
    }
    return value;
  }
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(variables, check));
  } catch (cause) {
    if (cause instanceof InvalidInputError) throw cause;
    // The engine's own message may quote values.
    throw new InvalidInputError(
      "The variables cannot be sent as JSON: they contain a BigInt or a circular reference.",
    );
  }
  if (isJsonObject(copy)) return copy;
  throw new InvalidInputError("The variables must be an object.");
}

/**
 * Returns the UTC day of a `Date` in the format of the API's `Date` scalar: `YYYY-MM-DD`.
 * @throws {InvalidInputError} `value` isn't a valid `Date` of the years 0 to 9999
 */
export function calendarDate(value: Date): string {
  const text = value instanceof Date ? dayOf(value) : "";
  if (isCalendarDate(text)) return text;
  throw new InvalidInputError(
    `calendarDate needs a valid Date of the years 0 to 9999, got ${describeType(value)}.`,
  );
}

/** Whether a string is a real day in the format of the `Date` scalar: `YYYY-MM-DD`. */
function isCalendarDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(new Date(`${text}T00:00:00Z`)) === text;
}

/** The UTC day of a `Date`; empty if the date is invalid. */
function dayOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, -"T00:00:00.000Z".length);
}

/** Whether a value is an object in the sense of JSON; arrays aren't. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && !Array.isArray(value);
}

/**
 * Refuses an object whose fields are all undefined: such a part of a filter has no condition, so the filter would match
 * more than the caller meant. At the top level, undefined fields are fine.
 */
function refuseEmptied(value: object, path: string): void {
  const [first, ...others] = Object.keys(value);
  if (first === undefined || !/[.[]/.test(path) || Array.isArray(value)) return;
  if ([first, ...others].every((key) => Reflect.get(value, key) === undefined))
    throw invalidVariable(joinPath(path, false, first), "set, got undefined");
}

function expectedForDate(value: unknown, isOwn: boolean): string | undefined {
  if (!(value instanceof Date)) return undefined;
  if (isOwn) return "a calendar date such as 2026-12-31, got a Date: convert it with calendarDate(date)";
  return Number.isNaN(value.getTime()) ? "a valid date" : undefined;
}

function expectedFor(value: unknown, holder: object): string | undefined {
  if (value === undefined) return Array.isArray(holder) ? "a value or null, got undefined" : undefined;
  if (typeof value === "function" || typeof value === "symbol") return `a value, got a ${typeof value}`;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "a finite number";
  if (!isObject(value)) return undefined;
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return JSON_KINDS.includes(kind) ? undefined : `a plain object or an array, got a ${kind}`;
}

function invalidVariable(path: string, expected: string): InvalidInputError {
  const name = path === "" ? "The variables" : `Variable ${path}`;
  return new InvalidInputError(`${name} must be ${expected}.`, { issues: [{ path, expected }] });
}

function joinPath(parent: string | undefined, inArray: boolean, key: string): string {
  if (inArray) return `${parent ?? ""}[${key}]`;
  return parent === undefined || parent === "" ? key : `${parent}.${key}`;
}
