import type { GeneratedFile } from "@bufbuild/protoplugin";
import type { Collection, Field, FieldType, Model } from "./model.js";
import { enumLiterals, recordTypeName } from "./names.js";

/** Writes records.ts: the types of the records as users of the SDK write them. */
export function writeRecords(
  file: GeneratedFile,
  collections: readonly Collection[],
  models: readonly Model[],
): void {
  file.print("/** A time: a Date, or an ISO 8601 string with `Z` or an offset, up to nanoseconds. */");
  file.print("export type TimestampInput = Date | string;");
  for (const model of models) {
    file.print();
    file.print(file.jsDoc(modelDoc(model)));
    const name = recordTypeName(model.message, collections);
    if (model.kind === "fields") {
      file.print(`export interface ${name} {`);
      for (const field of model.fields) {
        file.print(file.jsDoc(fieldDoc(field), "  "));
        const optional = field.required ? "" : "?";
        file.print(
          `  readonly ${field.name}${optional}: ${typeOf(field.type)}${field.required ? "" : " | undefined"};`,
        );
      }
      file.print("}");
    } else {
      file.print(`export type ${name} =`);
      for (const variant of model.variants) {
        const others = model.variants
          .filter((v) => v !== variant)
          .map((v) => `readonly ${v.name}?: undefined`);
        const parts = [`readonly ${variant.name}: ${variant.type.name}`, ...others];
        file.print(`  | { ${parts.join("; ")} }`);
      }
      file.print("  ;");
    }
  }
  file.print();
  file.print('/** The record type of each collection (service description, "Sync API records"). */');
  file.print("export interface RecordTypes {");
  for (const { name, doc, record } of collections) {
    file.print(file.jsDoc(doc, "  "));
    file.print(`  readonly ${name}: ${recordTypeName(record, collections)};`);
  }
  file.print("}");
}

function modelDoc(model: Model): string {
  const parts = [model.doc];
  if (model.kind === "variant" && model.variants.length > 1) parts.push("Exactly one variant is set.");
  if (model.assumed) parts.push("@experimental The service description does not show this model.");
  return parts.join("\n\n");
}

function fieldDoc(field: Field): string {
  const { required, requiredWhen } = field;
  if (required) return `${field.doc} Required.`;
  return requiredWhen === undefined
    ? field.doc
    : `${field.doc} Required when \`${requiredWhen.field}\` says so.`;
}

function typeOf(type: FieldType): string {
  switch (type.kind) {
    case "string":
      return "string";
    case "bool":
      return "boolean";
    case "int32":
      return "number";
    case "int64":
      return "number | bigint";
    case "timestamp":
      return "TimestampInput";
    case "strings":
      return "readonly string[]";
    case "stringMap":
      return "Readonly<Record<string, string>>";
    case "enum":
      return enumLiterals(type.type)
        .map(({ literal }) => `"${literal}"`)
        .join(" | ");
    case "message":
      return type.type.name;
  }
}
