import type { GeneratedFile } from "@bufbuild/protoplugin";
import type { Contract, Field, FieldsModel, FieldType, Model, RecordModel } from "./model.js";
import { enumLiterals, recordTypeName, variantTypeName } from "./names.js";

/** Writes records.ts: the types of the records as users of the SDK write them. */
export function writeRecords(file: GeneratedFile, { collections }: Contract): void {
  for (const { record } of collections) {
    if (record.variants.length === 0) {
      const assumed = record.assumed || record.generic.model.assumed;
      writeInterface(file, recordTypeName(record.message), {
        ...record.generic.model,
        doc: record.doc,
        assumed,
      });
    } else writeUnion(file, record);
    file.print();
  }
  file.print('/** The record type of each collection (service description, "Sync API records"). */');
  file.print("export interface RecordTypes {");
  for (const { name, doc, record } of collections) {
    file.print(file.jsDoc(doc, "  "));
    file.print(`  readonly ${name}: ${recordTypeName(record.message)};`);
  }
  file.print("}");
}

function writeUnion(file: GeneratedFile, { message, doc, assumed, generic, variants }: RecordModel): void {
  const names = variants.map(({ name }) => name);
  writeInterface(file, variantTypeName(generic.model.message), generic.model, absent(names));
  for (const { model } of variants) {
    file.print();
    writeInterface(file, variantTypeName(model.message), model);
  }
  file.print();
  file.print(file.jsDoc(withStability(doc, assumed)));
  file.print(`export type ${recordTypeName(message)} =`);
  file.print(`  | ${variantTypeName(generic.model.message)}`);
  for (const { name, model } of variants) {
    const members = [`readonly ${name}: ${variantTypeName(model.message)};`, ...absent(names, name)];
    file.print(`  | { ${members.join(" ")} }`);
  }
  file.print("  ;");
}

/** Members that let the compiler refuse two variants in one record. */
function absent(names: readonly string[], except?: string): string[] {
  return names.filter((name) => name !== except).map((name) => `readonly ${name}?: undefined;`);
}

function writeInterface(
  file: GeneratedFile,
  name: string,
  model: Pick<FieldsModel, "doc" | "assumed" | "fields">,
  more: readonly string[] = [],
): void {
  file.print(file.jsDoc(withStability(model.doc, model.assumed)));
  file.print(`export interface ${name} {`);
  writeFields(file, model.fields, "  ");
  for (const member of more) file.print(`  ${member}`);
  file.print("}");
}

function withStability(doc: string, assumed: boolean): string {
  return assumed ? `${doc}\n\n@experimental The service description does not show this model.` : doc;
}

function writeFields(file: GeneratedFile, fields: readonly Field[], indent: string): void {
  for (const field of fields) {
    const { name, type, required } = field;
    const head = `${indent}readonly ${name}${required ? "" : "?"}:`;
    const end = required ? ";" : " | null | undefined;";
    file.print(file.jsDoc(fieldDoc(field), indent));
    if (type.kind !== "message") {
      file.print(`${head} ${typeOf(type)}${end}`);
      continue;
    }
    file.print(`${head} {`);
    writeMembers(file, type.model, indent);
    file.print(`${indent}}${end}`);
  }
}

/** The type of a nested message has no name, so it's written in place. */
function writeMembers(file: GeneratedFile, model: Model, indent: string): void {
  const inner = `${indent}  `;
  if (model.kind === "fields") {
    writeFields(file, model.fields, inner);
    return;
  }
  const names = model.variants.map(({ name }) => name);
  for (const [i, variant] of model.variants.entries()) {
    if (i > 0) file.print(`${indent}} | {`);
    file.print(file.jsDoc(withStability(variant.doc, variant.model.assumed), inner));
    file.print(`${inner}readonly ${variant.name}: {`);
    writeFields(file, variant.model.fields, `${inner}  `);
    file.print(`${inner}};`);
    for (const member of absent(names, variant.name)) file.print(`${inner}${member}`);
  }
}

function fieldDoc({ doc, type, required, requiredWhen }: Field): string {
  const parts = [doc];
  if (type.kind === "timestamp") parts.push("A Date, or an ISO 8601 string with `Z` or an offset.");
  if (required) parts.push("Required.");
  if (requiredWhen !== undefined) parts.push(`Required when \`${requiredWhen.field}\` says so.`);
  return parts.join(" ");
}

function typeOf(type: Exclude<FieldType, { readonly kind: "message" }>): string {
  switch (type.kind) {
    case "string":
      return "string";
    case "bool":
      return "boolean";
    case "int32":
    case "uint32":
      return "number";
    case "int64":
    case "uint64":
      return "number | bigint";
    case "timestamp":
      return "Date | string";
    case "strings":
      return "readonly string[]";
    case "stringMap":
      return "Readonly<Record<string, string>>";
    case "enum":
      return enumLiterals(type.type)
        .map(({ literal }) => `"${literal}"`)
        .join(" | ");
  }
}
