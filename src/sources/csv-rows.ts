/** Text -> rows of cells, by Papa Parse, with the line on which each row begins. */
import Papa from "papaparse";
import { InvalidInputError } from "../core/errors/index.js";
import { countIn } from "./count-in.js";
import { RawRows } from "./csv-raw-rows.js";
import { problemAt } from "./problem.js";
import { MAX_LINE_BYTES, type TextBlock, tooLong } from "./text.js";

const BYTE_ORDER_MARK = "\ufeff";

/** Rows, and the line on which each of them begins. */
export interface CsvRows {
  readonly rows: readonly (readonly string[])[];
  readonly lines: readonly number[];
}

/** What a quoted cell without an end would otherwise collect: the whole file. */
const MAX_ROW_CHARACTERS = MAX_LINE_BYTES;

/**
 * Parses whole lines to whole rows: a row goes on over several lines where a quoted cell holds line breaks.
 * @throws {InvalidInputError} quotes that do not match, or a zero character
 */
export async function* csvRows(
  blocks: AsyncIterable<TextBlock>,
  name: string,
  delimiter: string,
): AsyncGenerator<CsvRows, void, undefined> {
  let text = "";
  let line = 1;
  let enough = 0;
  for await (const block of blocks) {
    refuseZeros(block, name);
    text += block.text;
    // A row that is longer than a block is not parsed again for each block that it goes on in.
    if (text.length < enough) continue;
    const parsed = parse(text, line, name, delimiter);
    yield parsed;
    line = parsed.nextLine;
    text = parsed.rest;
    enough = text.length * 2;
    if (text.length > MAX_ROW_CHARACTERS) throw tooLong(`${name}:${line}`, MAX_ROW_CHARACTERS);
  }
  const last = parse(text, line, name, delimiter);
  yield last;
  if (last.rest !== "") {
    throw problemAt(
      `${name}:${last.nextLine}`,
      "begins a row with a quoted cell that is not closed before the end",
      "The file may be truncated.",
    );
  }
}

/** A writer that failed may leave zeros where rows should be: without a line end they pass for a header. */
function refuseZeros(block: TextBlock, name: string): void {
  const at = block.text.indexOf("\0");
  if (at < 0) return;
  throw problemAt(
    `${name}:${block.line + countIn(block.text.slice(0, at), "\n")}`,
    "holds a zero character",
    'The file may be damaged, or be in UTF-16: then say encoding: "utf-16le".',
  );
}

interface ParsedText extends CsvRows {
  /** The beginning of a row that goes on. */
  readonly rest: string;
  /** The line on which it begins. */
  readonly nextLine: number;
}

function parse(text: string, firstLine: number, name: string, delimiter: string): ParsedText {
  // A mark within the file is a character like others, but Papa Parse takes one off the beginning of each text.
  const kept = text.startsWith(BYTE_ORDER_MARK) ? `${BYTE_ORDER_MARK}${text}` : text;
  // With \n as the line end, \r\n works too, and both within one file: the \r is taken off below.
  const { data, errors } = Papa.parse<string[]>(kept, { delimiter, newline: "\n" });
  const broken = errors.find((error) => error.code !== "MissingQuotes");
  const goesOn = broken === undefined && errors.length > 0;
  const whole = goesOn ? data.length - 1 : data.length;
  // Of rows that take one line each there are as many as line feeds, and the empty one after the last.
  const lineFeeds = countIn(text, "\n");
  const tall = lineFeeds !== data.length - 1;
  const rows: string[][] = [];
  const lines: number[] = [];
  const raw = new RawRows(text, delimiter);
  let line = firstLine;
  for (const [index, cells] of data.entries()) {
    if (index === broken?.row) {
      const problem = "begins a row with a quoted cell that goes on after its closing quote";
      throw problemAt(`${name}:${line}`, problem, "Quotes within a quoted cell are doubled.");
    }
    if (index === whole) break;
    const height = tall ? heightOf(cells) : 1;
    const row = raw.next(height);
    const last = cells.length - 1;
    const cell = cells[last];
    if (cell?.endsWith("\r") === true && !row.endsQuoted) cells[last] = cell.slice(0, -1);
    if (row.hasLineEndWithin) {
      throw problemAt(
        `${name}:${line}`,
        "has line ends of one \\r",
        "Save the file with \\n or \\r\\n between its lines; a cell that holds a \\r must be quoted.",
      );
    }
    if (cells.length > 1 || cells[0] !== "" || row.endsQuoted) {
      rows.push(cells);
      lines.push(line);
    }
    line += height;
  }
  if (!goesOn) return { rows, lines, rest: "", nextLine: firstLine + lineFeeds };
  return { rows, lines, rest: fromLine(text, line - firstLine), nextLine: line };
}

function heightOf(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + countIn(cell, "\n"), 1);
}

/** The text after so many line ends. */
function fromLine(text: string, lines: number): string {
  let at = 0;
  for (let left = lines; left > 0; left -= 1) at = text.indexOf("\n", at) + 1;
  return text.slice(at);
}

/** @throws {InvalidInputError} not one character that can stand between cells */
export function checkDelimiter(delimiter: string): void {
  const given: unknown = delimiter;
  if (typeof given === "string" && given.length === 1 && !Papa.BAD_DELIMITERS.includes(given)) return;
  throw new InvalidInputError("delimiter must be one character, and no quote or line break.");
}
