import { z } from "zod";
import type { Collection } from "../../sync/collections.js";
import { int64, stringMap, timestamp } from "../../sync/encoding/schema-checks.js";
import { RECORD_SCHEMAS } from "../../sync/generated/schemas.js";

/** How a string of a file becomes the value of a field. */
export type FieldType =
  | { readonly kind: "string" | "boolean" | "integer" | "bigint" | "strings" | "map" }
  | { readonly kind: "enum"; readonly literals: readonly string[] };

export interface RecordFields {
  /** By path, such as `details.seatBased.paidSeats`. */
  readonly types: ReadonlyMap<string, FieldType>;
  /** Required fields that have only one possible value. */
  readonly constants: ReadonlyMap<string, string>;
}

/** The fields of a collection's records, as its schema declares them. */
export function fieldsOf(collection: Collection): RecordFields {
  const types = new Map<string, FieldType>();
  const constants = new Map<string, string>();
  const { generic, others } = RECORD_SCHEMAS[collection];
  const walk = (prefix: string, schema: z.ZodType, isRequired: boolean) => {
    if (!(schema instanceof z.ZodObject)) return;
    for (const [name, declared] of Object.entries(schema.shape)) {
      if (!(declared instanceof z.ZodType)) continue;
      const path = `${prefix}${name}`;
      const field = unwrapped(declared);
      const required = isRequired && field === declared;
      if (field instanceof z.ZodObject) walk(`${path}.`, field, required);
      else if (!types.has(path)) {
        const type = typeOf(field);
        if (type === undefined) continue;
        types.set(path, type);
        const [only, ...more] = type.kind === "enum" ? type.literals : [];
        if (required && only !== undefined && more.length === 0) constants.set(path, only);
      }
    }
  };
  walk("", generic, true);
  if (others !== undefined) walk("", others, false);
  return { types, constants };
}

/** The field that tells when an event happened: the first one that is a time. */
export function timeFieldOf(collection: Collection): string | undefined {
  const { generic } = RECORD_SCHEMAS[collection];
  if (!(generic instanceof z.ZodObject)) return undefined;
  const isTime = (declared: unknown) => declared instanceof z.ZodType && unwrapped(declared) === timestamp;
  return Object.entries(generic.shape).find(([, declared]) => isTime(declared))?.[0];
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  const inner: unknown = isWrapper ? schema.unwrap() : undefined;
  return inner instanceof z.ZodType ? unwrapped(inner) : schema;
}

/** Undefined for a field that must be absent. */
function typeOf(schema: z.ZodType): FieldType | undefined {
  if (schema === stringMap) return { kind: "map" };
  if (schema === timestamp) return { kind: "string" };
  if (schema === int64) return { kind: "bigint" };
  if (schema instanceof z.ZodEnum) return { kind: "enum", literals: schema.options.map(String) };
  if (schema instanceof z.ZodBoolean) return { kind: "boolean" };
  if (schema instanceof z.ZodNumber) return { kind: "integer" };
  if (schema instanceof z.ZodArray) return { kind: "strings" };
  return schema instanceof z.ZodNull ? undefined : { kind: "string" };
}
