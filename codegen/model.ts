/** Reads the messages and rules of the contract for the generators, and checks them. */
import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { getComments } from "@bufbuild/protoplugin";
import type { DataModel, FieldRules, MessageRules, Rules } from "../contract/types.js";
import { type EnumLiteral, enumLiterals } from "./names.js";
import { findCollections } from "./roles.js";
import { checkTargets } from "./rule-targets.js";

/** A collection of SyncRecordsRequest. */
export interface Collection {
  /** Name in the SDK, such as `groupMembers`. */
  readonly name: string;
  /** Name in the contract, such as `group_members`. */
  readonly wireName: string;
  /** Field numbers from the request down to the list of records, and in that of the records. */
  readonly path: readonly number[];
  readonly recordsNumber: number;
  readonly model: DataModel;
  readonly doc: string;
  readonly record: RecordModel;
  /** The field of a variant that holds the id, such as `sourceId`; undefined if records have no id. */
  readonly idField: string | undefined;
}

/** A message of which exactly one variant must be set. */
export interface VariantModel {
  readonly kind: "variant";
  readonly message: DescMessage;
  readonly doc: string;
  readonly assumed: boolean;
  /** The variant named `generic`: users write its fields into the record itself. Every record has one. */
  readonly generic: { readonly number: number; readonly model: FieldsModel } | undefined;
  /** The other variants, which users write as objects under their names. */
  readonly variants: readonly Variant[];
}

export interface Variant {
  readonly name: string;
  readonly number: number;
  readonly doc: string;
  readonly model: FieldsModel;
}

/** A message of plain fields. */
export interface FieldsModel {
  readonly kind: "fields";
  readonly message: DescMessage;
  readonly doc: string;
  readonly assumed: boolean;
  readonly fields: readonly Field[];
  /** Groups of fields of which one must be complete. */
  readonly completeGroups: readonly (readonly string[])[];
}

export type Model = VariantModel | FieldsModel;

export type RecordModel = VariantModel & { readonly generic: NonNullable<VariantModel["generic"]> };

export interface Field {
  readonly name: string;
  readonly number: number;
  readonly doc: string;
  readonly type: FieldType;
  readonly required: boolean;
  /** Encoders write the id first, so that it can be found without reading the other fields. */
  readonly isId: boolean;
  readonly requiredWhen: { readonly field: string; readonly value: string } | undefined;
}

export type FieldType =
  | { readonly kind: "string"; readonly format: "any" | "decimal" | "currency" }
  | {
      readonly kind: "bool" | "int32" | "int64" | "uint32" | "uint64" | "timestamp" | "strings" | "stringMap";
    }
  | { readonly kind: "enum"; readonly type: DescEnum }
  | { readonly kind: "message"; readonly model: Model };

export interface Contract {
  readonly request: DescMessage;
  readonly collections: readonly Collection[];
  /** Every message that records are made of, each after those that it uses. */
  readonly models: readonly Model[];
  /** Fields without a rule whose types the SDK does not encode: records do not have them. */
  readonly unsupported: readonly string[];
}

export function readContract(request: DescMessage, rules: Rules): Contract {
  const reading: Reading = { models: new Map(), rules, unsupported: [] };
  const collections = readCollections(request, reading);
  checkTargets(rules, request, reading.models.keys());
  return { request, collections, models: [...reading.models.values()], unsupported: reading.unsupported };
}

interface Reading {
  readonly models: Map<DescMessage, Model>;
  readonly unsupported: string[];
  readonly rules: Rules;
}

const NO_RULES: MessageRules & FieldRules = {};

function rulesOf(message: DescMessage, { rules }: Reading): MessageRules {
  return rules.messages[message.name] ?? NO_RULES;
}

function fieldRulesOf(field: DescField, reading: Reading): FieldRules {
  return rulesOf(field.parent, reading).fields?.[field.name] ?? NO_RULES;
}

function readCollections(request: DescMessage, reading: Reading): Collection[] {
  return findCollections(request).map(({ field, path, records }) => {
    const model = reading.rules.collections[field.name];
    if (model === undefined)
      throw new Error(`contract/rules.ts: collections.${field.name}: is it a snapshot or an event?`);
    const record = readRecord(records.message, reading);
    return {
      name: field.localName,
      wireName: field.jsonName,
      path: path.map(({ number }) => number),
      recordsNumber: records.number,
      model,
      doc: doc(field),
      record,
      idField: readIdField(records.message, reading),
    };
  });
}

/** Returns the name of the id field, which is the same in all variants of a record. */
function readIdField(record: DescMessage, reading: Reading): string | undefined {
  const variants = record.fields.flatMap((field) => field.message ?? []);
  const [name, ...otherNames] = new Set(variants.map((details) => idFieldOf(details, reading)));
  if (otherNames.length > 0) throw new Error(`${record.typeName}: its variants have different ids`);
  return name;
}

function idFieldOf(details: DescMessage, reading: Reading): string | undefined {
  const field = details.fields.find((f) => fieldRulesOf(f, reading).id);
  if (field !== undefined && !fieldRulesOf(field, reading).required)
    throw new Error(`contract/rules.ts: messages.${details.name}: an id must be required`);
  return field?.localName;
}

function readRecord(message: DescMessage, reading: Reading): RecordModel {
  const model = readModel(message, reading);
  if (model.kind === "fields" || model.generic === undefined)
    throw new Error(`${message.typeName}: a record must have a variant named ${GENERIC}`);
  return { ...model, generic: model.generic };
}

function readModel(message: DescMessage, reading: Reading): Model {
  const known = reading.models.get(message);
  if (known !== undefined) return known;
  const model = message.oneofs.length === 0 ? readFields(message, reading) : readVariants(message, reading);
  reading.models.set(message, model);
  return model;
}

function readFields(message: DescMessage, reading: Reading): FieldsModel {
  const { assumed = false, completeGroups = [] } = rulesOf(message, reading);
  const local = (name: string) => fieldNamed(message, name).localName;
  return {
    kind: "fields",
    message,
    doc: doc(message),
    assumed,
    fields: message.fields.flatMap((field) => supportedField(field, reading)),
    completeGroups: completeGroups.map((group) => group.map(local)),
  };
}

const GENERIC = "generic";

function readVariants(message: DescMessage, reading: Reading): VariantModel {
  const [oneof, ...otherOneofs] = message.oneofs;
  if (oneof === undefined || otherOneofs.length > 0 || oneof.fields.length !== message.fields.length)
    throw new Error(`${message.typeName}: a oneof beside other fields is not supported`);
  if (!rulesOf(message, reading).exactlyOne)
    throw new Error(
      `contract/rules.ts: messages.${message.name}: exactlyOne is not set, and all else is not supported`,
    );
  const variants = oneof.fields.map((field): Variant => {
    const model = field.message && readModel(field.message, reading);
    if (model?.kind !== "fields")
      throw new Error(`${field.toString()}: a variant must be a message of plain fields`);
    return { name: field.localName, number: field.number, doc: doc(field), model };
  });
  const generic = variants.find(({ name }) => name === GENERIC);
  if (generic !== undefined) refuseCollisions(message, generic.model, variants);
  return {
    kind: "variant",
    message,
    doc: doc(message),
    assumed: rulesOf(message, reading).assumed ?? false,
    generic,
    variants: variants.filter((variant) => variant !== generic),
  };
}

/** Fields of the generic variant stand beside the names of the others. */
function refuseCollisions(message: DescMessage, { fields }: FieldsModel, variants: readonly Variant[]): void {
  const variant = variants.find(({ name }) => fields.some((field) => field.name === name));
  if (variant !== undefined) {
    throw new Error(
      `${message.typeName}: the variant ${variant.name} has the name of a field of the generic variant. Records are written flat, so rename one of them`,
    );
  }
}

function supportedField(field: DescField, reading: Reading): readonly Field[] {
  try {
    return [readField(field, reading)];
  } catch (error) {
    if (!(error instanceof UnsupportedType) || fieldRulesOf(field, reading) !== NO_RULES) throw error;
    reading.unsupported.push(error.message);
    return [];
  }
}

class UnsupportedType extends Error {}

function readField(field: DescField, reading: Reading): Field {
  const { required = false, requiredWhen, id: isId = false } = fieldRulesOf(field, reading);
  const type = readType(field, reading);
  return {
    name: field.localName,
    number: field.number,
    doc: doc(field),
    type,
    required,
    isId,
    requiredWhen: requiredWhen && {
      field: fieldNamed(field.parent, requiredWhen.field).localName,
      value: requiredWhen.value,
    },
  };
}

function readType(field: DescField, reading: Reading): FieldType {
  const { format } = fieldRulesOf(field, reading);
  if (format !== undefined) return { kind: "string", format };
  if (field.fieldKind === "enum") return { kind: "enum", type: field.enum };
  if (field.fieldKind === "message") {
    if (field.message.typeName === TimestampSchema.typeName) return { kind: "timestamp" };
    return { kind: "message", model: readModel(field.message, reading) };
  }
  const scalar = describeScalar(field);
  const kind = SCALARS[scalar];
  if (kind === undefined) throw new UnsupportedType(`${field.toString()}: ${scalar} is not supported`);
  return kind;
}

const SCALARS: Readonly<Record<string, FieldType>> = {
  STRING: { kind: "string", format: "any" },
  BOOL: { kind: "bool" },
  INT32: { kind: "int32" },
  INT64: { kind: "int64" },
  UINT32: { kind: "uint32" },
  UINT64: { kind: "uint64" },
  "repeated STRING": { kind: "strings" },
  "map STRING to STRING": { kind: "stringMap" },
};

function describeScalar(field: DescField): string {
  const name = (scalar: number | undefined) =>
    scalar === undefined ? "message" : (SCALAR_NAMES[scalar] ?? `type ${scalar}`);
  if (field.fieldKind === "map") return `map ${name(field.mapKey)} to ${name(field.scalar)}`;
  if (field.fieldKind === "list") return `repeated ${name(field.scalar)}`;
  return `${name(field.scalar)}`;
}

/** The scalars in use, by their numbers in descriptor.proto. */
const SCALAR_NAMES: Readonly<Record<number, string>> = {
  3: "INT64",
  4: "UINT64",
  5: "INT32",
  8: "BOOL",
  9: "STRING",
  13: "UINT32",
};

function fieldNamed(message: DescMessage, name: string): DescField {
  const field = message.fields.find((f) => f.name === name);
  if (field === undefined) throw new Error(`${message.typeName}: a rule names the unknown field ${name}`);
  return field;
}

/** Returns the value of a sibling enum that a `required_when` condition names. */
export function conditionOf(model: FieldsModel, condition: NonNullable<Field["requiredWhen"]>): EnumLiteral {
  const sibling = model.fields.find((f) => f.name === condition.field);
  if (sibling?.type.kind !== "enum")
    throw new Error(`${model.message.typeName}: ${condition.field} is not an enum`);
  const literal = enumLiterals(sibling.type.type).find((l) => l.constant === condition.value);
  if (literal === undefined) throw new Error(`${sibling.type.type.typeName} has no ${condition.value}`);
  return literal;
}

function doc(desc: Parameters<typeof getComments>[0]): string {
  const text = getComments(desc).leading ?? "";
  return text
    .split("\n")
    .map((line) => line.replace(/^ /, ""))
    .join("\n")
    .replace(/`[a-z_]+`/g, (name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .trim();
}
