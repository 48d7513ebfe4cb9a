import type { DescMessage } from "@bufbuild/protobuf";
import type { GeneratedFile } from "@bufbuild/protoplugin";
import {
  type Contract,
  conditionOf,
  type Field,
  type FieldsModel,
  type FieldType,
  type Model,
  type Variant,
  type VariantModel,
} from "./model.js";
import { enumLiterals, schemaName } from "./names.js";

const HEADER = `An encoder for each message: checks a record and encodes it in the same pass.

An encoder is a chain of RecordWriter methods in the order of the field numbers, and ends at the first method
that refuses its value. Each method gets the tag of its field: number * 8 + wire type. Encoders accept what the schemas
in schemas.ts accept, and write the bytes that the message's codec writes.`;

const VARINT = 0;
export const LENGTH_DELIMITED = 2;

/** Writes encoders.ts, which checks and encodes records in one pass. */
export function writeEncoders(file: GeneratedFile, { collections, models }: Contract): void {
  file.print(file.jsDoc(HEADER));
  writeEnums(file, models);
  for (const model of models) {
    file.print();
    file.print("const ", encoderName(model.message), ": ", messageEncoder(file), " = {");
    if (model.kind === "fields") writeFields(file, model);
    else writeVariants(file, model);
    file.print("};");
  }
  file.print();
  file.print("/** The encoder of each collection's records. */");
  file.print("export const ENCODERS = {");
  for (const { name, record } of collections) file.print(`  ${name}: ${encoderName(record.message)},`);
  file.print("};");
}

/** The suffix is needed, because a field of another message may have the same name. */
export function encoderName(message: DescMessage): string {
  return `${schemaName(message)}Encoder`;
}

/** Parts of a line of code. */
export type Code = readonly (string | ReturnType<GeneratedFile["import"]>)[];

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

function writeFields(file: GeneratedFile, model: FieldsModel): void {
  const names = model.fields.map(({ name }) => name);
  const steps = fieldSteps(file, model);
  writeNames(file, names);
  if (steps.length === 0) {
    file.print("  encode: () => true,");
    return;
  }
  file.print(`  encode: (to, { ${names.join(", ")} }) =>`);
  writeSteps(file, steps, "    ", ",");
}

/** A record holds the fields of its generic variant directly, but they're encoded as a separate message. */
function writeVariants(file: GeneratedFile, { generic, variants }: VariantModel): void {
  const names = variants.map(({ name }) => name);
  const fields = generic?.model.fields.map(({ name }) => name) ?? [];
  writeNames(file, [...fields, ...names]);
  const flat =
    generic &&
    `to.fields(${tagOf(generic.number, LENGTH_DELIMITED)}, record, ${encoderName(generic.model.message)})`;
  if (variants.length === 0) {
    file.print(`  encode: (to, record) => ${flat},`);
    return;
  }
  file.print("  encode: (to, record) => {");
  file.print(`    const { ${names.join(", ")} } = record;`);
  if (flat !== undefined)
    file.print(`    if (${names.map((name) => `${name} == null`).join(" && ")}) return ${flat};`);
  file.print("    return (");
  writeSteps(
    file,
    [
      [rule(file, "onlyOne"), `(record, ${names.map((name) => `"${name}"`).join(", ")})`],
      ...variants.map((variant) => [variantStep(variant)]),
    ],
    "      ",
    "",
  );
  file.print("    );");
  file.print("  },");
}

function writeNames(file: GeneratedFile, names: readonly string[]): void {
  const fieldNames = file.import("FieldNames", "../encoding/record-writer.js");
  file.print("  names: new ", fieldNames, `(${names.map((name) => `"${name}"`).join(", ")}),`);
}

function writeSteps(file: GeneratedFile, steps: readonly Code[], indent: string, end: string): void {
  for (const [i, step] of steps.entries()) file.print(indent, ...step, i < steps.length - 1 ? " &&" : end);
}

function variantStep({ name, number, model }: Variant): string {
  return `(${isAbsent(name)} || to.message(${tagOf(number, LENGTH_DELIMITED)}, ${name}, ${encoderName(model.message)}))`;
}

function fieldSteps(file: GeneratedFile, model: FieldsModel): Code[] {
  return [
    ...conditions(file, model, (name) => name),
    ...inOrder(model).map((field) => fieldStep(file, field)),
  ];
}

/** Conditions on several fields. @param named Returns the variable of a field. */
export function conditions(
  file: GeneratedFile,
  model: FieldsModel,
  named: (field: string) => string,
): readonly Code[] {
  const required = model.fields.flatMap(({ name, requiredWhen }): Code[] => {
    if (requiredWhen === undefined) return [];
    const { literal } = conditionOf(model, requiredWhen);
    return [[`(${named(requiredWhen.field)} !== "${literal}" || ${named(name)} != null)`]];
  });
  const groups = model.completeGroups.map((group) => `[${group.map(named).join(", ")}]`);
  if (groups.length === 0) return required;
  return [...required, [rule(file, "completeGroups"), `(${groups.join(", ")})`]];
}

/** The fields as they are encoded: the id comes first. */
export function inOrder({ fields }: FieldsModel): readonly Field[] {
  return [...fields].sort((a, b) => Number(b.isId) - Number(a.isId) || a.number - b.number);
}

function fieldStep(file: GeneratedFile, { name, number, type, required }: Field): Code {
  const [method, ...more] = writerMethod(file, type, required);
  const step = [
    "to.",
    method,
    `(${tagOf(number, wireTypeOf(type))}, ${name}`,
    ...more.flatMap((arg) => [", ", arg]),
    ")",
  ];
  return required ? step : [`(${isAbsent(name)} || `, ...step, ")"];
}

/** The RecordWriter method that writes a field, and its other arguments. */
export function writerMethod(file: GeneratedFile, type: FieldType, required: boolean): [string, ...Code] {
  switch (type.kind) {
    case "message":
      return ["message", encoderName(type.model.message)];
    case "enum":
      return ["enumeration", `${type.type.name}Numbers`];
    case "string":
      if (type.format !== "any")
        return ["formatted", rule(file, type.format === "decimal" ? "DECIMAL" : "CURRENCY")];
      return [required ? "requiredString" : "string"];
    default:
      return [type.kind];
  }
}

/** Compares twice, because `== null` would also have to look at the type of the value. */
export function isAbsent(name: string): string {
  return `${name} === undefined || ${name} === null`;
}

export function wireTypeOf({ kind }: FieldType): number {
  return kind === "bool" || kind === "enum" || kind.includes("int") ? VARINT : LENGTH_DELIMITED;
}

export function tagOf(number: number, wireType: number): number {
  return number * 8 + wireType;
}

function messageEncoder(file: GeneratedFile) {
  return file.import("MessageEncoder", "../encoding/record-writer.js", true);
}

export function rule(file: GeneratedFile, name: "onlyOne" | "completeGroups" | "DECIMAL" | "CURRENCY") {
  return file.import(name, "../encoding/record-writer.js");
}
