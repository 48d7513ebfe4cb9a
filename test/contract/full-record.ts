import type { FieldsModel, FieldType, Model, RecordModel } from "../../codegen/model.js";
import { enumLiterals } from "../../codegen/names.js";

/** A record of each variant with a value in every field, as JSON has them: times are strings, 64-bit numbers numbers. */
export function fullRecords({ generic, variants }: RecordModel): readonly object[] {
  return [
    fieldsOf(generic.model, "generic"),
    ...variants.map(({ name, model }) => ({ [name]: fieldsOf(model, name) })),
  ];
}

function fieldsOf({ fields }: FieldsModel, prefix: string): object {
  const value = (name: string, type: FieldType) => sampleOf(type, `${prefix}-${name}`);
  return Object.fromEntries(fields.map(({ name, type }) => [name, value(name, type)]));
}

function sampleOf(type: FieldType, text: string): unknown {
  switch (type.kind) {
    case "string":
      if (type.format === "any") return text;
      return type.format === "decimal" ? "-12.50" : "EUR";
    case "bool":
      return true;
    case "int32":
      return -7;
    case "uint32":
      return 2 ** 32 - 1;
    case "int64":
    case "uint64":
      return 2 ** 40;
    case "timestamp":
      return "2026-02-03T04:05:06.007Z";
    case "strings":
      return [text, ""];
    case "stringMap":
      return { [text]: text };
    case "enum":
      return enumLiterals(type.type).at(-1)?.literal;
    case "message":
      return messageOf(type.model, text);
  }
}

/** Of a message with variants, the last one. */
function messageOf(model: Model, text: string): object {
  if (model.kind === "fields") return fieldsOf(model, text);
  const last = model.variants.at(-1);
  return last === undefined ? {} : { [last.name]: fieldsOf(last.model, text) };
}
