/**
 * Arbitraries of valid records of every collection, as users write them, drawn from the contract. An optional field is
 * set, absent, `null` or `undefined`.
 */
import type { Collection, RecordTypes } from "@saas-management/sdk";
import fc from "fast-check";
import type { Field, FieldsModel, FieldType, Model, RecordModel, Variant } from "../../codegen/model.js";
import { enumLiterals } from "../../codegen/names.js";
import { isCollection } from "../../src/sync/collections.js";
import { WIRE } from "../../src/sync/generated/collections.js";
import { contractCollections } from "../contract/generated.js";
import {
  currency,
  decimal,
  int32,
  int64,
  MANY_VALUES,
  moment,
  ODD_VALUES,
  PLAIN_VALUES,
  uint32,
  uint64,
  type Values,
} from "./value-arbitraries.js";

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Generic records are drawn four times as often as any other variant. */
const GENERIC_WEIGHT = 4;

const maybe = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: fc.constantFrom(undefined, null) });

function recordsOf({ generic, variants }: RecordModel, values: Values): fc.Arbitrary<unknown> {
  const others = variants.map((variant) => ({ weight: 1, arbitrary: ofVariant(variant, variants, values) }));
  return fc.oneof({ weight: GENERIC_WEIGHT, arbitrary: ofFields(generic.model, values) }, ...others);
}

/** The first variant also sets the second one to undefined. */
function ofVariant(
  { name, model }: Variant,
  [first, second]: readonly Variant[],
  values: Values,
): fc.Arbitrary<unknown> {
  const absent =
    name === first?.name && second !== undefined ? { [second.name]: fc.constant(undefined) } : {};
  const { noNullPrototype } = values;
  return fc.record({ [name]: ofFields(model, values), ...absent }, { noNullPrototype });
}

function ofModel(model: Model, values: Values): fc.Arbitrary<unknown> {
  if (model.kind === "fields") return ofFields(model, values);
  return fc.oneof(...model.variants.map((variant) => ofVariant(variant, model.variants, values)));
}

/** If the model requires one of several groups of fields, draws each group alone, and all of them together. */
function ofFields(model: FieldsModel, values: Values): fc.Arbitrary<unknown> {
  const { fields, completeGroups } = model;
  const grouped = new Set(completeGroups.flat());
  const free = fields.filter(({ name }) => !grouped.has(name));
  if (completeGroups.length === 0)
    return fc.oneof(...choicesOf(free).map((choice) => ofChoice(choice, free, values)));
  return fc.oneof(
    ...[...completeGroups, completeGroups.flat()].map((group) => {
      const some = [...free, ...fields.filter(({ name }) => group.includes(name))];
      return ofChoice({ required: new Set(group), chosen: {} }, some, values);
    }),
  );
}

/** A value for each enum that other fields depend on, and the fields that it requires. */
interface Choice {
  readonly chosen: Fields;
  readonly required: ReadonlySet<string>;
}

function choicesOf(fields: readonly Field[]): readonly Choice[] {
  const dependent = fields.find(({ requiredWhen }) => requiredWhen !== undefined);
  const condition = dependent?.requiredWhen;
  const { type } = fields.find(({ name }) => name === condition?.field) ?? {};
  if (dependent === undefined || type?.kind !== "enum") return [{ chosen: {}, required: new Set() }];
  return enumLiterals(type.type).map(({ literal, constant }) => ({
    chosen: { [condition?.field ?? ""]: fc.constant(literal) },
    required: new Set(constant === condition?.value ? [dependent.name] : []),
  }));
}

function ofChoice(
  { chosen, required }: Choice,
  fields: readonly Field[],
  values: Values,
): fc.Arbitrary<unknown> {
  const isSet = ({ name, required: always }: Field) => always || required.has(name);
  const drawn = fields.map((field): [string, fc.Arbitrary<unknown>] => {
    const value = chosen[field.name] ?? valuesOf(field.type, field.required, values);
    return [field.name, isSet(field) ? value : maybe(value)];
  });
  const requiredKeys = fields.filter(isSet).map(({ name }) => name);
  const { noNullPrototype } = values;
  return fc.record(Object.fromEntries(drawn), { requiredKeys, noNullPrototype });
}

function valuesOf(type: FieldType, required: boolean, values: Values): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case "string":
      if (type.format !== "any") return type.format === "decimal" ? decimal : currency;
      return required ? values.requiredText : values.text;
    case "bool":
      return fc.boolean();
    case "int32":
      return int32;
    case "int64":
      return int64;
    case "uint32":
      return uint32;
    case "uint64":
      return uint64;
    case "timestamp":
      return moment;
    case "strings":
      return values.texts;
    case "stringMap":
      return values.attributes;
    case "enum":
      return fc.constantFrom(...enumLiterals(type.type).map(({ literal }) => literal));
    case "message":
      return ofModel(type.model, values);
  }
}

type Records = { readonly [C in Collection]: fc.Arbitrary<RecordTypes[C]> };

function requireRecords(drawn: object): asserts drawn is Records {
  const missing = Object.keys(WIRE).filter((name) => !Object.hasOwn(drawn, name));
  if (missing.length > 0) throw new Error(`The contract has no ${missing.join(", ")}; run npm run codegen.`);
}

function drawnOf(values: Values): Records {
  const collections = contractCollections().map(({ name, record }) => [name, recordsOf(record, values)]);
  const drawn: object = Object.fromEntries(collections);
  requireRecords(drawn);
  return drawn;
}

/** Valid records of each collection, of all variants. */
export const RECORDS: Records = drawnOf(ODD_VALUES);

/** Valid records, most of which the encoders put into blocks. */
export const PLAIN_RECORDS: Records = drawnOf(PLAIN_VALUES);

/** Valid records with long lists. */
export const LONG_RECORDS: Records = drawnOf(MANY_VALUES);

/** Name of every collection. */
export const COLLECTION_NAMES: readonly Collection[] = Object.keys(RECORDS).filter(isCollection);
