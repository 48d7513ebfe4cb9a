/**
 * Converts the SDK's input and the output of protobufjs into one plain form, to compare them.
 *
 * The form has no absent fields, empty lists or empty maps. A oneof becomes a field with the variant's name, a map a
 * `Map`, a 64-bit number a bigint, and a Timestamp `{ seconds, nanos }`.
 */
import protobuf from "protobufjs";
import { messageOf } from "./contract.js";

const IS_64_BIT: ReadonlySet<string> = new Set(["int64", "uint64"]);
const TIMESTAMP = ".google.protobuf.Timestamp";

/** The plain form of a message that is written like a user's record, or as protobuf's JSON. */
export function ofInput(type: protobuf.Type, input: unknown): Record<string, unknown> {
  const message = withVariant(type, input);
  return formOf(type, (field) => {
    const value = get(message, field.name) ?? undefined;
    if (value === undefined || isEmptyList(value)) return undefined;
    if (field.map) return mapOf(value);
    return field.repeated
      ? entriesOf(value).map((entry) => inputValue(field, entry))
      : inputValue(field, value);
  });
}

function inputValue(field: protobuf.Field, value: unknown): unknown {
  const { resolvedType } = field;
  if (resolvedType instanceof protobuf.Enum) return enumNumber(resolvedType, String(value));
  if (isTimestamp(resolvedType)) return momentOf(value instanceof Date ? value.toISOString() : String(value));
  if (resolvedType !== null) return ofInput(messageOf(field), value);
  return IS_64_BIT.has(field.type) ? BigInt(String(value)) : value;
}

/** Converts an input to protobuf's JSON. */
export function toProtobufJson(type: protobuf.Type, input: unknown): Record<string, unknown> {
  const message = withVariant(type, input);
  return formOf(type, (field) => {
    const value = get(message, field.name) ?? undefined;
    if (value instanceof Date) return value.toISOString();
    if (typeof value === "bigint") return String(value);
    if (value === undefined || field.map || field.repeated) return value;
    const { resolvedType } = field;
    if (resolvedType instanceof protobuf.Enum) return `${enumPrefix(resolvedType)}${value}`;
    return resolvedType === null || isTimestamp(resolvedType)
      ? value
      : toProtobufJson(messageOf(field), value);
  });
}

/** The plain form of a message that protobufjs decoded. */
export function ofProtobufjs(type: protobuf.Type, message: unknown): Record<string, unknown> {
  return formOf(type, (field) => {
    // Defaults are on the prototype.
    if (typeof message !== "object" || message === null || !Object.hasOwn(message, field.name))
      return undefined;
    const value: unknown = Reflect.get(message, field.name);
    if (isEmptyList(value)) return undefined;
    if (field.map) return mapOf(value);
    return field.repeated
      ? entriesOf(value).map((entry) => protobufjsValue(field, entry))
      : protobufjsValue(field, value);
  });
}

function protobufjsValue(field: protobuf.Field, value: unknown): unknown {
  if (field.resolvedType instanceof protobuf.Type) {
    if (!isTimestamp(field.resolvedType)) return ofProtobufjs(field.resolvedType, value);
    return { seconds: BigInt(String(get(value, "seconds"))), nanos: get(value, "nanos") };
  }
  return IS_64_BIT.has(field.type) ? BigInt(String(value)) : value;
}

/** A flat record is the generic variant of its message. */
function withVariant({ fields, fieldsArray }: protobuf.Type, input: unknown): unknown {
  const isFlat = fields["generic"] !== undefined && fieldsArray.every(({ name }) => get(input, name) == null);
  return isFlat ? { generic: input } : input;
}

function formOf(type: protobuf.Type, read: (field: protobuf.Field) => unknown): Record<string, unknown> {
  const form: Record<string, unknown> = {};
  for (const field of type.fieldsArray) {
    const value = read(field);
    if (value !== undefined) form[field.name] = value;
  }
  return form;
}

function get(object: unknown, name: string): unknown {
  return typeof object === "object" && object !== null ? Reflect.get(object, name) : undefined;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function entriesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError("expected a list");
}

function mapOf(value: unknown): Map<string, unknown> | undefined {
  const map = new Map<string, unknown>(Object.entries(Object(value)));
  return map.size === 0 ? undefined : map;
}

/** The number of an enum value, by its name with or without the prefix. */
function enumNumber(type: protobuf.Enum, name: string): number {
  const number = type.values[name] ?? type.values[`${enumPrefix(type)}${name}`];
  if (number === undefined) throw new Error(`${type.name} has no ${name}`);
  return number;
}

/** `SUBSCRIPTION_MODEL_` of `SubscriptionModel`. */
function enumPrefix({ name }: protobuf.Enum): string {
  return `${name.replace(/(?<=.)[A-Z]/g, "_$&").toUpperCase()}_`;
}

function isTimestamp(type: protobuf.ReflectionObject | null): boolean {
  return type?.fullName === TIMESTAMP;
}

/** Nanoseconds, and seconds since 1970. */
function momentOf(iso: string): { readonly seconds: bigint; readonly nanos: number } {
  const [fraction = ""] = /\.\d+/.exec(iso) ?? [];
  const seconds = BigInt(Date.parse(iso.replace(fraction, "")) / 1000);
  return { seconds, nanos: Number(fraction.slice(1).padEnd(9, "0")) };
}
