import type { FieldsModel, FieldType, Model, RecordModel } from "../../codegen/model.js";
import { enumLiterals } from "../../codegen/names.js";

/**
 * A record of each variant with a value in every field, as in JSON: times are strings, and 64-bit numbers are numbers.
 * @param choice Which value of an enum and which variant of a nested message to use: 0 for the first, -1 for the last.
 */
export function fullRecords({ generic, variants }: RecordModel, choice = -1): readonly object[] {
  return [
    fieldsOf(generic.model, "generic", choice),
    ...variants.map(({ name, model }) => ({ [name]: fieldsOf(model, name, choice) })),
  ];
}

function fieldsOf({ fields }: FieldsModel, prefix: string, choice: number): object {
  const value = (name: string, type: FieldType) => sampleOf(type, `${prefix}-${name}`, choice);
  return Object.fromEntries(fields.map(({ name, type }) => [name, value(name, type)]));
}

function sampleOf(type: FieldType, text: string, choice: number): unknown {
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
      return enumLiterals(type.type).at(choice)?.literal;
    case "message":
      return messageOf(type.model, text, choice);
  }
}

function messageOf(model: Model, text: string, choice: number): object {
  if (model.kind === "fields") return fieldsOf(model, text, choice);
  const chosen = model.variants.at(choice);
  return chosen === undefined ? {} : { [chosen.name]: fieldsOf(chosen.model, text, choice) };
}
