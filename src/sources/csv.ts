import { SIGNAL } from "../core/abort.js";
import { FLAG, isText, listOf, type OptionTable, readOptions } from "../core/validate.js";
import { type ChooseColumns, CsvHeader, required } from "./csv-header.js";
import { csvRows, DELIMITER } from "./csv-rows.js";
import { type FileInput, Input, NAME } from "./file-input.js";
import { ENCODING } from "./file-kind.js";
import { textBlocks } from "./lines.js";
import {
  ALLOW_EMPTY,
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
  encoding: ENCODING,
  allowEmpty: FLAG,
  name: NAME,
  signal: SIGNAL,
} satisfies OptionTable<CsvOptions>;

/**
 * Streams the records of a CSV file (RFC 4180); memory doesn't grow with the file.
 *
 * - The first row is the header. Each later row becomes an object of strings; an empty cell is an empty string.
 * - Accepts a byte order mark, both kinds of line ends, quoted line breaks, empty lines and Excel's line `sep=;`.
 *   The line `""` isn't empty: it's a row with an empty cell.
 * - Columns that you don't read may have no heading, or duplicate ones.
 * - Never guesses or skips. Each of these is an error that names the line: a row with too few or too many cells, a
 *   repeated header, quotes that don't match, a `\r` without a line feed outside quotes, invalid bytes, half of a
 *   character in a stream of text, a zero character, a missing column, and a file without rows.
 * - Recognizes compressed files, Excel workbooks, PDFs and HTML pages, and says what they are when it refuses them.
 * - If a write rejects a record, the error names its location, such as `users.csv:1042`.
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
     * The columns to read, by heading. Rows have only these columns, and a file that lacks one of them is refused.
     * @default every column of the file
     */
    readonly columns?: readonly Column[] | undefined;
    /** Turns a row into a record, or returns undefined to skip it; `stats` counts skipped rows. */
    readonly map: (row: Readonly<Record<Column, string>>, at: RecordLocation) => R | undefined;
    /** The character between cells. @default the one in Excel's line `sep=;`, otherwise "," */
    readonly delimiter?: string | undefined;
    /**
     * Encoding of the file or byte stream; invalid bytes are an error. Streams of text don't need this.
     * @default "utf-8"
     */
    readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | undefined;
    /**
     * Whether a header without rows counts as an empty collection.
     * @default false: such a file is an error, because the program that wrote it may have failed
     */
    readonly allowEmpty?: boolean | undefined;
    /** The file's name in locations. @default the file's base name; `stream` for a stream */
    readonly name?: string | undefined;
    /** Ends the iteration, which then throws the signal's reason. @default none */
    readonly signal?: AbortSignal | undefined;
  },
): Source<R>;
export function fromCsv(input: FileInput, options: CsvOptions): Source<unknown> {
  return readCsv(input, options);
}

/** Choices that depend on a file's first line. */
interface Detection {
  /** Finds the delimiter, unless one is given. */
  readonly delimiterIn: (header: string) => string;
  readonly choose?: ChooseColumns | undefined;
}

/** Like `fromCsv`, but `detection` can choose the delimiter and the columns from the first line. */
export function readCsv<R>(
  input: FileInput,
  options: Omit<CsvOptions, "map"> & {
    readonly map: (row: Readonly<Record<string, string>>, at: RecordLocation) => R | undefined;
  },
  detection?: Detection,
): Source<R>;
export function readCsv(input: FileInput, options: CsvOptions, detection?: Detection): Source<unknown> {
  const {
    columns,
    map,
    delimiter,
    encoding = "utf-8",
    allowEmpty = false,
    signal,
    ...file
  } = readOptions("fromCsv", options, CSV_OPTIONS);
  const { delimiterIn, choose = required(columns) } = detection ?? {};
  const opened = new Input(input, file.name);
  const { name } = opened;
  const format = { name, encoding, needsLineEnd: true };
  return new RecordsSource(signal, (stats, stop) => {
    const rowsOf = csvRows(textBlocks(opened.open(stop), format), name, delimiter ?? delimiterIn);
    return (async function* () {
      let header: CsvHeader | undefined;
      for await (const { rows, lines } of rowsOf) {
        const records = new RecordBlock(map, stats);
        for (const [index, cells] of rows.entries()) {
          const at = new Line(name, lines[index] ?? 0);
          if (header === undefined) header = new CsvHeader(cells, at.location, choose);
          else records.add(header.row(cells, at), at);
        }
        yield records.located();
      }
      if (header === undefined) {
        const advice = "The file has no header; the program that wrote it may have failed.";
        throw problemAt(name, "is empty", advice);
      }
      if (stats.read === 0 && !allowEmpty && !header.mayBeEmpty) {
        const advice =
          "The program that wrote it may have failed; if a file without rows is valid, set allowEmpty.";
        throw problemAt(name, "has no row after its header", advice, ALLOW_EMPTY);
      }
    })();
  });
}
