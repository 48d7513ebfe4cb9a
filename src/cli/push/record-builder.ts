import { InvalidInputError } from "../../core/errors/index.js";
import { isPlainObject, suggestKey } from "../../core/validate.js";
import type { RecordLocation } from "../../sources/source.js";
import type { Collection } from "../../sync/collections.js";
import { type Convert, type RecordFields, toMap, toText } from "./field-types.js";

interface MappedColumn {
  readonly column: string;
  readonly path: readonly string[];
  readonly convert: Convert;
}

type Fields = Record<string, unknown>;

/** Makes records of the rows of a file. */
export class RecordBuilder {
  readonly #collection: Collection;
  readonly #fields: RecordFields;
  readonly #mapping: Readonly<Record<string, string>> | undefined;
  readonly #onIgnored: (columns: readonly string[]) => void;
  #columns: readonly MappedColumn[] | undefined;

  /**
   * @param mapping The field of each column; by default, headings that are fields.
   * @param onIgnored Receives the headings that are not fields, once.
   * @throws {InvalidInputError} the mapping names a field that does not exist
   */
  constructor(
    collection: Collection,
    fields: RecordFields,
    mapping: Readonly<Record<string, string>> | undefined,
    onIgnored: (columns: readonly string[]) => void,
  ) {
    this.#collection = collection;
    this.#fields = fields;
    this.#mapping = mapping;
    this.#onIgnored = onIgnored;
    if (mapping !== undefined) this.#columns = this.#mapped(Object.keys(mapping));
  }

  /** The column of a field, for messages. */
  columnOf(path: string): string | undefined {
    return this.#columns?.find((mapped) => mapped.path.join(".") === path)?.column;
  }

  readonly build = (row: unknown, at: RecordLocation): Fields => {
    if (!isPlainObject(row)) throw this.#refusal(at, "", "an object", undefined);
    this.#columns ??= this.#mapped(Object.keys(row));
    const record: Fields = {};
    for (const [path, value] of this.#fields.constants) put(record, path.split("."), value);
    for (const { column, path, convert } of this.#columns) {
      const cell = valueAt(row, column);
      if (typeof cell !== "string") {
        if (cell != null) put(record, path, cell);
        continue;
      }
      if (cell === "") continue;
      const converted = convert(cell);
      if ("expected" in converted) throw this.#refusal(at, path.join("."), converted.expected, column);
      put(record, path, converted.value);
    }
    return record;
  };

  #mapped(columns: readonly string[]): readonly MappedColumn[] {
    const ignored: string[] = [];
    const mapped = columns.flatMap((column) => {
      const name = this.#mapping?.[column] ?? column;
      const convert = this.#converterOf(name);
      if (convert !== undefined) return [{ column, path: name.split("."), convert }];
      if (this.#mapping !== undefined) throw this.#unknownField(column, name);
      ignored.push(column);
      return [];
    });
    if (ignored.length > 0) this.#onIgnored(ignored);
    return mapped;
  }

  /** An entry of a map is a string: `attributes.tier`. */
  #converterOf(path: string): Convert | undefined {
    const { types } = this.#fields;
    const parent = path.slice(0, Math.max(0, path.lastIndexOf(".")));
    return types.get(path) ?? (types.get(parent) === toMap ? toText : undefined);
  }

  #unknownField(column: string, name: string): InvalidInputError {
    const names = [...this.#fields.types.keys()];
    return new InvalidInputError(
      `push.${this.#collection}.fields: the column ${JSON.stringify(column)} goes to ${JSON.stringify(name)}, which is not a field of ${this.#collection}.${suggestKey(name, names)} Fields: ${names.join(", ")}.`,
    );
  }

  #refusal(
    at: RecordLocation,
    path: string,
    expected: string,
    column: string | undefined,
  ): InvalidInputError {
    const place = column === undefined ? at.location : `${at.location}, column ${JSON.stringify(column)}`;
    return new InvalidInputError(
      `${place}: expected ${expected} for ${this.#collection}${path === "" ? "" : `.${path}`}. Nothing after this was sent.`,
      { issues: [{ collection: this.#collection, location: place, path, expected }] },
    );
  }
}

/** A key of an object, or a path in it. */
function valueAt(row: Readonly<Record<string, unknown>>, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  return column
    .split(".")
    .reduce<unknown>(
      (value, key) => (isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      row,
    );
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
