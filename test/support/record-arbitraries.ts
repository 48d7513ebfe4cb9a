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
import { contractCollections } from "../contract/collections.js";
import {
  attributes,
  currency,
  decimal,
  int32,
  int64,
  moment,
  requiredText,
  text,
  texts,
  uint32,
  uint64,
} from "./value-arbitraries.js";

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Generic records are drawn four times as often as each other variant. */
const GENERIC_WEIGHT = 4;

const maybe = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: fc.constantFrom(undefined, null) });

function recordsOf({ generic, variants }: RecordModel): fc.Arbitrary<unknown> {
  const others = variants.map((variant) => ({ weight: 1, arbitrary: ofVariant(variant, variants) }));
  return fc.oneof({ weight: GENERIC_WEIGHT, arbitrary: ofFields(generic.model) }, ...others);
}

/** The first variant also says that the second one is not set. */
function ofVariant({ name, model }: Variant, [first, second]: readonly Variant[]): fc.Arbitrary<unknown> {
  const absent =
    name === first?.name && second !== undefined ? { [second.name]: fc.constant(undefined) } : {};
  return fc.record({ [name]: ofFields(model), ...absent });
}

function ofModel(model: Model): fc.Arbitrary<unknown> {
  if (model.kind === "fields") return ofFields(model);
  return fc.oneof(...model.variants.map((variant) => ofVariant(variant, model.variants)));
}

/** Of groups of which one must be complete, each alone, and all of them. */
function ofFields(model: FieldsModel): fc.Arbitrary<unknown> {
  const { fields, completeGroups } = model;
  const grouped = new Set(completeGroups.flat());
  const free = fields.filter(({ name }) => !grouped.has(name));
  if (completeGroups.length === 0)
    return fc.oneof(...choicesOf(free).map((choice) => ofChoice(choice, free)));
  return fc.oneof(
    ...[...completeGroups, completeGroups.flat()].map((group) =>
      ofChoice({ required: new Set(group), values: {} }, [
        ...free,
        ...fields.filter(({ name }) => group.includes(name)),
      ]),
    ),
  );
}

/** A value for each enum that other fields depend on, and the fields that it requires. */
interface Choice {
  readonly values: Fields;
  readonly required: ReadonlySet<string>;
}

function choicesOf(fields: readonly Field[]): readonly Choice[] {
  const dependent = fields.find(({ requiredWhen }) => requiredWhen !== undefined);
  const condition = dependent?.requiredWhen;
  const { type } = fields.find(({ name }) => name === condition?.field) ?? {};
  if (dependent === undefined || type?.kind !== "enum") return [{ values: {}, required: new Set() }];
  return enumLiterals(type.type).map(({ literal, constant }) => ({
    values: { [condition?.field ?? ""]: fc.constant(literal) },
    required: new Set(constant === condition?.value ? [dependent.name] : []),
  }));
}

function ofChoice({ values, required }: Choice, fields: readonly Field[]): fc.Arbitrary<unknown> {
  const isSet = ({ name, required: always }: Field) => always || required.has(name);
  const drawn = fields.map((field): [string, fc.Arbitrary<unknown>] => {
    const value = values[field.name] ?? valuesOf(field.type, field.required);
    return [field.name, isSet(field) ? value : maybe(value)];
  });
  const requiredKeys = fields.filter(isSet).map(({ name }) => name);
  return fc.record(Object.fromEntries(drawn), { requiredKeys });
}

function valuesOf(type: FieldType, required: boolean): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case "string":
      if (type.format !== "any") return type.format === "decimal" ? decimal : currency;
      return required ? requiredText : text;
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
      return texts;
    case "stringMap":
      return attributes;
    case "enum":
      return fc.constantFrom(...enumLiterals(type.type).map(({ literal }) => literal));
    case "message":
      return ofModel(type.model);
  }
}

type Records = { readonly [C in Collection]: fc.Arbitrary<RecordTypes[C]> };

function requireRecords(drawn: object): asserts drawn is Records {
  const missing = Object.keys(WIRE).filter((name) => !Object.hasOwn(drawn, name));
  if (missing.length > 0) throw new Error(`The contract has no ${missing.join(", ")}; run npm run codegen.`);
}

const drawn = Object.fromEntries(contractCollections().map(({ name, record }) => [name, recordsOf(record)]));
requireRecords(drawn);

/** Valid records of each collection, of all variants. */
export const RECORDS: Records = drawn;

/** Name of every collection. */
export const COLLECTION_NAMES: readonly Collection[] = Object.keys(RECORDS).filter(isCollection);
