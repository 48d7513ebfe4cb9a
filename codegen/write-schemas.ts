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

/** Writes schemas.ts: a zod schema for each message, which explains what is wrong with a record. */
export function writeSchemas(
  file: GeneratedFile,
  collections: readonly Collection[],
  models: readonly Model[],
): void {
  for (const model of models) {
    file.print();
    file.print("const ", schemaName(model.message), " = ", check(file, "message"), "({");
    if (model.kind === "fields") writeFields(file, model);
    else writeVariants(file, model);
  }
  const zodType = file.import("ZodType", "zod", true);
  const recordTypes = file.import("RecordTypes", "./records.js", true);
  file.print();
  file.print("/** The schema of each collection's records. */");
  file.print("export const RECORD_SCHEMAS: Readonly<Record<keyof ", recordTypes, ", ", zodType, ">> = {");
  for (const { name, record } of collections) file.print(`  ${name}: ${schemaName(record)},`);
  file.print("};");
}

function writeFields(file: GeneratedFile, model: FieldsModel): void {
  for (const field of model.fields) file.print("  ", field.name, ": ", ...fieldSchema(file, field), ",");
  file.print(
    "})",
    ...model.fields.flatMap((field) => condition(file, model, field)),
    ...groups(file, model),
    ";",
  );
}

function condition(file: GeneratedFile, model: FieldsModel, { name, requiredWhen, type }: Field) {
  if (requiredWhen === undefined) return [];
  if (type.kind !== "message")
    throw new Error(`${model.message.typeName}.${name}: required_when is for messages`);
  const { literal } = conditionOf(model, requiredWhen);
  return [".check(", check(file, "requiredWhen"), `("${name}", "${requiredWhen.field}", "${literal}"))`];
}

function groups(file: GeneratedFile, { completeGroups }: FieldsModel) {
  if (completeGroups.length === 0) return [];
  return [".check(", check(file, "completeGroups"), `(${JSON.stringify(completeGroups)}))`];
}

function writeVariants(file: GeneratedFile, { variants }: VariantModel): void {
  for (const { name, type } of variants) file.print(`  ${name}: ${schemaName(type)}.optional(),`);
  file.print("}).check(", check(file, "exactlyOne"), `(${JSON.stringify(variants.map((v) => v.name))}));`);
}

function fieldSchema(file: GeneratedFile, { type, required }: Field) {
  const schema = valueSchema(file, type, required);
  return required ? schema : [...schema, ".optional()"];
}

function valueSchema(file: GeneratedFile, type: FieldType, required: boolean) {
  switch (type.kind) {
    case "message":
      return [schemaName(type.type)];
    case "enum": {
      const literals = enumLiterals(type.type).map(({ literal }) => literal);
      return [check(file, "enumeration"), `(${JSON.stringify(literals)})`];
    }
    case "string":
      if (type.format !== "any") return [check(file, type.format)];
      return [check(file, required ? "requiredString" : "string")];
    default:
      return [check(file, type.kind)];
  }
}

function check(file: GeneratedFile, name: string) {
  return file.import(name, "../encoding/schema-checks.js");
}
