import type { GeneratedFile } from "@bufbuild/protoplugin";
import {
  type Collection,
  conditionOf,
  type Field,
  type FieldsModel,
  type FieldType,
  type Model,
  type VariantModel,
} from "./model.js";
import { enumLiterals, schemaName } from "./names.js";

const HEADER = `An encoder for each message: checks a record and encodes it in the same pass.

An encoder is a chain of RecordWriter methods in the order of the field numbers, and ends at the first that refuses its
value. Each gets the tag of its field, number * 8 + wire type. Encoders accept what the schemas in schemas.ts accept,
and write the bytes that the message's codec writes.`;

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** Writes encoders.ts, which checks and encodes records in one pass. */
export function writeEncoders(
  file: GeneratedFile,
  collections: readonly Collection[],
  models: readonly Model[],
): void {
  file.print(file.jsDoc(HEADER));
  writeEnums(file, models);
  for (const model of models) {
    const { message } = model;
    const names = (model.kind === "fields" ? model.fields : model.variants).map(({ name }) => name);
    const encoder = schemaName(message);
    file.print();
    file.print("const ", encoder, ": ", messageEncoder(file), " = {");
    file.print("  names: new ", fieldNames(file), `(${names.map((name) => `"${name}"`).join(", ")}),`);
    file.print(`  encode: (to, { ${names.join(", ")} }) =>`);
    const steps = model.kind === "fields" ? fieldSteps(file, model) : variantSteps(file, model);
    for (const [i, step] of steps.entries()) {
      file.print("    ", ...step, i < steps.length - 1 ? " &&" : ",");
    }
    file.print("};");
  }
  file.print();
  file.print("/** The encoder of each collection's records. */");
  file.print("export const ENCODERS = {");
  for (const { name, record } of collections) file.print(`  ${name}: ${schemaName(record)},`);
  file.print("};");
}

/** Parts of a line of code. */
type Code = readonly (string | ReturnType<GeneratedFile["import"]>)[];

function writeEnums(file: GeneratedFile, models: readonly Model[]): void {
  const types = models.flatMap((model) =>
    model.kind === "fields"
      ? model.fields.flatMap(({ type }) => (type.kind === "enum" ? [type.type] : []))
      : [],
  );
  for (const type of new Set(types)) {
    const entries = enumLiterals(type).map(({ literal, number }) => `["${literal}", ${number}]`);
    file.print();
    file.print(`const ${type.name}Numbers = new Map<unknown, number>([${entries.join(", ")}]);`);
  }
}

function variantSteps(file: GeneratedFile, { variants }: VariantModel): Code[] {
  const [only, ...others] = variants;
  if (only !== undefined && others.length === 0) {
    return [
      [`to.requiredMessage(${tagOf(only.number, LENGTH_DELIMITED)}, ${only.name}, ${schemaName(only.type)})`],
    ];
  }
  return [
    [rule(file, "exactlyOne"), `(${variants.map(({ name }) => name).join(", ")})`],
    ...variants.map(
      ({ name, number, type }): Code => [
        `to.message(${tagOf(number, LENGTH_DELIMITED)}, ${name}, ${schemaName(type)})`,
      ],
    ),
  ];
}

function fieldSteps(file: GeneratedFile, model: FieldsModel): Code[] {
  const { fields, completeGroups } = model;
  const conditions = fields.flatMap(({ name, requiredWhen }): Code[] => {
    if (requiredWhen === undefined) return [];
    const { literal } = conditionOf(model, requiredWhen);
    return [[`(${requiredWhen.field} !== "${literal}" || ${name} !== undefined)`]];
  });
  const groups = completeGroups.map((group) => `[${group.join(", ")}]`).join(", ");
  return [
    ...conditions,
    ...(completeGroups.length > 0 ? [[rule(file, "completeGroups"), `(${groups})`] satisfies Code] : []),
    ...[...fields].sort((a, b) => a.number - b.number).map((field): Code => [fieldStep(field)]),
  ];
}

function fieldStep({ name, number, type, required }: Field): string {
  const tag = tagOf(number, wireTypeOf(type));
  const call = (method: string, ...more: readonly string[]) =>
    `to.${method}(${[tag, name, ...more].join(", ")})`;
  const present = (step: string) => (required ? `${name} !== undefined && ${step}` : step);
  switch (type.kind) {
    case "message":
      return call(required ? "requiredMessage" : "message", schemaName(type.type));
    case "enum":
      return present(call("enumeration", `${type.type.name}Numbers`));
    case "string":
      if (type.format !== "any") return present(call(type.format));
      return call(required ? "requiredString" : "string");
    case "strings":
    case "stringMap":
      return call(type.kind);
    default:
      return present(call(type.kind));
  }
}

function wireTypeOf({ kind }: FieldType): number {
  return kind === "bool" || kind === "int32" || kind === "int64" || kind === "enum"
    ? VARINT
    : LENGTH_DELIMITED;
}

function tagOf(number: number, wireType: number): number {
  return number * 8 + wireType;
}

function fieldNames(file: GeneratedFile) {
  return file.import("FieldNames", "../encoding/record-writer.js");
}

function messageEncoder(file: GeneratedFile) {
  return file.import("MessageEncoder", "../encoding/record-writer.js", true);
}

function rule(file: GeneratedFile, name: "exactlyOne" | "completeGroups") {
  return file.import(name, "../encoding/record-writer.js");
}
