import { InvalidInputError } from "../core/errors/index.js";
import { type KeysOf, readOptions } from "../core/validate.js";
import { checkDelimiter, csvRows } from "./csv-rows.js";
import { type FileInput, Input } from "./file-input.js";
import { FILE_KEYS, type FileOptions, FileRecords, Line, type RecordLocation } from "./file-records.js";
import { decoderOf, MAX_LINE_BYTES, type TextEncoding, textBlocks } from "./lines.js";
import { problemAt, RecordBlock } from "./located-records.js";

/** A row of a CSV file: its cells by the headings of their columns. An empty cell is an empty string. */
export type CsvRow<Column extends string = string> = Readonly<Record<Column, string>>;

/** Options of `fromCsv`. */
export interface CsvOptions<Column extends string = string> extends FileOptions {
  /**
   * The columns to read, by their headings. The row has these and no others, and a file that lacks one of them is
   * refused. @default every column of the file
   */
  readonly columns?: readonly Column[] | undefined;
  /** The character between cells. @default "," */
  readonly delimiter?: string | undefined;
  /**
   * Encoding of the bytes of the file or stream; invalid bytes are refused. It does not apply to a stream of text.
   * @default "utf-8"
   */
  readonly encoding?: TextEncoding | undefined;
}

const CSV_KEYS = {
  ...FILE_KEYS,
  columns: true,
  delimiter: true,
  encoding: true,
} satisfies KeysOf<CsvOptions>;

/**
 * The records of a CSV file (RFC 4180), streamed: memory does not grow with the file.
 *
 * - The first row is the header. Each further row becomes an object of strings, and `map` makes a record of it, or
 *   returns undefined to leave it out; `figures` counts those. Errors that `map` throws are rethrown unchanged.
 * - A byte order mark, line ends of either kind, quoted line breaks and empty lines are accepted. A line of `""` is not
 *   empty: it is a row with an empty cell.
 * - Nothing is guessed or skipped. Errors name the line: a row with too few or too many cells, quotes that do not
 *   match, a `\r` without a line feed outside quotes, bytes that are invalid in the encoding, half of a character in a
 *   stream of text, a zero character, a header that lacks a column or repeats one, an empty file.
 * - An error of a write about a record names its location, such as `users.csv:1042`.
 *
 * The iteration throws `InvalidInputError`.
 * @throws {InvalidInputError} an option is invalid
 * @example
 * ```ts
 * const users = fromCsv("users.csv", (row) => ({ generic: { id: row.id, email: row.email } }), {
 *   columns: ["id", "email"],
 * });
 * await batch.write("accounts", users);
 * ```
 */
export function fromCsv<R, const Column extends string>(
  input: FileInput,
  map: (row: CsvRow<Column>, place: RecordLocation) => R | undefined,
  options: CsvOptions<Column> & { readonly columns: readonly Column[] },
): FileRecords<R>;
/** With every column of the file, by any heading. @throws {InvalidInputError} an option is invalid */
export function fromCsv<R>(
  input: FileInput,
  map: (row: CsvRow, place: RecordLocation) => R | undefined,
  options?: CsvOptions,
): FileRecords<R>;
export function fromCsv<R>(
  input: FileInput,
  map: (row: CsvRow, place: RecordLocation) => R | undefined,
  options: CsvOptions = {},
): FileRecords<R> {
  const {
    columns,
    delimiter = ",",
    encoding = "utf-8",
    ...fileOptions
  } = readOptions("fromCsv", options, CSV_KEYS);
  if (columns !== undefined && !(Array.isArray(columns) && columns.every((name) => typeof name === "string")))
    throw new InvalidInputError("columns must be an array of headings.");
  if (typeof map !== "function")
    throw new InvalidInputError(
      "map, the second argument of fromCsv, must be a function that turns a row into a record.",
    );
  checkDelimiter(delimiter);
  decoderOf(encoding);
  const file = new Input(input, fileOptions.name);
  const { name } = file;
  const format = { name, encoding, maxLineBytes: MAX_LINE_BYTES, needsLineEnd: true };
  return new FileRecords(file, fileOptions.signal, async function* (chunks, figures) {
    let header: CsvHeader | undefined;
    for await (const { rows, lines } of csvRows(textBlocks(chunks, format), name, delimiter)) {
      const records = new RecordBlock<R>(figures, (line) => new Line(name, line).location);
      for (const [index, cells] of rows.entries()) {
        const place = new Line(name, lines[index] ?? 0);
        if (header === undefined) header = new CsvHeader(cells, columns, place.location);
        else records.add(map(header.row(cells, place), place), place.line);
      }
      yield records.located();
    }
    if (header === undefined) {
      const advice = "Not even a header is there; the program that wrote it may have failed.";
      throw problemAt(name, "is empty", advice);
    }
  });
}

/** The first row: which cell of a row belongs to which column. */
class CsvHeader {
  readonly #width: number;
  /** The columns to read, each with its position. */
  readonly #columns: readonly (readonly [string, number])[];
  /** Copied for each row, so that `__proto__` is a heading like any other. */
  readonly #template: Readonly<Record<string, string>>;

  /**
   * Errors never show the cells: if the file has no header, they are the first record.
   * @throws {InvalidInputError} a column is missing, unnamed or repeated
   */
  constructor(cells: readonly string[], columns: readonly string[] | undefined, location: string) {
    const positions = new Map<string, number>();
    for (const [position, cell] of cells.entries()) {
      const heading = cell.trim();
      const before = positions.get(heading);
      positions.set(heading, position);
      if (columns?.includes(heading) === false) continue;
      if (heading === "" && columns === undefined) {
        throw problemAt(
          location,
          `has no heading in column ${position + 1}`,
          "List the columns to read in columns.",
        );
      }
      if (before !== undefined) {
        throw problemAt(location, `has the same heading in columns ${before + 1} and ${position + 1}`);
      }
    }
    const read = [...new Set(columns ?? positions.keys())];
    const missing = read.filter((column) => !positions.has(column));
    if (missing.length > 0) {
      const list = missing.map((column) => JSON.stringify(column)).join(", ");
      throw problemAt(
        location,
        `is not a header with the columns ${list}`,
        "Check the file and the delimiter.",
      );
    }
    this.#width = cells.length;
    this.#columns = read.map((column) => [column, positions.get(column) ?? 0]);
    this.#template = Object.fromEntries(read.map((column) => [column, ""]));
  }

  /** The cells of a row by column. @throws {InvalidInputError} too few or too many cells */
  row(cells: readonly string[], place: RecordLocation): Record<string, string> {
    if (cells.length !== this.#width) {
      const problem = `has ${cells.length} cells, but the header has ${this.#width}`;
      const advice = "Quote a cell that contains the delimiter; a short last row may be truncated.";
      throw problemAt(place.location, problem, advice);
    }
    const row = { ...this.#template };
    for (const [column, position] of this.#columns) row[column] = cells[position] ?? "";
    return row;
  }
}
