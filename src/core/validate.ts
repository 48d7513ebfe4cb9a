import { type ConfigurationError, InvalidInputError } from "./errors/index.js";

/** What an option must be (worded as the end of a sentence), and a check for it. */
export interface Rule {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
  /** Whether the option must be set. @default false */
  readonly required?: true;
}

/**
 * An options type as a table: the compiler rejects a missing or an unknown option. The entry `true` means that
 * the option is checked where it's used.
 */
export type OptionTable<Options> = Readonly<Record<keyof Options, Rule | true>>;

export type KnownOptions = Readonly<Record<string, Rule | true>>;

export const FLAG: Rule = { expected: "true or false", fits: isFlag };
export const FUNCTION: Rule = { expected: "a function", fits: (value) => typeof value === "function" };
export const TEXT: Rule = {
  expected: "a string that is not empty",
  fits: (value) => isText(value) && value !== "",
};
export const POSITIVE: Rule = {
  expected: "a positive, finite number",
  fits: (value) => isCount(value) && value > 0,
};

export function wholeNumber(min: 0 | 1): Rule {
  return {
    expected: `a whole number, ${min} or more`,
    fits: (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= min,
  };
}

const COUNT = wholeNumber(0);
/** Infinity means no limit. */
export const LIMIT: Rule = {
  ...COUNT,
  fits: (value) => value === Number.POSITIVE_INFINITY || COUNT.fits(value),
};

export function oneOf(...values: readonly string[]): Rule {
  const expected = values.map((value) => JSON.stringify(value)).join(" or ");
  return { expected, fits: (value) => isText(value) && values.includes(value) };
}

export function withMethods(...names: readonly string[]): Rule {
  return {
    expected: `an object with the methods ${names.join(", ")}`,
    fits: (value) => isObject(value) && names.every((name) => typeof Reflect.get(value, name) === "function"),
  };
}

type OptionsError = typeof ConfigurationError | typeof InvalidInputError;

/** A longer list of keys doesn't fit into a message. */
const MAX_LISTED = 25;

/**
 * Rejects the first unknown key.
 * @param place The option or method that takes the options, such as `retry` or `write`.
 * @throws {InvalidInputError} or the given class, with a suggestion
 */
export function rejectUnknownKeys(
  place: string,
  options: object,
  known: KnownOptions,
  ErrorClass: OptionsError = InvalidInputError,
): void {
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(known, key));
  if (unknown === undefined) return;
  const keys = Object.keys(known);
  const list = keys.length > MAX_LISTED ? "" : ` Known: ${keys.join(", ")}.`;
  throw new ErrorClass(`${place}: unknown option${displayKey(unknown)}.${suggestKey(unknown, keys)}${list}`);
}

/** A key that isn't an identifier may be a misplaced secret, so messages don't quote it. */
function displayKey(key: string): string {
  return /^[A-Za-z_$][\w$-]{0,31}$/.test(key) ? ` ${key}` : "";
}

/** Returns ` Did you mean x?` if a known key differs from `key` only in case and separators, otherwise `""`. */
export function suggestKey(key: string, known: readonly string[]): string {
  const folded = foldKey(key);
  const match = known.find((candidate) => foldKey(candidate) === folded);
  return match === undefined ? "" : ` Did you mean ${match}?`;
}

function foldKey(key: string): string {
  return key.toLowerCase().replace(/[\s_-]/g, "");
}

/**
 * Checks the options of a call and returns a shallow copy. Call this once, in the public method.
 * @param place The method that takes the options, such as `write`.
 * @throws {InvalidInputError} or the given class: not a plain object, an unknown key, or a value that breaks its rule
 */
export function readOptions<Options extends object>(
  place: string,
  options: Options,
  table: OptionTable<NoInfer<Options>>,
  ErrorClass: OptionsError = InvalidInputError,
): Options {
  // Fields of a class instance or a Map would be silently ignored.
  if (!isPlainObject(options))
    throw new ErrorClass(`${place}: options must be a plain object, got ${describeType(options)}.`);
  rejectUnknownKeys(place, options, table, ErrorClass);
  const copy = { ...options };
  checkRules(place, copy, table, ErrorClass);
  return copy;
}

/** Rejects the first option that is set and breaks its rule. */
export function checkRules(
  place: string,
  options: object,
  table: KnownOptions,
  ErrorClass: OptionsError = InvalidInputError,
): void {
  for (const [name, rule] of Object.entries(table)) {
    const value: unknown = Reflect.get(options, name);
    if (rule === true || (value === undefined && !rule.required) || rule.fits(value)) continue;
    const got = typeof value === "number" ? value : describeType(value);
    throw new ErrorClass(`${place}: ${name} must be ${rule.expected}, got ${got}.`);
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value) || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Describes a value only by its type, because the value itself may be a secret: `a string`, `an array`, `null`. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return `${value}`;
  if (typeof value === "number") return Number.isFinite(value) ? "a number" : `${value}`;
  if (typeof value === "string") return value === "" ? "an empty string" : "a string";
  if (!isObject(value)) return `a ${typeof value}`;
  if (Array.isArray(value)) return "an array";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid Date" : "a Date";
  const tag = /^\[object (Headers|Map|Set|URLSearchParams)\]$/.exec(
    Object.prototype.toString.call(value),
  )?.[1];
  return tag === undefined ? "an object" : `a ${tag}`;
}

/** Checks the shape of parsed JSON. */
export type Check<T> = (value: unknown) => value is T;

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

/** Allows fractions, because a time may have fractions of a millisecond. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

export function listOf<T>(isItem: Check<T>): Check<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(isItem);
}

export function recordOf<T>(isValue: Check<T>): Check<Readonly<Record<string, T>>> {
  return (value): value is Readonly<Record<string, T>> =>
    isPlainObject(value) && Object.values(value).every(isValue);
}

export function optional<T>(isValue: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || isValue(value);
}

/** Checks that an object has these fields; it may have others. */
export function objectOf<T extends object>(
  fields: {
    readonly [Name in keyof T]-?: Check<
      Record<never, never> extends Pick<T, Name> ? T[Name] | undefined : T[Name]
    >;
  },
): Check<T> {
  const checks = Object.entries<Check<unknown>>(fields);
  return (value): value is T =>
    isObject(value) && checks.every(([name, isValid]) => isValid(Reflect.get(value, name)));
}
