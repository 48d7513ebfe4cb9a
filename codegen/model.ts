/** Reads the messages and rules of the contract for the generators, and checks them. */
import { type DescEnum, type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { getComments } from "@bufbuild/protoplugin";
import {
  collection_rules,
  DataModel,
  field_rules,
  message_rules,
  oneof_rules,
  StringFormat,
} from "./generated/saas_management/sync/v1/rules_pb.js";
import { type EnumLiteral, enumLiterals } from "./names.js";

/** A collection of SyncRecordsRequest. */
export interface Collection {
  /** Name in the SDK, such as `groupMembers`. */
  readonly name: string;
  /** Name on the wire, such as `group_members`. */
  readonly wireName: string;
  readonly fieldNumber: number;
  readonly model: "snapshot" | "event";
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
  readonly requiredWhen: { readonly field: string; readonly value: string } | undefined;
}

export type FieldType =
  | { readonly kind: "string"; readonly format: "any" | "decimal" | "currency" }
  | { readonly kind: "bool" | "int32" | "int64" | "timestamp" | "strings" | "stringMap" }
  | { readonly kind: "enum"; readonly type: DescEnum }
  | { readonly kind: "message"; readonly model: Model };

export interface Contract {
  readonly collections: readonly Collection[];
  /** Every message that records are made of, each after those that it uses. */
  readonly models: readonly Model[];
}

export function readContract(request: DescMessage): Contract {
  const models: Models = new Map();
  const collections = readCollections(request, models);
  return { collections, models: [...models.values()] };
}

type Models = Map<DescMessage, Model>;

function readCollections(request: DescMessage, models: Models): Collection[] {
  const oneof = request.oneofs[0];
  if (oneof === undefined) throw new Error("SyncRecordsRequest has no oneof with the collections");
  return oneof.fields.map((field) => {
    const { model } = getOption(field, collection_rules);
    if (model === DataModel.UNSPECIFIED) throw new Error(`${field.toString()}: no collection_rules.model`);
    const record = field.message?.fields[0]?.message;
    if (record === undefined) throw new Error(`${field.toString()}: no list of records`);
    return {
      name: field.localName,
      wireName: field.name,
      fieldNumber: field.number,
      model: model === DataModel.SNAPSHOT ? "snapshot" : "event",
      doc: doc(field),
      record: readRecord(record, models),
      idField: readIdField(record),
    };
  });
}

/** Returns the name of the id field, which is the same in all variants of a record. */
function readIdField(record: DescMessage): string | undefined {
  const variants = record.fields.flatMap((field) => field.message ?? []);
  const [name, ...otherNames] = new Set(variants.map(idFieldOf));
  if (otherNames.length > 0) throw new Error(`${record.typeName}: its variants have different ids`);
  return name;
}

function idFieldOf(details: DescMessage): string | undefined {
  const field = details.fields.find((f) => getOption(f, field_rules).id);
  if (field === undefined) return undefined;
  // So that the id of an encoded record is found without reading other fields.
  if (field !== details.fields[0] || !getOption(field, field_rules).required)
    throw new Error(`${field.toString()}: an id must be required and the first field`);
  return field.localName;
}

function readRecord(message: DescMessage, models: Models): RecordModel {
  const model = readModel(message, models);
  if (model.kind === "fields" || model.generic === undefined)
    throw new Error(`${message.typeName}: a record must have a variant named ${GENERIC}`);
  return { ...model, generic: model.generic };
}

function readModel(message: DescMessage, models: Models): Model {
  const known = models.get(message);
  if (known !== undefined) return known;
  const model = message.oneofs.length === 0 ? readFields(message, models) : readVariants(message, models);
  models.set(message, model);
  return model;
}

function readFields(message: DescMessage, models: Models): FieldsModel {
  const { assumed, completeGroups } = getOption(message, message_rules);
  const local = (name: string) => fieldNamed(message, name).localName;
  return {
    kind: "fields",
    message,
    doc: doc(message),
    assumed,
    fields: message.fields.map((field) => readField(field, models)),
    completeGroups: completeGroups.map((group) => group.fields.map(local)),
  };
}

const GENERIC = "generic";

function readVariants(message: DescMessage, models: Models): VariantModel {
  const [oneof, ...otherOneofs] = message.oneofs;
  if (oneof === undefined || otherOneofs.length > 0 || oneof.fields.length !== message.fields.length)
    throw new Error(`${message.typeName}: a oneof beside other fields is not supported`);
  if (!getOption(oneof, oneof_rules).required)
    throw new Error(`${message.typeName}: the oneof is not required`);
  const variants = oneof.fields.map((field): Variant => {
    const model = field.message && readModel(field.message, models);
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
    assumed: getOption(message, message_rules).assumed,
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

function readField(field: DescField, models: Models): Field {
  const { required, requiredWhen } = getOption(field, field_rules);
  const type = readType(field, models);
  checkPresence(field, type);
  return {
    name: field.localName,
    number: field.number,
    doc: doc(field),
    type,
    required,
    requiredWhen: requiredWhen && {
      field: fieldNamed(field.parent, requiredWhen.field).localName,
      value: requiredWhen.value,
    },
  };
}

/** Records must not distinguish a default value from a missing one if the wire leaves defaults out. */
function checkPresence(field: DescField, { kind }: FieldType): void {
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT || kind === "strings" || kind === "stringMap")
    return;
  const neverDefault = getOption(field, field_rules).required && (kind === "string" || kind === "enum");
  if (!neverDefault) throw new Error(`${field.toString()}: must be optional, as it may hold the default`);
}

function readType(field: DescField, models: Models): FieldType {
  const { format } = getOption(field, field_rules);
  if (format !== StringFormat.UNSPECIFIED) {
    return { kind: "string", format: format === StringFormat.DECIMAL ? "decimal" : "currency" };
  }
  if (field.fieldKind === "enum") return { kind: "enum", type: field.enum };
  if (field.fieldKind === "message") {
    if (field.message.typeName === TimestampSchema.typeName) return { kind: "timestamp" };
    return { kind: "message", model: readModel(field.message, models) };
  }
  const scalar = describeScalar(field);
  const kind = SCALARS[scalar];
  if (kind === undefined) throw new Error(`${field.toString()}: ${scalar} is not supported`);
  return kind;
}

const SCALARS: Readonly<Record<string, FieldType>> = {
  STRING: { kind: "string", format: "any" },
  BOOL: { kind: "bool" },
  INT32: { kind: "int32" },
  INT64: { kind: "int64" },
  "repeated STRING": { kind: "strings" },
  "map STRING to STRING": { kind: "stringMap" },
};

function describeScalar(field: DescField): string {
  const name = (scalar: number | undefined) => (scalar === undefined ? "message" : SCALAR_NAMES[scalar]);
  if (field.fieldKind === "map") return `map ${name(field.mapKey)} to ${name(field.scalar)}`;
  if (field.fieldKind === "list") return `repeated ${name(field.scalar)}`;
  return `${name(field.scalar)}`;
}

/** The scalars in use, by their numbers in descriptor.proto. */
const SCALAR_NAMES: Readonly<Record<number, string>> = { 3: "INT64", 5: "INT32", 8: "BOOL", 9: "STRING" };

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
