/**
 * The service's rules for records (service description, "Sync API records"; contract/rules.ts). Shares no code with the
 * client's checks, so that each can expose mistakes in the other.
 */
import type { Timestamp } from "../../sync/generated/contract.js";
import { type MessageRules, RECORD_RULES, type VariantRules } from "../../sync/generated/server.js";
import { wireName } from "../values.js";
import type { Collection, MessageOf } from "../workspace.js";

export interface Violation {
  /** Path of the field in camelCase, such as `generic.details.model`; empty for the record itself. */
  readonly field: string;
  /** Continues a sentence that begins with the field: `is missing`. */
  readonly problem: string;
}

const FORMATS = {
  decimal: { form: /^-?\d+(\.\d+)?$/, problem: "is not a decimal number" },
  currency: { form: /^[A-Z]{3}$/, problem: "is not a currency code of three capital letters" },
};

export function violationOf<C extends Collection>(
  collection: C,
  { variant }: MessageOf<C>,
): Violation | undefined {
  return ofVariant(RECORD_RULES[collection] ?? {}, variant, "");
}

function ofVariant(rules: VariantRules, variant: unknown, path: string): Violation | undefined {
  if (!isVariant(variant)) {
    const names = Object.keys(rules).map((name) => `\`${wireName(name)}\``);
    return { field: path, problem: `selects no model. Set exactly one of ${names.join(", ")}` };
  }
  return ofFields(rules[variant.$case] ?? {}, variant.value, join(path, variant.$case));
}

function ofFields(rules: MessageRules, message: object, path: string): Violation | undefined {
  const {
    required = [],
    groups = [],
    when = {},
    formats = {},
    enums = {},
    messages = {},
    variants = {},
  } = rules;
  const fieldNamed = (name: string): unknown => Reflect.get(message, name);
  // Zero means that an enum is missing, unless zero is one of its known values.
  const isMissing = (name: string) => {
    const value = fieldNamed(name);
    return value === undefined || value === "" || (value === 0 && enums[name]?.includes(0) === false);
  };
  const isIncomplete = (group: readonly string[]) =>
    group.some((name) => !isMissing(name)) && group.some(isMissing);
  const missing =
    required.find(isMissing) ??
    groups.find(isIncomplete)?.find(isMissing) ??
    (groups.some((group) => !group.some(isMissing)) ? undefined : groups[0]?.[0]) ??
    Object.entries(when).find(
      ([name, { field, value }]) => fieldNamed(field) === value && isMissing(name),
    )?.[0];
  if (missing !== undefined) return { field: join(path, missing), problem: "is missing" };
  for (const [name, format] of Object.entries(formats)) {
    const { form, problem } = FORMATS[format];
    if (!isMissing(name) && !form.test(String(fieldNamed(name)))) return { field: join(path, name), problem };
  }
  for (const [name, numbers] of Object.entries(enums))
    if (!isMissing(name) && !numbers.some((number) => number === fieldNamed(name)))
      return { field: join(path, name), problem: "is not a known value" };
  return invalidTime(message, path) ?? within(messages, variants, fieldNamed, path);
}

function within(
  messages: Readonly<Record<string, MessageRules>>,
  variants: Readonly<Record<string, VariantRules>>,
  fieldNamed: (name: string) => unknown,
  path: string,
): Violation | undefined {
  for (const [name, rules] of Object.entries(messages)) {
    const message = fieldNamed(name);
    const found = isMessage(message) && ofFields(rules, message, join(path, name));
    if (found) return found;
  }
  for (const [name, rules] of Object.entries(variants)) {
    const message = fieldNamed(name);
    const found = isMessage(message) && ofVariant(rules, Reflect.get(message, "variant"), join(path, name));
    if (found) return found;
  }
  return undefined;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function isMessage(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isVariant(value: unknown): value is { readonly $case: string; readonly value: object } {
  return isMessage(value) && "$case" in value && "value" in value && isMessage(value.value);
}

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the range of a Timestamp. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;

function invalidTime(message: object, path: string): Violation | undefined {
  // Not Object.entries, which takes four times as long for each record.
  for (const field in message) {
    const value: unknown = Reflect.get(message, field);
    if (!isTimestamp(value)) continue;
    const { seconds, nanos } = value;
    if (seconds < FIRST_SECOND || seconds > LAST_SECOND || nanos < 0 || nanos > 999_999_999)
      return {
        field: join(path, field),
        problem: "is not a Timestamp between the years 1 and 9999 with 0 to 999,999,999 nanos",
      };
  }
  return undefined;
}

export function isTimestamp(value: unknown): value is Timestamp {
  return typeof value === "object" && value !== null && "seconds" in value && "nanos" in value;
}
