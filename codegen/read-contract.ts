/** Reads the messages and rules of the normalized contract for the generators, and checks them. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { getComments } from "@bufbuild/protoplugin";
import type { FieldRules, MessageRules, Rules } from "../contract/types.js";
import { GENERIC } from "./contract-names.js";
import { typeOfField, UnsupportedType } from "./field-types.js";
import type {
  Collection,
  Contract,
  Field,
  FieldsModel,
  FieldType,
  Model,
  RecordModel,
  Variant,
  VariantModel,
} from "./model.js";
import { findCollections } from "./roles.js";
import { checkTargets } from "./rule-targets.js";

export function readContract(request: DescMessage, rules: Rules): Contract {
  const reading: Reading = { models: new Map(), open: new Set(), rules, unsupported: [] };
  const collections = readCollections(request, reading);
  checkTargets(rules, request, reading.models.keys());
  return { request, collections, models: [...reading.models.values()], unsupported: reading.unsupported };
}

interface Reading {
  /** Messages that are being read. */
  readonly open: Set<DescMessage>;
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
  if (otherNames.length > 0)
    throw new Error(
      `contract/rules.ts: the variants ${variants.map((variant) => variant.name).join(", ")} of ${record.name} need the same id: true, or none`,
    );
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
  if (reading.open.has(message)) throw new UnsupportedType(`${message.typeName}: it contains itself`);
  reading.open.add(message);
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

function readVariants(message: DescMessage, reading: Reading): VariantModel {
  const [oneof, ...otherOneofs] = message.oneofs;
  if (oneof === undefined || otherOneofs.length > 0 || oneof.fields.length !== message.fields.length)
    throw new UnsupportedType(`${message.typeName}: a oneof beside other fields is not supported`);
  if (!rulesOf(message, reading).exactlyOne)
    throw new Error(
      `contract/rules.ts: messages.${message.name}: exactlyOne is not set, and all else is not supported`,
    );
  const variants = oneof.fields.map((field): Variant => {
    const model = field.message && readModel(field.message, reading);
    if (model?.kind !== "fields")
      throw new UnsupportedType(`${field.toString()}: a variant must be a message of plain fields`);
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

function readField(field: DescField, reading: Reading): Field {
  const rules = fieldRulesOf(field, reading);
  const { required = false, requiredWhen, id: isId = false, format, drifts = false } = rules;
  const type: FieldType =
    format === undefined
      ? typeOfField(field, (message) => readModel(message, reading))
      : { kind: "string", format };
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
    drifts,
  };
}

function fieldNamed(message: DescMessage, name: string): DescField {
  const field = message.fields.find((f) => f.name === name);
  if (field === undefined) throw new Error(`${message.typeName}: a rule names the unknown field ${name}`);
  return field;
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
