import { InvalidInputError } from "../core/errors/index.js";
import type { LocatedRecords } from "../core/record-location.js";
import type { KeysOf } from "../core/validate.js";
import { readOptions } from "../core/validate.js";
import { CsvHeader } from "./csv-header.js";
import { checkDelimiter, csvRows } from "./csv-rows.js";
import { checkEncoding, type TextEncoding } from "./encoding.js";
import {
  FILE_NAMES,
  type FileOptions,
  FileRecords,
  type MutableFigures,
  type RecordPlace,
} from "./file-records.js";
import { GatheredRecords } from "./gathered-records.js";
import { type FileInput, Input } from "./input.js";
import { Line } from "./line.js";
import { problemAt } from "./problem.js";
import { MAX_LINE_BYTES, textBlocks } from "./text.js";

/** A row of a CSV file: its cells by the headings of their columns. An empty cell is an empty string. */
export type CsvRow<Column extends string = string> = Readonly<Record<Column, string>>;

/** Options of `fromCsv`. */
export interface CsvOptions<Column extends string = string> extends FileOptions {
  /**
   * The columns to read, by their headings: the row then has these and no others, and a file that lacks one of them is
   * refused. @default every column of the file
   */
  readonly columns?: readonly Column[] | undefined;
  /** What stands between cells. @default "," */
  readonly delimiter?: string | undefined;
  /**
   * Encoding of the file's or the stream's bytes; what is not valid in it is refused. A stream of text is decoded
   * already, whatever is said here. @default "utf-8"
   */
  readonly encoding?: TextEncoding | undefined;
}

const CSV_NAMES = {
  ...FILE_NAMES,
  columns: true,
  delimiter: true,
  encoding: true,
} satisfies KeysOf<CsvOptions>;

/**
 * The records of a CSV file (RFC 4180), streamed: memory does not grow with the file.
 *
 * - The first row is the header. Each further row becomes an object of strings, and `map` makes a record of it, or
 *   returns undefined to leave it out; `figures` counts those. What `map` throws comes back unchanged.
 * - A byte order mark, line ends of either kind, quoted line breaks and empty lines are fine. A line of `""` is not
 *   empty: it is a row with an empty cell.
 * - Nothing is guessed or skipped: a row with too few or too many cells, quotes that do not match, a `\r` without a
 *   line feed outside of quotes, bytes that are not in the encoding, half of a character in a stream of text, a zero
 *   character, a header that lacks a column or has one twice, an empty file end in an error with the line.
 * - An error of a write about one of the records names its place, such as `users.csv:1042`.
 *
 * The errors of the reading reach whoever iterates: `InvalidInputError` each.
 * @throws {InvalidInputError} an option is wrong
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
  map: (row: CsvRow<Column>, place: RecordPlace) => R | undefined,
  options: CsvOptions<Column> & { readonly columns: readonly Column[] },
): FileRecords<R>;
/** The same with every column of the file, by whatever heading. @throws {InvalidInputError} an option is wrong */
export function fromCsv<R>(
  input: FileInput,
  map: (row: CsvRow, place: RecordPlace) => R | undefined,
  options?: CsvOptions,
): FileRecords<R>;
export function fromCsv<R>(
  input: FileInput,
  map: (row: CsvRow, place: RecordPlace) => R | undefined,
  given: CsvOptions = {},
): FileRecords<R> {
  const options = readOptions("The options of fromCsv", given, CSV_NAMES);
  const { columns, delimiter = ",", encoding = "utf-8" } = options;
  if (columns !== undefined && !(Array.isArray(columns) && columns.every((name) => typeof name === "string")))
    throw new InvalidInputError("columns must be a list of headings.");
  if (typeof map !== "function")
    throw new InvalidInputError("map must be a function that makes a record of a row.");
  checkDelimiter(delimiter);
  checkEncoding(encoding);
  const file = new Input(input, options.name);
  const { name } = file;
  const locationOf = (line: number) => new Line(name, line).location;
  const format = { name, encoding, maxLineBytes: MAX_LINE_BYTES, needsLineEnd: true };

  async function* read(
    chunks: AsyncIterable<Uint8Array | string>,
    figures: MutableFigures,
  ): AsyncGenerator<LocatedRecords<R>, void, undefined> {
    let header: CsvHeader | undefined;
    for await (const { rows, lines } of csvRows(textBlocks(chunks, format), name, delimiter)) {
      const records = new GatheredRecords<R>(figures, locationOf);
      for (const [index, cells] of rows.entries()) {
        const place = new Line(name, lines[index] ?? 0);
        if (header === undefined) {
          header = new CsvHeader(cells, columns, place.location);
          continue;
        }
        records.add(map(header.row(cells, place), place), place.line);
      }
      yield records.located();
    }
    if (header === undefined) {
      throw problemAt(name, "is empty", "It lacks even a header; its writer may have failed.");
    }
  }
  return new FileRecords(file, options.signal, ({ chunks }, figures) => read(chunks, figures));
}
