import type { Timestamp } from "../../sync/generated/google/protobuf/timestamp.js";
import { SubscriptionModel } from "../../sync/generated/saas_management/sync/v1/access_records.js";
import type { Collection, MessageOf } from "../workspace.js";

/**
 * A record as plain data, in the shape in which the SDK takes it: `{ generic: { id: "u1" } }`. Fields that are absent
 * on the wire are absent here, timestamps are ISO 8601 strings in UTC, maps are objects, enum values have no prefix.
 */
export type PlainRecord = Readonly<Record<string, unknown>>;

/** @internal */
export function plainRecord({ variant }: MessageOf<Collection>): PlainRecord {
  return variant === undefined ? {} : { [variant.$case]: plain(variant.value) };
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) return Object.fromEntries(value);
  if (isTimestamp(value)) return isoTime(value);
  // A message that is nothing but a oneof is written as the variant that it selects.
  if ("variant" in value) return plain(value.variant);
  if ("$case" in value && "value" in value) return { [String(value.$case)]: plain(value.value) };
  const entries = Object.entries(value).filter(([, field]) => !isAbsent(field));
  return Object.fromEntries(
    entries.map(([name, field]) => [name, isEnum(name, field) ? enumName(field) : plain(field)]),
  );
}

/** On the wire an empty list or map is no different from none. */
function isAbsent(field: unknown): boolean {
  if (Array.isArray(field)) return field.length === 0;
  return field === undefined || (field instanceof Map && field.size === 0);
}

function isTimestamp(value: object): value is Timestamp {
  return "seconds" in value && typeof value.seconds === "bigint" && "nanos" in value;
}

function isoTime({ seconds, nanos }: Timestamp): string {
  const time = new Date(Number(seconds) * 1000 + Math.trunc(nanos / 1e6)).toISOString();
  return nanos % 1e6 === 0 ? time : time.replace(/\d{3}Z$/, `${String(nanos).padStart(9, "0")}Z`);
}

/** The only enum of the records. An AI usage event has a `model` too, which is text. */
function isEnum(name: string, value: unknown): value is SubscriptionModel {
  return name === "model" && typeof value === "number";
}

function enumName(value: SubscriptionModel): string {
  return SubscriptionModel[value].replace("SUBSCRIPTION_MODEL_", "");
}
