import { InvalidInputError } from "../../core/errors/index.js";
import { describeType, isObject } from "../../core/validate.js";

export type JsonObject = Readonly<Record<string, unknown>>;

/** What a path of a filter has beside the names of fields. */
const FILTER_PARTS = /\[\d+\]|\.(?:and|or|eq|neq|in|nin|gte|lte)(?!\w)/g;

/** Objects that JSON writes completely; instances of classes are of the first kind. */
const JSON_KINDS = ["Object", "Array"];

/**
 * Copies variables as they will be sent, so that later changes to the caller's objects have no effect.
 * @param dates Paths of the API's own variables that are calendar dates. Documents of the caller may use other scalars,
 * and a `Date`, which JSON writes as a timestamp.
 * @throws {InvalidInputError} a date is not valid, or JSON would change a value silently; `issues` has its path
 */
export function copyVariables(variables: object, dates?: ReadonlySet<string>): JsonObject {
  const paths = new WeakMap<object, string>();
  function check(this: unknown, key: string, value: unknown): unknown {
    const holder = isObject(this) ? this : {};
    const path = joinPath(paths.get(holder), Array.isArray(holder), key);
    // Not `value`: a Date has become a string there already.
    const original: unknown = Reflect.get(holder, key);
    const expected = expectedForDate(original, path, dates) ?? expectedFor(value, holder);
    if (expected !== undefined) throw invalidVariable(path, expected);
    if (isObject(value)) paths.set(value, path);
    return value;
  }
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(variables, check));
  } catch (cause) {
    if (cause instanceof InvalidInputError) throw cause;
    // The engine's message may quote values.
    throw new InvalidInputError(
      "The variables cannot be sent as JSON: they contain a BigInt or a circular reference.",
    );
  }
  if (isJsonObject(copy)) return copy;
  throw new InvalidInputError("The variables must be an object.");
}

/** Whether a text is a real day as the `Date` scalar writes it: `YYYY-MM-DD`. */
export function isCalendarDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(new Date(`${text}T00:00:00Z`)) === text;
}

/** The day of a `Date` in UTC; empty if it is not valid. */
export function dayOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, -"T00:00:00.000Z".length);
}

/** Whether JSON calls a value an object: arrays are not. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && !Array.isArray(value);
}

function joinPath(parent: string | undefined, inArray: boolean, key: string): string {
  if (inArray) return `${parent ?? ""}[${key}]`;
  return parent === undefined || parent === "" ? key : `${parent}.${key}`;
}

function expectedForDate(value: unknown, path: string, dates: ReadonlySet<string> | undefined) {
  if (value instanceof Date) {
    if (dates !== undefined)
      return "a calendar date such as 2026-12-31, got a Date: convert it with calendarDate(date)";
    return Number.isNaN(value.getTime()) ? "a valid date" : undefined;
  }
  if (dates === undefined || value === null || value === undefined || isObject(value)) return undefined;
  const isDate = typeof value === "string" && isCalendarDate(value);
  return isDate || !dates.has(path.replace(FILTER_PARTS, ""))
    ? undefined
    : `a calendar date such as 2026-12-31, got ${describeType(value)}`;
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
