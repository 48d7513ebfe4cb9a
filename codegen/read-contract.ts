/** Reads the messages and rules of the normalized contract for the generators, and checks them. */
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { getComments } from "@bufbuild/protoplugin";
import type { FieldRules, MessageRules, Rules } from "../contract/types.js";
import { GENERIC } from "./contract-names.js";
import { typeOfField } from "./field-types.js";
import {
  type Collection,
  type Contract,
  conditionOf,
  type Field,
  type FieldsModel,
  type FieldType,
  type Model,
  type RecordModel,
  type Variant,
  type VariantModel,
} from "./model.js";
import { Refusal, unlessRefused } from "./refusal.js";
import { type CollectionPlace, findCollections } from "./roles.js";
import { unmetRules } from "./rule-targets.js";

/** @throws Refusal that names everything that cannot be carried */
export function readContract(request: DescMessage, rules: Rules): Contract {
  const places = findCollections(request);
  const names = new Map(places.map(({ field }) => [field.name, field.localName]));
  const reading: Reading = { models: new Map(), open: new Set(), names, rules, refusals: [] };
  const collections = places.flatMap((place) =>
    unlessRefused(reading.refusals, () => readCollection(place, reading)),
  );
  const refusals = [...reading.refusals, ...unmetRules(rules, request)];
  if (refusals.length > 0) throw new Refusal(refusals.join("\n"));
  return { request, collections, models: [...reading.models.values()] };
}

interface Reading {
  /** Messages that are being read. */
  readonly open: Set<DescMessage>;
  readonly models: Map<DescMessage, Model>;
  readonly refusals: string[];
  readonly rules: Rules;
  /** The SDK's names of collections, by their names in the rules. */
  readonly names: ReadonlyMap<string, string>;
}

const NO_RULES: MessageRules & FieldRules = {};

function rulesOf(message: DescMessage, { rules }: Reading): MessageRules {
  return rules.messages[message.name] ?? NO_RULES;
}

function fieldRulesOf(field: DescField, reading: Reading): FieldRules {
  return rulesOf(field.parent, reading).fields?.[field.name] ?? NO_RULES;
}

function readCollection({ field, path, records }: CollectionPlace, reading: Reading): Collection {
  const model = reading.rules.collections[field.name];
  if (model === undefined || model === "left out")
    throw new Refusal(
      `contract/rules.ts: collections.${field.name}: is it a "snapshot", an "event", or "left out"?`,
    );
  const record = readRecord(records, reading);
  const idField = readIdField(record, reading);
  if (model === "snapshot" && idField === undefined)
    throw new Refusal(
      `contract/rules.ts: messages.${record.generic.model.message.name}: which field is the id? Records of a snapshot need one: { id: true, required: true }`,
    );
  return {
    name: field.localName,
    wireName: field.jsonName,
    path: path.map(({ number }) => number),
    recordsNumber: records.number,
    isFlat: record.message === record.generic.model.message,
    model,
    doc: doc(field),
    record,
    idField,
  };
}

/** Returns the name of the id field, which is the same in all variants of a record. */
function readIdField({ message, generic, variants }: RecordModel, reading: Reading): string | undefined {
  const details = [generic, ...variants].map(({ model }) => model.message);
  const [name, ...otherNames] = new Set(details.map((variant) => idFieldOf(variant, reading)));
  if (otherNames.length > 0)
    throw new Refusal(
      `contract/rules.ts: the variants ${details.map((variant) => variant.name).join(", ")} of ${message.name} need the same id: true, or none`,
    );
  return name;
}

function idFieldOf(details: DescMessage, reading: Reading): string | undefined {
  const field = details.fields.find((f) => fieldRulesOf(f, reading).id);
  if (field === undefined) return undefined;
  const isText = field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
  if (!isText || !fieldRulesOf(field, reading).required)
    throw new Refusal(
      `contract/rules.ts: messages.${details.name}.fields.${field.name}: an id is a required string`,
    );
  return field.localName;
}

/** A record without variants is written as the generic variant, in the list itself. */
function readRecord({ message, number }: CollectionPlace["records"], reading: Reading): RecordModel {
  const model = readModel(message, reading);
  if (model.kind === "fields")
    return {
      kind: "variant",
      message,
      doc: model.doc,
      assumed: model.assumed,
      generic: { number, model },
      variants: [],
    };
  if (model.generic !== undefined) return { ...model, generic: model.generic };
  throw new Refusal(
    `${message.name}: one of the variants ${model.variants.map(({ name }) => name).join(", ")} must be the SDK's ${GENERIC}: contract/mapping.ts, names`,
  );
}

function readModel(message: DescMessage, reading: Reading): Model {
  const known = reading.models.get(message);
  if (known !== undefined) return known;
  if (reading.open.has(message))
    throw new Refusal(`${message.name}: the SDK cannot carry a message that contains itself`);
  reading.open.add(message);
  try {
    const model = message.oneofs.length === 0 ? readFields(message, reading) : readVariants(message, reading);
    reading.models.set(message, model);
    return model;
  } finally {
    reading.open.delete(message);
  }
}

function readFields(message: DescMessage, reading: Reading): FieldsModel {
  const { assumed = false, completeGroups = [] } = rulesOf(message, reading);
  const local = (name: string) => fieldNamed(message, name).localName;
  const model: FieldsModel = {
    kind: "fields",
    message,
    doc: doc(message),
    assumed,
    fields: message.fields.flatMap((field) =>
      unlessRefused(reading.refusals, () => readField(field, reading)),
    ),
    completeGroups: completeGroups.map((group) => group.map(local)),
  };
  for (const { requiredWhen } of model.fields)
    if (requiredWhen) unlessRefused(reading.refusals, () => conditionOf(model, requiredWhen));
  return model;
}

function readVariants(message: DescMessage, reading: Reading): VariantModel {
  const variants = message.fields.map((field): Variant => {
    const model = field.message && readModel(field.message, reading);
    if (model?.kind !== "fields")
      throw new Refusal(`${message.name}.${field.name}: a variant must be a message of plain fields`);
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

/** Refuses a variant that has the name of a generic field, because a record holds both side by side. */
function refuseCollisions(message: DescMessage, { fields }: FieldsModel, variants: readonly Variant[]): void {
  const variant = variants.find(({ name }) => fields.some((field) => field.name === name));
  if (variant !== undefined) {
    throw new Refusal(
      `${message.name}: the variant ${variant.name} has the name of a field of the generic variant. Records are written flat, so rename one of them: contract/mapping.ts, names`,
    );
  }
}

function readField(field: DescField, reading: Reading): Field {
  const rules = fieldRulesOf(field, reading);
  const {
    required = false,
    requiredWhen,
    id: isId = false,
    format,
    refersTo = [],
    shownAs,
    drifts = false,
  } = rules;
  const type = withFormat(
    field,
    typeOfField(field, (message) => readModel(message, reading)),
    format,
  );
  const place = `${field.parent.name}.${field.name}`;
  if (type.kind === "message" && type.model.kind === "variant" && type.model.generic !== undefined)
    throw new Refusal(`${place}: only records have a variant named ${GENERIC}`);
  if (requiredWhen !== undefined && type.kind !== "message")
    throw new Refusal(`contract/rules.ts: messages.${place}: requiredWhen is for messages`);
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
    refersTo: refersTo.flatMap((collection) => reading.names.get(collection) ?? []),
    shownAs: isId ? "id" : shownAs,
    drifts,
  };
}

function withFormat(field: DescField, type: FieldType, format: FieldRules["format"]): FieldType {
  if (format === undefined) return type;
  if (type.kind === "string") return { kind: "string", format };
  throw new Refusal(
    `contract/rules.ts: messages.${field.parent.name}.fields.${field.name}: format: the field is ${type.kind}, and a ${format} is a string`,
  );
}

function fieldNamed(message: DescMessage, name: string): DescField {
  const field = message.fields.find((f) => f.name === name);
  if (field === undefined)
    throw new Refusal(`contract/rules.ts: messages.${message.name}: the contract has no field ${name}`);
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
