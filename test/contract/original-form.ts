import type { DescField } from "@bufbuild/protobuf";
import { isMessage } from "@bufbuild/protobuf";
import {
  isReflectList,
  isReflectMap,
  isReflectMessage,
  type ReflectMessage,
} from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence, TimestampSchema, timestampDate } from "@bufbuild/protobuf/wkt";
import { GENERIC, type Names } from "../../codegen/contract-names.js";
import { enumLiterals } from "../../codegen/names.js";

/**
 * A message as the service's own descriptors read it, in the form that users write.
 * @throws {Error} the message has a field that the descriptors do not know
 */
export function originalForm(message: ReflectMessage, names: Names): object {
  const unknown = message.getUnknown()?.map(({ no }) => no) ?? [];
  if (unknown.length > 0)
    throw new Error(`${message.desc.typeName} has unknown fields ${unknown.join(", ")}`);
  const form: Record<string, unknown> = {};
  for (const field of message.fields) {
    const value: unknown = message.get(field);
    const literal =
      field.fieldKind === "enum" && enumLiterals(field.enum).find(({ number }) => number === value);
    // An enum without presence always has a value: zero.
    const isThere = message.isSet(field) || (literal && field.presence === FeatureSet_FieldPresence.IMPLICIT);
    if (isThere) form[camelCase(names.field(field))] = literal ? literal.literal : plain(value, names);
  }
  return form;
}

function plain(value: unknown, names: Names): unknown {
  if (typeof value === "bigint") return Number(value);
  if (isReflectMap(value))
    return Object.fromEntries([...value].map(([key, entry]) => [key, plain(entry, names)]));
  if (isReflectMessage(value))
    return isMessage(value.message, TimestampSchema)
      ? timestampDate(value.message).toISOString()
      : originalForm(value, names);
  return isReflectList(value) ? Array.from(value, (entry) => plain(entry, names)) : value;
}

/** The record as users write it: the generic variant's fields are the record's own. */
export function flattened(record: object): object {
  const generic: unknown = Reflect.get(record, GENERIC);
  return typeof generic === "object" && generic !== null ? generic : record;
}

/** The message or value at a path of contract names. */
export function at(message: ReflectMessage, path: string): unknown {
  const [within, field] = fieldAt(message, path);
  return within.get(field);
}

export function set(message: ReflectMessage, path: string, value: string): void {
  const [within, field] = fieldAt(message, path);
  within.set(field, value);
}

function fieldAt(message: ReflectMessage, path: string): readonly [ReflectMessage, DescField] {
  const [name, ...rest] = path.split(".");
  const field = message.fields.find((each) => each.name === name);
  if (field === undefined) throw new Error(`${message.desc.typeName} has no ${path}`);
  if (rest.length === 0) return [message, field];
  const within: unknown = message.get(field);
  if (!isReflectMessage(within)) throw new Error(`${path} leads nowhere`);
  if (!message.isSet(field)) message.set(field, within);
  return fieldAt(within, rest.join("."));
}

function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
