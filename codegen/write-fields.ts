import type { GeneratedFile } from "@bufbuild/protoplugin";
import type { Contract, Field, Model } from "./model.js";
import { enumLiterals } from "./names.js";

/** Writes fields.ts: the fields of snapshot collections that the guard samples, including those of nested messages. */
export function writeFields(file: GeneratedFile, { collections }: Contract): void {
  const type = file.import("SampledField", "../ids/field-sample.js", true);
  const collection = file.import("SnapshotCollection", "./collections.js", true);
  file.print("/** The sampled fields of each snapshot collection, for all variants of its records. */");
  file.print("export const FIELDS: Readonly<Record<", collection, ", readonly ", type, "[]>> = {");
  for (const { name, model, record } of collections) {
    if (model !== "snapshot") continue;
    file.print(`  ${name}: [`);
    for (const { field, path, label } of fieldsIn(record, [], ""))
      file.print(
        `    { name: "${label}", path: [${path.join(", ")}], kind: "${kindOf(field)}"${valuesOf(field)} },`,
      );
    file.print("  ],");
  }
  file.print("};");
}

interface PlacedField {
  readonly field: Field;
  readonly path: readonly number[];
  readonly label: string;
}

/** Leaves out the id, because it identifies the record. */
function fieldsIn(model: Model, path: readonly number[], prefix: string): readonly PlacedField[] {
  if (model.kind === "variant") {
    const { generic, variants } = model;
    return [
      ...(generic === undefined ? [] : fieldsIn(generic.model, [...path, generic.number], prefix)),
      ...variants.flatMap((one) => fieldsIn(one.model, [...path, one.number], `${prefix}${one.name}.`)),
    ];
  }
  return model.fields.flatMap((field) => {
    const [inner, label] = [[...path, field.number], prefix + field.name];
    if (field.isId) return [];
    return field.type.kind === "message"
      ? fieldsIn(field.type.model, inner, `${label}.`)
      : [{ field, path: inner, label }];
  });
}

function kindOf({ type: { kind }, drifts }: Field): string {
  if (drifts || kind === "timestamp" || kind === "stringMap") return "drifting";
  return kind === "string" || kind === "strings" ? "text" : "value";
}

/** Names of a boolean's or an enum's values, by number, because samples hold the numbers. */
function valuesOf({ type }: Field): string {
  if (type.kind === "bool") return ', values: ["false", "true"]';
  if (type.kind !== "enum") return "";
  const names: string[] = [];
  for (const { literal, number } of enumLiterals(type.type)) names[number] = literal;
  return `, values: [${Array.from(names, (name = "") => JSON.stringify(name)).join(", ")}]`;
}
