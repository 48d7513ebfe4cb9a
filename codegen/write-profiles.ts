import type { GeneratedFile } from "@bufbuild/protoplugin";
import type { Contract, Field, FieldsModel } from "./model.js";
import { enumLiterals } from "./names.js";

const NAMES = ["name", "fullName", "displayName"];
const EMAILS = ["email", "userPrincipalName", "primaryEmail", "workEmail", "login"];

/** Writes profiles.ts: what is counted of each snapshot collection, by the field numbers of its encoded records. */
export function writeProfiles(file: GeneratedFile, { collections }: Contract): void {
  const type = file.import("ProfiledVariant", "../ids/profile-counter.js", true);
  const collection = file.import("SnapshotCollection", "./collections.js", true);
  file.print("/** The counted fields of each snapshot collection, for each variant of its records. */");
  file.print("export const PROFILES: Readonly<Record<", collection, ", readonly ", type, "[]>> = {");
  for (const { name, model, record } of collections) {
    if (model !== "snapshot") continue;
    const { generic, variants } = record;
    file.print(`  ${name}: [`);
    file.print(`    { number: ${generic.number}, prefix: "", ${countedFields(generic.model)} },`);
    for (const variant of variants)
      file.print(
        `    { number: ${variant.number}, prefix: "${variant.name}.", ${countedFields(variant.model)} },`,
      );
    file.print("  ],");
  }
  file.print("};");
}

/** Leaves out the id, which is always set. */
function countedFields(model: FieldsModel): string {
  const fields = model.fields.filter(({ isId }) => !isId);
  const texts = fields.filter(({ type }) => type.kind === "string");
  const others = fields.filter((field) => !texts.includes(field) && choicesOf(field) === undefined);
  const choices = fields.flatMap((field) => {
    const values = choicesOf(field);
    return values === undefined ? [] : [`${field.number}: ["${field.name}", { ${values} }]`];
  });
  const numberOf = (names: readonly string[]) => texts.find(({ name }) => names.includes(name))?.number;
  const [name, email] = [numberOf(NAMES), numberOf(EMAILS)];
  const sampled = name === undefined || email === undefined ? undefined : `[${name}, ${email}]`;
  return `text: ${named(texts)}, other: ${named(others)}, choice: { ${choices.join(", ")} }, sampled: ${sampled}`;
}

function named(fields: readonly Field[]): string {
  return `{ ${fields.map(({ number, name }) => `${number}: "${name}"`).join(", ")} }`;
}

/** The values of a boolean or an enum by their numbers on the wire. */
function choicesOf({ type }: Field): string | undefined {
  if (type.kind === "bool") return '0: "false", 1: "true"';
  if (type.kind !== "enum") return undefined;
  return enumLiterals(type.type)
    .map(({ number, literal }) => `${number}: "${literal}"`)
    .join(", ");
}
