/**
 * The checks that the generated schemas are made of. Each turns a value as users write it into what the wire's message
 * holds. No message echoes a text.
 */
import { type ZodType, z } from "zod";
import { describeType } from "../../core/validate.js";
import type { Timestamp } from "../generated/google/protobuf/timestamp.js";
import { CURRENCY, DECIMAL, isPlainObject, MAX_SECONDS, MIN_SECONDS } from "./formats.js";
import { momentGiven } from "./moment-given.js";

/** What a check says when it fails: what was expected, and what there was. */
const expected = (what: string, there: (input: unknown) => string = fieldGiven) => ({
  error: ({ input }: { readonly input?: unknown }) => `expected ${what}, got ${there(input)}`,
});

/** What a field holds that should hold something else. */
function fieldGiven(value: unknown): string {
  if (value === undefined) return "undefined (the field is required)";
  if (value === null) return "null (which is not the same as leaving the field out)";
  return describeType(value);
}

/** What a field holds where only some texts will do. */
const textGiven = (value: unknown) =>
  typeof value === "string" && value !== "" ? "another string" : fieldGiven(value);

const LONE_SURROGATES = "expected text that UTF-8 can carry, got a string with a lone surrogate";

/** Text that UTF-8 can carry: a lone surrogate would reach the service as another character. */
export const text = z
  .string(expected("a string"))
  .refine((value) => value.isWellFormed(), { error: LONE_SURROGATES });

export const requiredText = text.min(1, expected("a string that is not empty"));

export const bool = z.boolean(expected("true or false"));

export const int32 = z.int32(expected("a whole number of at most 32 bits"));

export const int64 = z
  .union([z.bigint(), z.int()], expected("a whole number (a safe integer or a bigint)"))
  .transform((value) => BigInt(value))
  .refine((value) => BigInt.asIntN(64, value) === value, expected("a whole number of at most 64 bits"));

const aDecimal = expected(
  'a decimal number as a string, such as "12.50" (no exponent, no grouping)',
  textGiven,
);

export const decimal = z.string(aDecimal).regex(DECIMAL, aDecimal);

export const currency = text.regex(CURRENCY, expected("an ISO 4217 currency code, such as EUR", textGiven));

const noStrings: string[] = [];

export const strings = z
  .array(text, expected("a list of strings"))
  .optional()
  .transform((value) => value ?? noStrings);

/** A map as the wire has it. Every own key is taken, `__proto__` too, which zod's own record type would drop. */
export const stringMap = z
  .unknown()
  .optional()
  .transform((value, context): Map<string, string> => {
    const map = new Map<string, string>();
    if (value === undefined) return map;
    if (!isPlainObject(value)) {
      context.addIssue({
        code: "custom",
        message: `expected an object of strings, got ${fieldGiven(value)}`,
      });
      return map;
    }
    for (const [position, [key, entry]] of Object.entries(value).entries()) {
      // The key is a content of the record as its value is: an issue tells the entry by its position.
      const path = [position];
      if (typeof entry !== "string") {
        const message = `expected a string, got ${fieldGiven(entry)}`;
        context.addIssue({ code: "custom", message, path });
      } else if (entry.isWellFormed() && key.isWellFormed()) map.set(key, entry);
      else context.addIssue({ code: "custom", message: LONE_SURROGATES, path });
    }
    return map;
  });

/** An enum as its literals without the wire's prefix; the value that means "nothing chosen" is not among them. */
export function enumeration<Numbers extends Readonly<Record<string, number>>>(numbers: Numbers) {
  const literals = Object.keys(numbers);
  return z
    .enum(literals, expected(`one of ${literals.map((l) => `"${l}"`).join(", ")}`, textGiven))
    .transform((literal) => numbers[literal] ?? 0);
}

/** A moment between the years 1 and 9999, which is what the wire's Timestamp allows; nanoseconds are never negative. */
export const timestamp = z
  .union(
    [
      z.date().transform((date): Timestamp => {
        const seconds = Math.floor(date.getTime() / 1000);
        return { seconds: BigInt(seconds), nanos: (date.getTime() - seconds * 1000) * 1_000_000 };
      }),
      z.iso
        .datetime({ offset: true })
        .regex(/^[^.]*(\.\d{1,9}\D|$)/)
        .transform((iso): Timestamp => {
          const fraction = /\.(\d+)/.exec(iso)?.[1] ?? "";
          const seconds = Date.parse(iso.replace(`.${fraction}`, "")) / 1000;
          return { seconds: BigInt(seconds), nanos: Number(fraction.slice(0, 9).padEnd(9, "0")) };
        }),
    ],
    expected(
      'a Date or an ISO 8601 string with an offset, such as "2026-01-31T09:30:00Z"',
      (value) => momentGiven(value) ?? fieldGiven(value),
    ),
  )
  .refine(({ seconds }) => seconds >= MIN_SECONDS && seconds <= MAX_SECONDS, {
    error: "expected a moment between the years 1 and 9999, got another",
  });

/** Of the variants of a oneof exactly one is set. */
export function exactlyOne(names: readonly string[]) {
  return z.check<Readonly<Record<string, unknown>>>(({ value, issues }) => {
    const set = names.filter((name) => value[name] !== undefined);
    if (set.length === 1) return;
    const found = set.length === 0 ? "none is" : `${set.join(" and ")} are`;
    const one =
      names.length === 1
        ? `the fields within ${names[0]}: { … }`
        : `exactly one of ${names.join(", ")}: ${found} set`;
    issues.push({
      code: "custom",
      input: value,
      message: `expected ${one}`,
    });
  });
}

/** A field that must be present when a sibling enum has a given value. */
export function requiredWhen(field: string, sibling: string, when: number, literal: string) {
  return z.check<Readonly<Record<string, unknown>>>(({ value, issues }) => {
    if (value[sibling] !== when || value[field] !== undefined) return;
    issues.push({
      code: "custom",
      input: value,
      path: [field],
      message: `expected to be present because ${sibling} is "${literal}"`,
    });
  });
}

/** Groups of fields of which one must be complete, and none half-filled. */
export function completeGroups(groups: readonly (readonly string[])[]) {
  const choices = groups.map((fields) => fields.join(" with ")).join(", or ");
  return z.check<Readonly<Record<string, unknown>>>(({ value, issues }) => {
    const counts = groups.map((fields) => fields.filter((field) => value[field] !== undefined).length);
    const complete = groups.some((fields, i) => counts[i] === fields.length);
    const halfFilled = groups.some((fields, i) => counts[i] !== 0 && counts[i] !== fields.length);
    if (complete && !halfFilled) return;
    issues.push({ code: "custom", input: value, message: `expected ${choices}` });
  });
}

interface Codec<Message> {
  encode(message: Message): { finish(): Uint8Array };
}

/** A record as its codec encodes it, or what its schema finds wrong. */
type CheckedRecord =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly issues: readonly z.core.$ZodIssue[] };

/**
 * What is said of a value that is no message, and of a field that its message does not have: which ones it has. Other
 * issues keep their own texts.
 */
function messageProblem({ code, inst, input, path }: z.core.$ZodRawIssue): string | undefined {
  if (!(inst instanceof z.ZodObject)) return undefined;
  if (code === "unrecognized_keys") {
    return `expected no such field; there are: ${Object.keys(inst.shape).join(", ")}`;
  }
  if (code !== "invalid_type") return undefined;
  return (path ?? []).length === 0
    ? `expected a record (an object), got ${describeType(input)}`
    : `expected an object, got ${fieldGiven(input)}`;
}

/** What checks a record by its schema and encodes what the schema makes of it. */
export function recordCheck<Message>(schema: ZodType<Message>, codec: Codec<Message>) {
  return (record: unknown): CheckedRecord => {
    const checked = schema.safeParse(record, { error: messageProblem });
    if (!checked.success) return { ok: false, issues: checked.error.issues };
    return { ok: true, bytes: codec.encode(checked.data).finish() };
  };
}
