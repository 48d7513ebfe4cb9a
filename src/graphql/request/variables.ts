import { InvalidInputError } from "../../core/errors/index.js";
import { describeType, isObject } from "../../core/validate.js";
import { INPUT_FIELDS } from "../generated/operations.js";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Objects that JSON writes completely; instances of classes are of the first kind. */
const JSON_KINDS = ["Object", "Array"];

interface Field {
  readonly required: boolean;
  /** The input or `Date`; undefined for what is not checked. */
  readonly type: string | undefined;
}

const MAX_LISTED = 25;

const parsed = new Map<string, ReadonlyMap<string, Field>>();

/** Where a value stands, and the input that it is; undefined for what is not checked. */
interface Place {
  readonly path: string;
  readonly type: string | undefined;
}

/**
 * Copies variables as they will be sent, so that later changes to the caller's objects have no effect.
 * @param method The method of the client whose variables they are: their fields are checked. Documents of the caller may
 * use other inputs, and a `Date`, which JSON writes as a timestamp.
 * @throws {InvalidInputError} a field or a date is not valid, or JSON would change a value silently; `issues` has its
 * path
 */
export function copyVariables(variables: object, method?: string): JsonObject {
  const places = new WeakMap<object, Place>();
  function check(this: unknown, key: string, value: unknown): unknown {
    const holder = isObject(this) ? this : {};
    const parent = places.get(holder);
    const inArray = Array.isArray(holder);
    const path = joinPath(parent?.path, inArray, key);
    const type = parent === undefined ? method : inArray ? parent.type : fieldType(parent, key);
    // Not `value`: a Date has become a string there already.
    const original: unknown = Reflect.get(holder, key);
    const isDate = type === "Date";
    const expected =
      expectedForDate(original, isDate, method !== undefined) ??
      expectedFor(value, holder) ??
      expectedForInput(value, isDate ? undefined : type);
    if (expected !== undefined) throw invalidVariable(path, expected);
    if (isObject(value)) {
      places.set(value, { path, type });
      if (type !== undefined && !Array.isArray(value)) checkFields(value, { path, type });
    }
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

function expectedForDate(value: unknown, isDate: boolean, isOwn: boolean): string | undefined {
  if (value instanceof Date) {
    if (isOwn) return "a calendar date such as 2026-12-31, got a Date: convert it with calendarDate(date)";
    return Number.isNaN(value.getTime()) ? "a valid date" : undefined;
  }
  if (!isDate || value === null || value === undefined || isObject(value)) return undefined;
  return typeof value === "string" && isCalendarDate(value)
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

/**
 * The type of a field of an input; undefined if it is not checked.
 * @throws {InvalidInputError} the input has no such field; with the nearest name
 */
function fieldType({ path, type }: Place, name: string): string | undefined {
  if (type === undefined) return undefined;
  const fields = fieldsOf(type);
  const field = fields.get(name);
  if (field !== undefined) return field.type;
  const names = [...fields.keys()];
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const known = names.length > MAX_LISTED ? "" : ` Known: ${names.join(", ")}.`;
  // A key that is not a name may be a secret.
  const shown = /^[A-Za-z_]\w{0,63}$/.test(name) ? ` ${name}` : "";
  throw new InvalidInputError(`${path || "variables"}: unknown field${shown}.${hint}${known}`, {
    issues: [
      { path: path === "" ? name : `${path}.${name}`, expected: nearest ?? `one of ${names.join(", ")}` },
    ],
  });
}

/**
 * Checks the names of an input's fields, and what is missing. One part of a filter that is undefined is no condition; if nothing else stands
 * beside it, the filter matches more than the caller means.
 * @throws {InvalidInputError} an unknown field, a required field is not set, or no condition below the first level
 */
function checkFields(value: object, { path, type }: Place): void {
  const set = (name: string) => Reflect.get(value, name) !== undefined;
  const keys = Object.keys(value);
  // A wrong name explains why the right one is missing.
  for (const key of keys) fieldType({ path, type }, key);
  const missing = [...fieldsOf(type ?? "")].find(([name, field]) => field.required && !set(name))?.[0];
  const isEmptied = /[.[]/.test(path) && keys.length > 0 && !keys.some(set);
  const wrong = missing ?? (isEmptied ? keys[0] : undefined);
  if (wrong === undefined) return;
  const place = path === "" ? wrong : `${path}.${wrong}`;
  throw new InvalidInputError(`Variable ${place} must be set, got undefined.`, {
    issues: [{ path: place, expected: "a value" }],
  });
}

/** What a value must be that is not an object, but in the place of an input. */
function expectedForInput(value: unknown, type: string | undefined): string | undefined {
  if (type === undefined || value === null || value === undefined || isObject(value)) return undefined;
  const [first = ""] = fieldsOf(type).keys();
  return `an object such as { ${first}: … }, got ${describeType(value)}`;
}

function fieldsOf(type: string): ReadonlyMap<string, Field> {
  let fields = parsed.get(type);
  if (fields === undefined) {
    const words = (INPUT_FIELDS[type] ?? "").split(" ");
    fields = new Map(
      words.map((word) => {
        const [name = "", input] = word.split(":");
        return [name.replace("!", ""), { required: name.endsWith("!"), type: input }];
      }),
    );
    parsed.set(type, fields);
  }
  return fields;
}

/** The name with the fewest edits, if they are at most two, and not most of the name. */
function nearestName(name: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((candidate) => ({ candidate, edits: editsBetween(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best !== undefined && best.edits <= Math.min(2, name.length / 2) ? best.candidate : undefined;
}

function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
