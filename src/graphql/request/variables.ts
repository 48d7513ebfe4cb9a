import { InvalidInputError } from "../../core/errors/index.js";

export type JsonObject = Readonly<Record<string, unknown>>;

/** What {@link copyVariables} does with a `Date`, which JSON writes as a timestamp. */
interface CopyOptions {
  /** The API's own dates are calendar dates; documents of the caller may use other scalars. */
  readonly allowDates: boolean;
}

/** Objects that JSON writes completely; instances of classes are of the first kind. */
const JSON_KINDS = ["Object", "Array"];

/**
 * Copies variables as they will be sent, so that later changes to the caller's objects have no effect.
 * @throws {InvalidInputError} JSON would drop or change a value silently; `issues` has its path
 */
export function copyVariables(variables: object, { allowDates }: CopyOptions): JsonObject {
  const paths = new WeakMap<object, string>();
  function check(this: unknown, key: string, value: unknown): unknown {
    const holder = isObject(this) ? this : {};
    const path = joinPath(paths.get(holder), Array.isArray(holder), key);
    // Not `value`: a Date has become a string there already.
    const original: unknown = Reflect.get(holder, key);
    const expected =
      original instanceof Date ? expectedForDate(original, allowDates) : expectedFor(value, holder);
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

/** Whether JSON calls a value an object: arrays are not. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && !Array.isArray(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function joinPath(parent: string | undefined, inArray: boolean, key: string): string {
  if (inArray) return `${parent ?? ""}[${key}]`;
  return parent === undefined || parent === "" ? key : `${parent}.${key}`;
}

function expectedForDate(date: Date, allowDates: boolean): string | undefined {
  if (!allowDates)
    return "a calendar date such as 2026-12-31, got a Date: convert it with calendarDate(date)";
  return Number.isNaN(date.getTime()) ? "a valid date" : undefined;
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
