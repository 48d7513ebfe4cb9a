import { z } from "zod";
import { isPlainObject, suggestKey } from "../../core/validate.js";
import { type ChooseColumns, refusedColumns } from "../../sources/csv-header.js";
import { problemAt, type RecordLocation } from "../../sources/source.js";
import { COLLECTIONS, type Collection } from "../../sync/collections.js";
import { int64, stringMap } from "../../sync/encoding/schema-checks.js";
import { RECORD_SCHEMAS } from "../../sync/generated/schemas.js";

/** Converts a cell. An invalid one is returned as text, and `write` then reports the problem. */
type Convert = (cell: string) => unknown;
export type Row = Readonly<Record<string, string>>;
type Fields = Record<string, unknown>;

const asText: Convert = (cell) => cell;
const asMap: Convert = (cell) => cell;
const asList: Convert = (cell) => cell.split(";").flatMap((item) => item.trim() || []);
const asBoolean: Convert = (cell) => (/^(true|false)$/i.test(cell) ? cell.toLowerCase() === "true" : cell);
const asNumber: Convert = (cell) => (/^-?\d{1,15}$/.test(cell) ? Number(cell) : cell);
const asInt64: Convert = (cell) => (/^-?\d{1,19}$/.test(cell) ? BigInt(cell) : cell);

/** Reads rows whose headings are field names. */
export interface RowReader {
  readonly choose: ChooseColumns;
  readonly read: (row: Row, at: RecordLocation) => Fields;
}

/** @param warn Called with headings that aren't fields. */
export function rowReader(collection: Collection, warn: (problem: string) => void): RowReader {
  const { idField, model } = COLLECTIONS[collection];
  const fields = fieldsOf(collection);
  const names = [...fields.keys()];
  /** Headings such as `attributes.tier` are entries of a map, whose values are strings. */
  const converterOf = (heading: string): Convert | undefined => {
    const parent = fields.get(heading.slice(0, Math.max(0, heading.lastIndexOf("."))));
    return fields.get(heading) ?? (parent === asMap ? asText : undefined);
  };
  const meant = (heading: string) => suggestKey(heading, names).replace(/^ (.*)$/, " ($1)");
  const isId = (heading: string) => idField === undefined || `.${heading}`.endsWith(`.${idField}`);
  let columns: readonly { readonly column: string; readonly convert: Convert }[] = [];
  return {
    choose(headings) {
      const { found } = headings;
      columns = found.flatMap((column) => {
        const convert = converterOf(column);
        return convert === undefined ? [] : [{ column, convert }];
      });
      const sent = columns.map(({ column }) => column);
      const others = found.filter((heading) => !sent.includes(heading));
      const listed = others.map((heading) => `${JSON.stringify(heading)}${meant(heading)}`).join(", ");
      if (!sent.some(isId)) {
        const missing = sent.length === 0 ? names.slice(0, 4) : [idField ?? ""];
        const isLike = (name: string) => others.some((heading) => suggestKey(heading, [name]) !== "");
        const like = names.filter((name) => name === (idField ?? names[0]) || isLike(name)).join(", ");
        let advice = `If it is the right file, name the headings like the fields (${like}), or configure a map (docs/guides/operating.md).`;
        if (sent.length > 0 && others.length > 0) advice = `These aren't fields: ${listed}.`;
        throw refusedColumns(headings, missing, sent, advice);
      }
      if (others.length > 0) warn(`not sent, because they aren't fields: ${listed}`);
      // A night without events is normal; a snapshot without records isn't.
      return { columns: sent, mayBeEmpty: model === "event" && others.length === 0 };
    },
    read(row, { location }) {
      const record: Fields = {};
      let last = "";
      let cells = 0;
      for (const { column, convert } of columns) {
        const cell = row[column] ?? "";
        if (cell === "") continue;
        put(record, column.split("."), convert(cell));
        last = cell;
        cells += 1;
      }
      // Ids of several words are rare, and a record with nothing but an id would be useless.
      const problem = "looks like a title or a total: only one cell is filled";
      if (cells === 1 && columns.length > 2 && /\s/.test(last.trim()))
        throw problemAt(location, problem, "Remove the line.");
      return record;
    },
  };
}

/** Maps the path of each field in a collection's schema to its converter. */
function fieldsOf(collection: Collection): ReadonlyMap<string, Convert> {
  const fields = new Map<string, Convert>();
  const { generic, others = generic } = RECORD_SCHEMAS[collection];
  const walk = (prefix: string, schema: unknown) => {
    for (const [name, declared] of Object.entries(schema instanceof z.ZodObject ? schema.shape : {})) {
      const path = `${prefix}${name}`;
      const field = unwrapped(declared);
      if (field instanceof z.ZodObject) walk(`${path}.`, field);
      // Skip fields that must be absent, because a heading must not name them.
      else if (!fields.has(path) && !(field instanceof z.ZodNull)) fields.set(path, converterOf(field));
    }
  };
  for (const schema of [generic, others]) walk("", schema);
  return fields;
}

function unwrapped(schema: unknown): unknown {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapper ? unwrapped(schema.unwrap()) : schema;
}

function converterOf(schema: unknown): Convert {
  if (schema === stringMap) return asMap;
  if (schema === int64) return asInt64;
  if (schema instanceof z.ZodBoolean) return asBoolean;
  if (schema instanceof z.ZodNumber) return asNumber;
  return schema instanceof z.ZodArray ? asList : asText;
}

function put(target: Fields, [key = "", ...rest]: readonly string[], value: unknown): void {
  const own = Object.hasOwn(target, key) ? target[key] : undefined;
  const inner: Fields = isPlainObject(own) ? own : {};
  if (rest.length > 0) put(inner, rest, value);
  // An assignment would fail for the key __proto__.
  const property = { enumerable: true, writable: true, configurable: true };
  Object.defineProperty(target, key, { ...property, value: rest.length > 0 ? inner : value });
}
