/** The building blocks of the generated schemas, which explain a refusal and never quote a value of the record. */
import { z } from "zod";
import { describeType, isPlainObject } from "../../core/validate.js";
import { EventTimes } from "../event-times.js";
import { isoSeconds } from "./iso-time.js";
import { CURRENCY, DECIMAL, MAX_SECONDS, MIN_SECONDS } from "./record-writer.js";

type Fields = Readonly<Record<string, unknown>>;

/** The message of a failed check: what was expected, and what was found. */
const expected = (what: string, describe: (input: unknown) => string = describeField) => ({
  error: ({ input }: { readonly input?: unknown }) => `expected ${what}, got ${describe(input)}`,
});

function describeField(value: unknown): string {
  return value == null ? `${value} (the field is required)` : describeType(value);
}

/** Describes a value where only certain strings are valid. */
const describeString = (value: unknown) =>
  typeof value === "string" && value !== "" ? "another string" : describeField(value);

const LONE_SURROGATES = "expected well-formed Unicode, got a string with a lone surrogate";

export function message<Shape extends z.ZodRawShape>(shape: Shape) {
  const unknownField = `expected one of the fields ${Object.keys(shape).join(", ")}`;
  return z.strictObject(shape, {
    error: ({ code, input, path }) => {
      if (code === "unrecognized_keys") return unknownField;
      return path?.length === 0
        ? `expected a record (an object), got ${describeType(input)}`
        : `expected an object, got ${describeField(input)}`;
    },
  });
}

const isWellFormed = (value: string) => value.isWellFormed();

export const string = z
  .string(expected("a string", describeType))
  .refine(isWellFormed, { error: LONE_SURROGATES });

export const requiredString = z
  .string(expected("a string"))
  .min(1, expected("a string that is not empty"))
  .refine(isWellFormed, { error: LONE_SURROGATES });

export const bool = z.boolean(expected("true or false"));

export const int32 = z.int32(expected("a whole number of at most 32 bits"));

export const int64 = z
  .union([z.bigint(), z.int()], expected("a whole number (a safe integer or a bigint)"))
  .refine(
    (value) => typeof value === "number" || BigInt.asIntN(64, value) === value,
    expected("a whole number of at most 64 bits"),
  );

/** @public A contract may have unsigned fields; ours has none. */
export const uint32 = z
  .int(expected("a whole number of at most 32 bits, not negative"))
  .refine((value) => value >>> 0 === value, expected("a whole number of at most 32 bits, not negative"));

const A_UINT64 = expected("a whole number (a safe integer or a bigint), not negative");
/** @public */
export const uint64 = z
  .union([z.bigint(), z.int()], A_UINT64)
  .refine((value) => value >= 0 && BigInt.asUintN(64, BigInt(value)) === BigInt(value), A_UINT64);

const aDecimal = expected(
  'a decimal number as a string, such as "12.50" (no exponent, no grouping)',
  describeString,
);

export const decimal = z.string(aDecimal).regex(DECIMAL, aDecimal);

export const currency = z
  .string(expected("a string"))
  .regex(CURRENCY, expected("an ISO 4217 currency code, such as EUR", describeString));

export const strings = z.array(string, expected("an array of strings"));

/** Checks every own key, including `__proto__`, which zod's own record type would drop. */
export const stringMap = z.custom(isPlainObject, expected("an object of strings")).check((map) => {
  for (const [position, [key, entry]] of Object.entries(map.value ?? {}).entries()) {
    // Keys are part of the record's contents, so an issue names an entry by its position.
    const issue = { code: "custom" as const, input: map.value, path: [position] };
    if (typeof entry !== "string")
      map.issues.push({ ...issue, message: `expected a string, got ${describeType(entry)}` });
    else if (!entry.isWellFormed() || !key.isWellFormed())
      map.issues.push({ ...issue, message: LONE_SURROGATES });
  }
});

export function enumeration(literals: readonly string[]) {
  return z.enum(literals, expected(`one of ${literals.map((l) => `"${l}"`).join(", ")}`, describeString));
}

const aTime = expected(
  'a Date or an ISO 8601 string with an offset, such as "2026-01-31T09:30:00Z"',
  describeTimestamp,
);

export const timestamp = z.custom(
  (value) => inRange(secondsOf(value)) && EventTimes.checked?.has(secondsOf(value)) !== false,
  {
    error: ({ input }) => {
      const seconds = secondsOf(input);
      const isOther = inRange(seconds) && EventTimes.checked !== undefined;
      return isOther ? `expected ${EventTimes.describe(seconds)}` : aTime.error({ input });
    },
  },
);

function secondsOf(value: unknown): number {
  if (value instanceof Date) return Math.floor(value.getTime() / 1000);
  return typeof value === "string" ? isoSeconds(value) : Number.NaN;
}

function inRange(seconds: number): boolean {
  return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
}

const TIME = String.raw`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?`;
/** Strings that are almost a timestamp. The first match says what to do. */
const NEAR_MISSES: readonly (readonly [RegExp, string])[] = [
  [/^0000-00-00/, "a date of zeros: leave the field out if there is none"],
  [/^\d{4}-\d\d-\d\d$/, "a day without a time: add a time, such as T00:00:00Z"],
  [new RegExp(`${TIME}$`), "a time without an offset: add Z or an offset such as +01:00"],
  [new RegExp(`${TIME} ?[+-]\\d\\d(\\d\\d)?$`), "an offset without a colon: write it like +01:00"],
  [new RegExp(`${TIME} ?[A-Za-z]{2,5}$`), "a time zone by its name: write Z or an offset such as +01:00"],
  [/^\d{4}-\d\d-\d\d |\d [Z+-]/, "a space within the time: write it like 2026-01-31T09:30:00Z"],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/, "a day or a time that does not exist"],
  [/^\d{9,10}(\.\d+)?$/, "digits: if they count seconds since 1970, pass new Date(1000 * Number(value))"],
  [/^\d{12,13}$/, "digits: if they count milliseconds since 1970, pass new Date(Number(value))"],
];
/** From this value on, a number is taken as milliseconds since 1970: as seconds, it would be after the year 5000. */
const LEAST_MS = 100_000_000_000;

/** Describes an invalid timestamp, and how to fix the usual mistakes. */
function describeTimestamp(value: unknown): string {
  if (!Number.isNaN(secondsOf(value))) return "a time outside the years 1 to 9999";
  if (value instanceof Date) return "an invalid Date";
  if (typeof value === "number" && Number.isFinite(value)) {
    const [unit, ms] = Math.abs(value) < LEAST_MS ? ["seconds", "1000 * value"] : ["milliseconds", "value"];
    return `a number: if it counts ${unit} since 1970, pass new Date(${ms})`;
  }
  if (typeof value !== "string") return describeField(value);
  return NEAR_MISSES.find(([form]) => form.test(value))?.[1] ?? describeString(value);
}

export const absent = z.null(expected("nothing beside the variant", describeType)).optional();

export interface RecordSchemas {
  readonly generic: z.ZodType;
  /** For records that have a variant under its own name; undefined if the collection has only the generic variant. */
  readonly others?: z.ZodType;
}

/** A single variant under its own name, without any field of the generic variant. */
export function variants(schemas: Readonly<Record<string, z.ZodType>>, generic?: z.ZodObject) {
  const names = Object.keys(schemas);
  const shape: Record<string, z.ZodType> = {};
  for (const name of Object.keys(generic?.shape ?? {})) shape[name] = absent;
  for (const [name, schema] of Object.entries(schemas)) shape[name] = schema.nullish();
  return message(shape).check(({ value, issues }) => {
    const set = names.filter((name) => value[name] != null);
    if (set.length === 1) return;
    const found = set.length === 0 ? "none is" : `${set.join(" and ")} are`;
    const one =
      names.length === 1 ? `${names[0]}: { … }` : `exactly one of ${names.join(", ")}: ${found} set`;
    issues.push({ code: "custom", input: value, message: `expected ${one}` });
  });
}

/** A field that must be present if a sibling enum has a given value. */
export function requiredWhen(field: string, sibling: string, literal: string) {
  return z.check<Fields>(({ value, issues }) => {
    if (value[sibling] !== literal || value[field] != null) return;
    const message = `expected to be present because ${sibling} is "${literal}"`;
    issues.push({ code: "custom", input: value, path: [field], message });
  });
}

/** Groups of fields: one must be complete, and none half-filled. */
export function completeGroups(groups: readonly (readonly string[])[]) {
  const choices = groups.map((fields) => fields.join(" with ")).join(", or ");
  return z.check<Fields>(({ value, issues }) => {
    const counts = groups.map((fields) => fields.filter((field) => value[field] != null).length);
    const complete = groups.some((fields, i) => counts[i] === fields.length);
    const halfFilled = groups.some((fields, i) => counts[i] !== 0 && counts[i] !== fields.length);
    if (complete && !halfFilled) return;
    issues.push({ code: "custom", input: value, message: `expected ${choices}` });
  });
}
