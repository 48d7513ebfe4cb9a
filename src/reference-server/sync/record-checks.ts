import type { Timestamp } from "../../sync/generated/google/protobuf/timestamp.js";
import { wireName } from "./collections.js";

/** What is wrong with a record. Tells the field and the expectation, never the content. */
export interface Violation {
  /** Path of the field below the record, in wire names, such as `generic.details.model`. */
  readonly field: string;
  /** Continues a sentence that begins with the field: `is missing`. */
  readonly problem: string;
}

/** Finds the first thing that is wrong with a message, if any. */
export type Check<T> = (message: T) => Violation | undefined;

/** The field holds a text that is not empty. */
export function text<K extends string>(field: K): Check<{ readonly [P in K]?: string | undefined }> {
  return (message) => (message[field] ? undefined : violation(field, "is missing"));
}

/** The field is there, whatever it holds: `false` and `0` are values. */
export function present<K extends string>(field: K): Check<{ readonly [P in K]?: unknown }> {
  return (message) => (message[field] === undefined ? violation(field, "is missing") : undefined);
}

/** The field holds a moment, if it is there, that a Timestamp can express. */
export function moment<K extends string>(field: K): Check<{ readonly [P in K]?: Timestamp | undefined }> {
  return (message) => {
    const value = message[field];
    return value === undefined || isTimestamp(value)
      ? undefined
      : violation(field, "is not a Timestamp between the years 1 and 9999 with 0 to 999,999,999 nanos");
  };
}

/** The field holds text of a shape that `expected` describes. */
export function shaped<K extends string>(
  field: K,
  shape: RegExp,
  expected: string,
): Check<{ readonly [P in K]: string }> {
  return (message) => (shape.test(message[field]) ? undefined : violation(field, `is not ${expected}`));
}

/** The field passes the check, if it is there. */
export function within<K extends string, T>(
  field: K,
  check: Check<T>,
): Check<{ readonly [P in K]?: T | undefined }> {
  return (message) => {
    const value = message[field];
    const found = value === undefined ? undefined : check(value);
    return found && violation(field, found.problem, found.field);
  };
}

/** A oneof's value, tied to the name of its variant. */
export type Variant<M, K extends keyof M = keyof M> = {
  [P in K]: { readonly $case: P; readonly value: M[P] };
}[K];

/** Exactly one variant is set, and its message passes every check of that variant. */
export function oneOf<M extends object>(
  checks: { readonly [K in keyof M & string]: readonly Check<M[K]>[] },
): Check<{
  readonly variant: Variant<M, keyof M & string> | undefined;
}> {
  const names = Object.keys(checks).map((name) => `\`${wireName(name)}\``);
  const missing = { field: "", problem: `selects no model: exactly one of ${names.join(", ")} must be set` };
  const run = <K extends keyof M & string>(variant: Variant<M, K>): Violation | undefined => {
    for (const check of checks[variant.$case]) {
      const found = check(variant.value);
      if (found !== undefined) return violation(variant.$case, found.problem, found.field);
    }
    return undefined;
  };
  return ({ variant }) => (variant === undefined ? missing : run(variant));
}

function violation(field: string, problem: string, below = ""): Violation {
  return { field: below === "" ? wireName(field) : `${wireName(field)}.${below}`, problem };
}

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the range of a Timestamp. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;

function isTimestamp({ seconds, nanos }: Timestamp): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND && nanos >= 0 && nanos <= 999_999_999;
}
