import { z } from "zod";
import type { Collection } from "../../sync/collections.js";
import { int64, stringMap, timestamp } from "../../sync/encoding/schema-checks.js";
import { RECORD_SCHEMAS } from "../../sync/generated/schemas.js";

/** Converts a cell that is not empty into the value of a field, or tells what was expected; never the cell. */
export type Convert = (cell: string) => { readonly value: unknown } | { readonly expected: string };

export interface RecordFields {
  /** By path, such as `details.seatBased.paidSeats`. */
  readonly types: ReadonlyMap<string, Convert>;
  /** Required fields that have only one possible value. */
  readonly constants: ReadonlyMap<string, string>;
}

/** The fields of a collection's records, as its schema declares them. */
export function fieldsOf(collection: Collection): RecordFields {
  const types = new Map<string, Convert>();
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
      // A field that must be absent has no cells.
      else if (!types.has(path) && !(field instanceof z.ZodNull)) {
        types.set(path, converterOf(field));
        const [only, ...more] = field instanceof z.ZodEnum ? field.options : [];
        if (required && only !== undefined && more.length === 0) constants.set(path, String(only));
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

function converterOf(schema: z.ZodType): Convert {
  if (schema === stringMap) return toMap;
  if (schema === timestamp) return toText;
  if (schema === int64) return toInteger(BigInt);
  if (schema instanceof z.ZodEnum) return toLiteral(schema.options.map(String));
  if (schema instanceof z.ZodBoolean) return toBoolean;
  if (schema instanceof z.ZodNumber) return toInteger(Number);
  return schema instanceof z.ZodArray ? toList : toText;
}

export const toText: Convert = (value) => ({ value });

export const toMap: Convert = () => ({
  expected: "an object: name a column of each entry, such as attributes.tier",
});

/** A list is written as `a;b`. */
const toList: Convert = (cell) => {
  const items = cell.split(";").map((item) => item.trim());
  return { value: items.filter((item) => item !== "") };
};

const toBoolean: Convert = (cell) => {
  const folded = cell.trim().toLowerCase();
  if (["true", "yes", "1"].includes(folded)) return { value: true };
  if (["false", "no", "0"].includes(folded)) return { value: false };
  return { expected: "true or false (also yes, no, 1, 0)" };
};

function toInteger(make: (digits: string) => number | bigint): Convert {
  return (cell) => {
    const digits = cell.trim();
    return /^-?\d{1,19}$/.test(digits) ? { value: make(digits) } : { expected: "a whole number" };
  };
}

function toLiteral(literals: readonly string[]): Convert {
  return (cell) => {
    const folded = cell.trim().toLowerCase();
    const value = literals.find((one) => one.toLowerCase() === folded);
    return value === undefined ? { expected: `one of ${literals.join(", ")}` } : { value };
  };
}
