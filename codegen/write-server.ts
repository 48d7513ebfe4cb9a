import type { GeneratedFile } from "@bufbuild/protoplugin";
import { type Contract, conditionOf, type Field, type FieldsModel, type VariantModel } from "./model.js";
import { enumLiterals } from "./names.js";

const TYPES = `/** What the service expects of a message's fields. */
export interface MessageRules {
  readonly required?: readonly string[];
  /** Groups of fields: one must be complete, and none half-filled. */
  readonly groups?: readonly (readonly string[])[];
  /** Fields that must be present if a sibling enum has a value. */
  readonly when?: Readonly<Record<string, { readonly field: string; readonly value: number }>>;
  readonly formats?: Readonly<Record<string, "decimal" | "currency">>;
  /** The values of enums. */
  readonly enums?: Readonly<Record<string, readonly number[]>>;
  /** Rules of nested messages without a oneof; those of messages with a oneof are in variants. */
  readonly messages?: Readonly<Record<string, MessageRules>>;
  readonly variants?: Readonly<Record<string, VariantRules>>;
}

export type VariantRules = Readonly<Record<string, MessageRules>>;`;

/** Writes server.ts: what the reference server must know about records in addition to their messages. */
export function writeServer(file: GeneratedFile, { collections }: Contract): void {
  file.print(TYPES);
  file.print();
  file.print("/** By collection and variant. */");
  file.print("export const RECORD_RULES: Readonly<Record<string, VariantRules>> = {");
  for (const { name, record } of collections)
    file.print(`  ${name}: ${JSON.stringify(rulesOfVariants(record))},`);
  file.print("};");
  file.print();
  file.print(
    "/** Paths of fields by collection, then by variant, then by their names in the GraphQL API. */",
  );
  file.print(
    "export const SHOWN: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>>> = {",
  );
  for (const { name, record } of collections) {
    const variants = variantsOf(record).map(([variant, model]) => [
      variant,
      Object.fromEntries(partsOf(model)),
    ]);
    if (variants.some(([, parts = {}]) => Object.keys(parts).length > 1))
      file.print(`  ${name}: ${JSON.stringify(Object.fromEntries(variants))},`);
  }
  file.print("};");
}

function variantsOf({ generic, variants }: VariantModel) {
  const others = variants.map(({ name, model }) => [name, model] as const);
  return generic === undefined ? others : [["generic", generic.model] as const, ...others];
}

function rulesOfVariants(model: VariantModel): object {
  return Object.fromEntries(variantsOf(model).map(([name, fields]) => [name, rulesOf(fields)]));
}

function rulesOf(message: FieldsModel): object {
  const { fields, completeGroups } = message;
  const by = (value: (field: Field) => unknown) =>
    Object.fromEntries(
      fields.flatMap((field) => {
        const found = value(field);
        return found === undefined ? [] : [[field.name, found]];
      }),
    );
  const messages = (kind: "fields" | "variant") =>
    by(({ type }) => {
      if (type.kind !== "message" || type.model.kind !== kind) return undefined;
      return type.model.kind === "fields" ? rulesOf(type.model) : rulesOfVariants(type.model);
    });
  const rules = {
    required: fields.flatMap(({ name, required }) => (required ? [name] : [])),
    groups: completeGroups,
    when: by(({ requiredWhen: when }) => when && { ...when, value: conditionOf(message, when).number }),
    formats: by(({ type }) => (type.kind === "string" && type.format !== "any" ? type.format : undefined)),
    enums: by(({ type }) =>
      type.kind === "enum" ? enumLiterals(type.type).map(({ number }) => number) : undefined,
    ),
    messages: messages("fields"),
    variants: messages("variant"),
  };
  return Object.fromEntries(Object.entries(rules).filter(([, rule]) => Object.keys(rule).length > 0));
}

function partsOf({ fields }: FieldsModel): readonly (readonly [string, readonly string[]])[] {
  return fields.flatMap(({ name, type, shownAs }) => {
    if (shownAs !== undefined) return [[shownAs, [name]] as const];
    if (type.kind !== "message" || type.model.kind !== "fields") return [];
    return partsOf(type.model).map(([part, path]) => [part, [name, ...path]] as const);
  });
}
