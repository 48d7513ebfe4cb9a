import type { DescMessage } from "@bufbuild/protobuf";
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

/** Writes schemas.ts: one zod schema a message, which checks a record and turns it into the wire's message. */
export function writeSchemas(
  file: GeneratedFile,
  collections: readonly Collection[],
  models: readonly Model[],
): void {
  const messageType = (message: DescMessage) => file.import(message.name, codecFile(message), true);
  for (const model of models) {
    file.print();
    const name = schemaName(model.message);
    file.print`export const ${name}: ${file.import("ZodType", "zod", true)}<${messageType(model.message)}> = ${file.import("z", "zod")}`;
    if (model.kind === "fields") writeFields(file, model);
    else writeVariants(file, model);
  }
  file.print();
  file.print("/** The schema and the codec of each collection's records. */");
  file.print("export const RECORD_CHECKS = {");
  for (const { name, record } of collections) {
    const codec = file.import(record.name, codecFile(record));
    file.print(`  ${name}: `, check(file, "recordCheck"), `(${schemaName(record)}, `, codec, "),");
  }
  file.print("};");
}

function codecFile(message: DescMessage): string {
  return `./${message.file.name}.js`;
}

function writeFields(file: GeneratedFile, model: FieldsModel): void {
  file.print("  .strictObject({");
  for (const field of model.fields) file.print("    ", field.name, ": ", ...fieldSchema(file, field), ",");
  file.print("  })");
  for (const { name, requiredWhen, type } of model.fields) {
    if (requiredWhen === undefined) continue;
    const { literal, number } = conditionOf(model, requiredWhen);
    file.print(
      "  .check(",
      check(file, "requiredWhen"),
      `("${name}", "${requiredWhen.field}", ${number}, "${literal}"))`,
    );
    if (type.kind !== "message")
      throw new Error(`${model.message.typeName}.${name}: required_when is for messages`);
  }
  if (model.completeGroups.length > 0) {
    file.print("  .check(", check(file, "completeGroups"), `(${JSON.stringify(model.completeGroups)}))`);
  }
  file.print("  ;");
}

function writeVariants(file: GeneratedFile, model: VariantModel): void {
  const { variants, oneof } = model;
  file.print("  .strictObject({");
  for (const { name, type } of variants) file.print(`    ${name}: ${schemaName(type)}.optional(),`);
  file.print("  })");
  file.print("  .check(", check(file, "exactlyOne"), `(${JSON.stringify(variants.map((v) => v.name))}))`);
  file.print("  .transform((record) => {");
  for (const { name } of variants) {
    file.print(
      `    if (record.${name} !== undefined) return { ${oneof}: { $case: "${name}" as const, value: record.${name} } };`,
    );
  }
  file.print(`    return { ${oneof}: undefined };`);
  file.print("  });");
}

function fieldSchema(file: GeneratedFile, field: Field) {
  const { type, required } = field;
  if (type.kind === "strings") return [check(file, "strings")];
  if (type.kind === "stringMap") return [check(file, "stringMap")];
  const schema = valueSchema(file, type, required);
  return required ? schema : [...schema, ".optional()"];
}

function valueSchema(file: GeneratedFile, type: FieldType, required: boolean) {
  switch (type.kind) {
    case "message":
      return [schemaName(type.type)];
    case "enum": {
      const values = enumLiterals(type.type).map(({ literal, number }) => [literal, number]);
      return [check(file, "enumeration"), `(${JSON.stringify(Object.fromEntries(values))})`];
    }
    case "string":
      if (type.format !== "any") return [check(file, type.format)];
      return [check(file, required ? "requiredText" : "text")];
    default:
      return [check(file, type.kind)];
  }
}

function check(file: GeneratedFile, name: string) {
  return file.import(name, "../encoding/checks.js");
}
