import type { GeneratedFile } from "@bufbuild/protoplugin";
import {
  type Contract,
  conditionOf,
  type Field,
  type FieldsModel,
  type FieldType,
  type Variant,
  type VariantModel,
} from "./model.js";
import { enumLiterals, schemaName } from "./names.js";

/** Writes schemas.ts: a zod schema for each message, which explains what is wrong with a record. */
export function writeSchemas(file: GeneratedFile, { collections, models }: Contract): void {
  const records = new Map(collections.map(({ record }) => [record.generic.model, record]));
  for (const model of models) {
    if (model.kind === "fields") writeFields(file, model, records.get(model)?.variants ?? []);
    else if (model.variants.length > 0) writeVariants(file, model);
  }
  const recordTypes = file.import("RecordTypes", "./records.js", true);
  const recordSchemas = file.import("RecordSchemas", "../encoding/schema-checks.js", true);
  file.print();
  file.print(
    "export const RECORD_SCHEMAS: Readonly<Record<keyof ",
    recordTypes,
    ", ",
    recordSchemas,
    ">> = {",
  );
  for (const { name, record } of collections) {
    const others = record.variants.length > 0 ? `, others: ${schemaName(record.message)}` : "";
    file.print(`  ${name}: { generic: ${schemaName(record.generic.model.message)}${others} },`);
  }
  file.print("};");
}

/** @param absent Variants whose keys may appear in a record of the generic variant, but only without a value. */
function writeFields(file: GeneratedFile, model: FieldsModel, absent: readonly Variant[]): void {
  file.print();
  file.print("const ", schemaName(model.message), " = ", check(file, "message"), "({");
  for (const field of model.fields) file.print("  ", field.name, ": ", ...fieldSchema(file, field), ",");
  for (const { name } of absent) file.print("  ", name, ": ", check(file, "absent"), ",");
  file.print(
    "})",
    ...model.fields.flatMap((field) => condition(file, model, field)),
    ...groups(file, model),
    ";",
  );
}

function writeVariants(file: GeneratedFile, { message, generic, variants }: VariantModel): void {
  file.print();
  file.print("const ", schemaName(message), " = ", check(file, "variants"), "({");
  for (const { name, model } of variants) file.print(`  ${name}: ${schemaName(model.message)},`);
  file.print(`}${generic === undefined ? "" : `, ${schemaName(generic.model.message)}`});`);
}

function condition(file: GeneratedFile, model: FieldsModel, { name, requiredWhen }: Field) {
  if (requiredWhen === undefined) return [];
  const { literal } = conditionOf(model, requiredWhen);
  return [".check(", check(file, "requiredWhen"), `("${name}", "${requiredWhen.field}", "${literal}"))`];
}

function groups(file: GeneratedFile, { completeGroups }: FieldsModel) {
  if (completeGroups.length === 0) return [];
  return [".check(", check(file, "completeGroups"), `(${JSON.stringify(completeGroups)}))`];
}

function fieldSchema(file: GeneratedFile, { type, required }: Field) {
  const schema = valueSchema(file, type, required);
  return required ? schema : [...schema, ".nullish()"];
}

function valueSchema(file: GeneratedFile, type: FieldType, required: boolean) {
  switch (type.kind) {
    case "message":
      return [schemaName(type.model.message)];
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
