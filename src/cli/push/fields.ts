import { z } from "zod";
import { isPlainObject, suggestKey } from "../../core/validate.js";
import type { Collection } from "../../sync/collections.js";
import { int64, stringMap, timestamp } from "../../sync/encoding/schema-checks.js";
import { RECORD_SCHEMAS } from "../../sync/generated/schemas.js";

/** What a cell becomes; one that it cannot read stays text, and the write says what is wrong with it. */
type Convert = (cell: string) => unknown;
type Row = Readonly<Record<string, string>>;
type Fields = Record<string, unknown>;

const asText: Convert = (cell) => cell;
const asMap: Convert = (cell) => cell;
const asList: Convert = (cell) => cell.split(";").map((item) => item.trim());
const asBoolean: Convert = (cell) => (/^(true|false)$/i.test(cell) ? cell.toLowerCase() === "true" : cell);
const asInteger =
  (make: (digits: string) => number | bigint): Convert =>
  (cell) =>
    /^-?\d{1,19}$/.test(cell) ? make(cell) : cell;

/** Makes records of the rows of a file whose headings are names of fields. */
export class RecordBuilder {
  readonly #fields: ReadonlyMap<string, Convert>;
  readonly #warn: (problem: string) => void;
  #columns: readonly { readonly column: string; readonly convert: Convert }[] | undefined;

  /** @param warn Is told about headings that are not fields, and those that are but are not read. */
  constructor(collection: Collection, warn: (problem: string) => void) {
    this.#fields = fieldsOf(collection);
    this.#warn = warn;
  }

  readonly build = (row: Row): Fields => {
    this.#columns ??= this.#columnsOf(Object.keys(row));
    const record: Fields = {};
    for (const { column, convert } of this.#columns) {
      const cell = row[column] ?? "";
      if (cell !== "") put(record, column.split("."), convert(cell));
    }
    return record;
  };

  /** The row for a function that maps rows. Notes which fields it reads of the first. */
  watched(row: Row, map: (row: Row) => unknown): unknown {
    if (this.#columns !== undefined) return map(row);
    const read = new Set<unknown>();
    const get = (target: Row, name: string | symbol): unknown => {
      read.add(name);
      return Reflect.get(target, name);
    };
    const record = map(new Proxy(row, { get }));
    this.#columns = [];
    const unread = Object.keys(row).filter((name) => this.#fields.has(name) && !read.has(name));
    if (unread.length > 0) this.#warn(`map does not read columns that are fields: ${unread.join(", ")}`);
    return record;
  }

  #columnsOf(headings: readonly string[]) {
    const known = headings.flatMap((column) => {
      const convert = this.#converterOf(column);
      return convert === undefined ? [] : [{ column, convert }];
    });
    const names = [...this.#fields.keys()];
    const ignored = headings
      .filter((heading) => this.#converterOf(heading) === undefined)
      .map(
        (heading) => `${JSON.stringify(heading)}${suggestKey(heading, names).replace(/^ (.*)$/, " ($1)")}`,
      );
    if (ignored.length > 0) this.#warn(`columns that are not fields are not sent: ${ignored.join(", ")}`);
    return known;
  }

  /** An entry of a map is a string: `attributes.tier`. */
  #converterOf(heading: string): Convert | undefined {
    const convert = this.#fields.get(heading);
    const parent = this.#fields.get(heading.slice(0, Math.max(0, heading.lastIndexOf("."))));
    return convert ?? (parent === asMap ? asText : undefined);
  }
}

/** The field that tells when an event happened: the first one that is a time. */
export function timeFieldOf(collection: Collection): string | undefined {
  const { generic } = RECORD_SCHEMAS[collection];
  if (!(generic instanceof z.ZodObject)) return undefined;
  const isTime = (declared: unknown) => declared instanceof z.ZodType && unwrapped(declared) === timestamp;
  return Object.entries(generic.shape).find(([, declared]) => isTime(declared))?.[0];
}

/** The fields of a collection's records by their paths, as its schema declares them. */
function fieldsOf(collection: Collection): ReadonlyMap<string, Convert> {
  const fields = new Map<string, Convert>();
  const { generic, others = generic } = RECORD_SCHEMAS[collection];
  const walk = (prefix: string, schema: z.ZodType) => {
    if (!(schema instanceof z.ZodObject)) return;
    for (const [name, declared] of Object.entries(schema.shape)) {
      if (!(declared instanceof z.ZodType)) continue;
      const field = unwrapped(declared);
      if (field instanceof z.ZodObject) walk(`${prefix}${name}.`, field);
      // A field that must be absent has no cells.
      else if (!fields.has(`${prefix}${name}`) && !(field instanceof z.ZodNull))
        fields.set(`${prefix}${name}`, converterOf(field));
    }
  };
  walk("", generic);
  walk("", others);
  return fields;
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  const inner: unknown = isWrapper ? schema.unwrap() : undefined;
  return inner instanceof z.ZodType ? unwrapped(inner) : schema;
}

function converterOf(schema: z.ZodType): Convert {
  if (schema === stringMap) return asMap;
  if (schema === int64) return asInteger(BigInt);
  if (schema instanceof z.ZodBoolean) return asBoolean;
  if (schema instanceof z.ZodNumber) return asInteger(Number);
  return schema instanceof z.ZodArray ? asList : asText;
}

function put(target: Fields, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
    return;
  }
  const existing = Object.hasOwn(target, key) ? target[key] : undefined;
  const inner: Fields = isPlainObject(existing) ? existing : {};
  if (inner !== existing) put(target, [key], inner);
  put(inner, rest, value);
}
