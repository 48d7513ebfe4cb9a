/** The types of fields that records may have. */
import type { DescField } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { FieldType, Model } from "./model.js";

/** Records do not have a field of such a type, unless a rule wants it. */
export class UnsupportedType extends Error {}

/** @param modelOf Reads a message within the record. @throws UnsupportedType */
export function typeOfField(
  field: DescField,
  modelOf: (message: NonNullable<DescField["message"]>) => Model,
): FieldType {
  if (field.fieldKind === "enum") return { kind: "enum", type: field.enum };
  if (field.fieldKind === "message") {
    if (field.message.typeName === TimestampSchema.typeName) return { kind: "timestamp" };
    if (!field.message.typeName.startsWith("google."))
      return { kind: "message", model: modelOf(field.message) };
  }
  const type = describeType(field);
  const kind = SCALARS[type];
  if (kind === undefined) throw new UnsupportedType(`${field.toString()}: ${type} is not supported`);
  return kind;
}

const SCALARS: Readonly<Record<string, FieldType>> = {
  STRING: { kind: "string", format: "any" },
  BOOL: { kind: "bool" },
  INT32: { kind: "int32" },
  INT64: { kind: "int64" },
  UINT32: { kind: "uint32" },
  UINT64: { kind: "uint64" },
  "repeated STRING": { kind: "strings" },
  "map STRING to STRING": { kind: "stringMap" },
};

function describeType(field: DescField): string {
  const name = (scalar: number | undefined) =>
    scalar === undefined
      ? (field.message?.typeName ?? field.enum?.typeName)
      : (SCALAR_NAMES[scalar] ?? `type ${scalar}`);
  if (field.fieldKind === "map") return `map ${name(field.mapKey)} to ${name(field.scalar)}`;
  if (field.fieldKind === "list") return `repeated ${name(field.scalar)}`;
  return `${name(field.scalar)}`;
}

/** The scalars in use, by their numbers in descriptor.proto. */
const SCALAR_NAMES: Readonly<Record<number, string>> = {
  3: "INT64",
  4: "UINT64",
  5: "INT32",
  8: "BOOL",
  9: "STRING",
  13: "UINT32",
};
