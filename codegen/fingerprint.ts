import { createHash } from "node:crypto";
import type { Collection, FieldType, Model } from "./model.js";

const DIGITS = 16;

/** Returns a digest of what gives a collection's bytes their meaning: all fields' numbers, names and types. */
export function fingerprint({ path, recordsNumber, idField, record }: Collection): string {
  const facts = JSON.stringify([path, recordsNumber, idField ?? null, describeModel(record)]);
  return createHash("sha256").update(facts).digest("hex").slice(0, DIGITS);
}

function describeModel(model: Model): unknown {
  if (model.kind === "fields")
    return model.fields.map(({ name, number, type }) => [number, name, describeType(type)]);
  const variants = model.variants.map(({ name, number, model }) => [number, name, describeModel(model)]);
  const { generic } = model;
  return generic === undefined ? variants : [[generic.number, "", describeModel(generic.model)], ...variants];
}

function describeType(type: FieldType): unknown {
  if (type.kind === "message") return describeModel(type.model);
  if (type.kind === "enum") return type.type.values.map(({ name, number }) => [number, name]);
  return type.kind;
}
