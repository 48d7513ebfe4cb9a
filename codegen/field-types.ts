/** The types of fields that records may have. */
import { type DescEnum, type DescField, ScalarType } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { FieldType, Model } from "./model.js";
import { Refusal } from "./refusal.js";

/** @param modelOf Reads a message within the record. @throws Refusal */
export function typeOfField(
  field: DescField,
  modelOf: (message: NonNullable<DescField["message"]>) => Model,
): FieldType {
  if (field.fieldKind === "enum") return { kind: "enum", type: plainEnum(field.enum) };
  if (field.fieldKind === "message") {
    if (field.message.typeName === TimestampSchema.typeName) return { kind: "timestamp" };
    if (!field.message.typeName.startsWith("google."))
      return { kind: "message", model: modelOf(field.message) };
  }
  const type = describeType(field);
  const kind = SCALARS[type];
  if (kind !== undefined) return kind;
  throw new Refusal(
    `${field.parent.name}.${field.name}: the SDK cannot carry ${type}. Leave the field out: contract/rules.ts, messages.${field.parent.name}.fields.${field.name}: { leftOut: true }`,
  );
}

function plainEnum(type: DescEnum): DescEnum {
  const numbers = new Set(type.values.map(({ number }) => number));
  if (numbers.size < type.values.length || type.values.some(({ number }) => number < 0))
    throw new Refusal(`${type.name}: the SDK cannot carry an enum with aliases or negative numbers`);
  return type;
}

const SCALARS: Readonly<Record<string, FieldType>> = {
  string: { kind: "string", format: "any" },
  bool: { kind: "bool" },
  int32: { kind: "int32" },
  int64: { kind: "int64" },
  uint32: { kind: "uint32" },
  uint64: { kind: "uint64" },
  "repeated string": { kind: "strings" },
  "map<string, string>": { kind: "stringMap" },
};

function describeType(field: DescField): string {
  const value = field.message?.typeName ?? field.enum?.typeName ?? scalarName(field.scalar);
  if (field.fieldKind === "map") return `map<${scalarName(field.mapKey)}, ${value}>`;
  return field.fieldKind === "list" ? `repeated ${value}` : value;
}

function scalarName(scalar: number | undefined): string {
  return ScalarType[scalar ?? 0]?.toLowerCase() ?? "";
}
