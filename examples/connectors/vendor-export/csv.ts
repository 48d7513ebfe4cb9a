import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { pipeline } from "node:stream";
import { fileURLToPath } from "node:url";
import { CsvError, parse } from "csv-parse";
import { CsvRow, CsvRowError } from "./row.js";

/** How a console writes one of its files. */
export interface CsvLayout<Column extends string> {
  /** The columns to read, by their headings. They may stand in any order, and others beside them. */
  readonly columns: readonly Column[];
  /** @default "," */
  readonly delimiter?: "," | ";";
  /** Number of title rows above the heading. @default 0 */
  readonly titleRows?: number;
}

/** Records go out in arrays, which cost the reader fewer steps than one at a time. */
const RECORDS_AT_ONCE = 500;

/**
 * Reads a CSV file as a stream and makes a record of each row that `toRecord` does not answer with `undefined`.
 *
 * @throws CsvRowError with file and line, where a row cannot be read: a snapshot that lacks a row would say that the
 *   row's account is gone, so nothing is skipped.
 */
export async function* readRecords<Column extends string, R>(
  file: URL,
  layout: CsvLayout<Column>,
  toRecord: (row: CsvRow<Column>) => R | undefined,
): AsyncGenerator<R[], void, undefined> {
  let records: R[] = [];
  for await (const row of readRows(file, layout)) {
    const record = toRecord(row);
    if (record !== undefined) records.push(record);
    if (records.length === RECORDS_AT_ONCE) {
      yield records;
      records = [];
    }
  }
  if (records.length > 0) yield records;
}

async function* readRows<Column extends string>(
  file: URL,
  { columns, delimiter = ",", titleRows = 0 }: CsvLayout<Column>,
): AsyncGenerator<CsvRow<Column>, void, undefined> {
  const name = basename(fileURLToPath(file));
  let positions: ReadonlyMap<Column, number> | undefined;
  let width = 0;
  let titlesLeft = titleRows;
  for await (const { line, cells } of parseRows(file, name, delimiter)) {
    if (cells.some((cell) => cell.includes("\uFFFD")))
      throw new CsvRowError(name, line, "is not valid UTF-8");
    if (titlesLeft > 0) {
      titlesLeft -= 1;
    } else if (positions === undefined) {
      positions = columnPositions(columns, cells, name, line);
      width = cells.length;
    } else if (cells.length !== width) {
      throw new CsvRowError(name, line, `has ${cells.length} cells, but the heading has ${width}`);
    } else {
      yield new CsvRow(name, line, positions, cells);
    }
  }
  if (positions === undefined) throw new CsvRowError(name, 1, "begins a file that has no heading");
}

interface ParsedRow {
  /** Line on which the row begins, from 1. */
  readonly line: number;
  /** Rows may differ in their number of cells: title rows do. */
  readonly cells: readonly string[];
}

async function* parseRows(
  file: URL,
  name: string,
  delimiter: string,
): AsyncGenerator<ParsedRow, void, undefined> {
  let line = 1;
  let lineToParse = 1;
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    on_record(cells) {
      lineToParse += height(cells);
      return cells;
    },
  });
  // An error of either stream ends the iteration of the parser, and a reader who stops early closes the file: the
  // callback has nothing left to do, but without it `pipeline` throws.
  const rows: AsyncIterable<string[]> = pipeline(createReadStream(file), parser, () => {});
  try {
    for await (const cells of rows) {
      yield { line, cells };
      line += height(cells);
    }
  } catch (error) {
    // The parser is ahead of the rows that came out of it, and its own message may quote the cell.
    if (error instanceof CsvError) {
      throw new CsvRowError(name, lineToParse, `is not valid CSV (${error.code})`);
    }
    throw error;
  }
}

/** Number of lines that a row takes up. The parser's own count takes a line break of Windows in a cell for two. */
function height(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n/g)?.length ?? 0), 1);
}

function columnPositions<Column extends string>(
  columns: readonly Column[],
  heading: readonly string[],
  file: string,
  line: number,
): ReadonlyMap<Column, number> {
  const headings = heading.map((cell) => cell.trim());
  const positions = columns.map((column) => {
    const position = headings.indexOf(column);
    if (position < 0)
      throw new CsvRowError(file, line, `should be the heading, but lacks the column "${column}"`);
    if (headings.indexOf(column, position + 1) >= 0) {
      throw new CsvRowError(file, line, `has two columns with the heading "${column}"`);
    }
    return [column, position] as const;
  });
  return new Map(positions);
}
