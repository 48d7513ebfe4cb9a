import { SIGNAL } from "../core/abort.js";
import { isText, listOf, type OptionTable, oneOf, readOptions } from "../core/validate.js";
import { csvRows, DELIMITER } from "./csv-rows.js";
import { type FileInput, Input, NAME } from "./file-input.js";
import { textBlocks } from "./lines.js";
import {
  Line,
  MAP,
  problemAt,
  RecordBlock,
  type RecordLocation,
  RecordsSource,
  type Source,
} from "./source.js";

type CsvOptions = Parameters<typeof fromCsv>[1];

const CSV_OPTIONS = {
  columns: { expected: "an array of headings", fits: listOf(isText) },
  map: { ...MAP, required: true },
  delimiter: DELIMITER,
  encoding: oneOf("utf-8", "utf-16le", "windows-1252"),
  name: NAME,
  signal: SIGNAL,
} satisfies OptionTable<CsvOptions>;

/**
 * The records of a CSV file (RFC 4180), streamed: memory does not grow with the file.
 *
 * - The first row is the header. Each further row becomes an object of strings; an empty cell is an empty string.
 * - A byte order mark, line ends of either kind, quoted line breaks and empty lines are accepted. A line of `""` is not
 *   empty: it is a row with an empty cell.
 * - Nothing is guessed or skipped. Errors name the line: a row with too few or too many cells, quotes that do not
 *   match, a `\r` without a line feed outside quotes, bytes that are invalid in the encoding, half of a character in a
 *   stream of text, a zero character, a header that lacks a column or repeats one, an empty file.
 * - An error of a write about a record names its location, such as `users.csv:1042`.
 *
 * The iteration throws `InvalidInputError`; errors that `map` throws are rethrown unchanged.
 * @throws {InvalidInputError} an option is invalid
 * @example
 * ```ts
 * const users = fromCsv("users.csv", {
 *   columns: ["id", "email"],
 *   map: (row) => ({ id: row.id, email: row.email }),
 * });
 * await batch.write("accounts", users);
 * ```
 */
export function fromCsv<R, const Column extends string = string>(
  input: FileInput,
  options: {
    /**
     * The columns to read, by their headings. The row has these and no others, and a file that lacks one of them is
     * refused. @default every column of the file
     */
    readonly columns?: readonly Column[] | undefined;
    /** Makes a record of a row, or returns undefined to skip it; `stats` counts those. */
    readonly map: (row: Readonly<Record<Column, string>>, at: RecordLocation) => R | undefined;
    /** The character between cells. @default "," */
    readonly delimiter?: string | undefined;
    /**
     * Encoding of the bytes of the file or stream; invalid bytes are refused. It does not apply to a stream of text.
     * @default "utf-8"
     */
    readonly encoding?: "utf-8" | "utf-16le" | "windows-1252" | undefined;
    /** The file's name in locations. @default the file's base name; `stream` for a stream */
    readonly name?: string | undefined;
    /** Ends the iteration, which then throws the signal's reason. @default none */
    readonly signal?: AbortSignal | undefined;
  },
): Source<R>;
export function fromCsv(input: FileInput, options: CsvOptions): Source<unknown> {
  const {
    columns,
    map,
    delimiter = ",",
    encoding = "utf-8",
    signal,
    ...file
  } = readOptions("fromCsv", options, CSV_OPTIONS);
  const opened = new Input(input, file.name);
  const { name } = opened;
  const format = { name, encoding, needsLineEnd: true };
  return new RecordsSource(signal, (stats, stop) => {
    const rowsOf = csvRows(textBlocks(opened.open(stop), format), name, delimiter);
    return (async function* () {
      let header: CsvHeader | undefined;
      for await (const { rows, lines } of rowsOf) {
        const records = new RecordBlock(map, stats);
        for (const [index, cells] of rows.entries()) {
          const at = new Line(name, lines[index] ?? 0);
          if (header === undefined) header = new CsvHeader(cells, columns, at.location);
          else records.add(header.row(cells, at), at);
        }
        yield records.located();
      }
      if (header === undefined) {
        const advice = "The file has no header; the program that wrote it may have failed.";
        throw problemAt(name, "is empty", advice);
      }
    })();
  });
}

/** The first row: which cell of a row belongs to which column. */
class CsvHeader {
  readonly #width: number;
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

  row(cells: readonly string[], at: RecordLocation): Readonly<Record<string, string>> {
    if (cells.length !== this.#width) {
      const problem = `has ${cells.length} cells, but the header has ${this.#width}`;
      const advice = "Quote a cell that contains the delimiter; a short last row may be truncated.";
      throw problemAt(at.location, problem, advice);
    }
    const row = { ...this.#template };
    for (const [column, position] of this.#columns) row[column] = cells[position] ?? "";
    return row;
  }
}
