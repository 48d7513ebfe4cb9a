/** Parses text into rows of cells with Papa Parse, and adds what Papa Parse lacks: line numbers and checks. */
import Papa from "papaparse";
import { isText, type Rule } from "../core/validate.js";
import { countIn, MAX_LINE_BYTES, type TextBlock, tooLong } from "./lines.js";
import { problemAt } from "./source.js";

const BYTE_ORDER_MARK = "\ufeff";
const SEPARATOR_LINE = /^sep=([,;|\t])\r?\n/i;

export interface CsvRows {
  readonly rows: readonly (readonly string[])[];
  readonly lines: readonly number[];
}

/**
 * Parses blocks of whole lines. A row spans several lines if a quoted cell contains line breaks.
 * @param given The delimiter, or a function that finds it in the header. If undefined, Excel's line `sep=;` names the
 * delimiter, which is otherwise a comma.
 * @throws {InvalidInputError} quotes don't match
 */
export async function* csvRows(
  blocks: AsyncIterable<TextBlock>,
  name: string,
  given: string | ((header: string) => string) | undefined,
): AsyncGenerator<CsvRows, void, undefined> {
  let delimiter = ",";
  let text = "";
  let line = 1;
  let minLength = 0;
  for await (const block of blocks) {
    text += block.text;
    if (block.line === 1) {
      // Excel takes the delimiter from a first line such as "sep=;".
      const [own = "", separator] = SEPARATOR_LINE.exec(text) ?? [];
      delimiter = typeof given === "string" ? given : (separator ?? given?.(text) ?? delimiter);
      line = own === "" ? 1 : 2;
      text = text.slice(own.length);
    }
    // Parse an unfinished row again when its text has doubled, not for every block.
    if (text.length < minLength) continue;
    const parsed = parse(text, line, name, delimiter);
    yield parsed;
    line = parsed.nextLine;
    text = parsed.rest;
    minLength = text.length * 2;
    // Without this check, an unclosed quote would buffer the whole file.
    if (text.length > MAX_LINE_BYTES) throw tooLong(`${name}:${line}`);
  }
  const last = parse(text, line, name, delimiter);
  yield last;
  if (last.rest !== "") {
    const problem = "starts a row with a quoted cell that is not closed";
    throw problemAt(`${name}:${last.nextLine}`, problem, "The file may be truncated.");
  }
}

interface ParsedText extends CsvRows {
  /** The beginning of a row that continues in the next block. */
  readonly rest: string;
  readonly nextLine: number;
}

function parse(text: string, firstLine: number, name: string, delimiter: string): ParsedText {
  // Papa Parse removes a byte order mark from the start of every text, even within the file.
  const kept = text.startsWith(BYTE_ORDER_MARK) ? `${BYTE_ORDER_MARK}${text}` : text;
  // Splitting at \n also works for files that use or mix in \r\n. The \r is removed below.
  const { data, errors } = Papa.parse<string[]>(kept, { delimiter, newline: "\n" });
  const broken = errors.find((error) => error.code !== "MissingQuotes");
  const isCut = broken === undefined && errors.length > 0;
  const hasTallRows = countIn(text, "\n") !== data.length - 1;
  const needsQuoting = /""|\r(?!\n)/.test(text);
  const rows: string[][] = [];
  const lines: number[] = [];
  let line = firstLine;
  let start = 0;
  for (const [index, cells] of data.entries()) {
    if (index === broken?.row) {
      const problem = "starts a row with a quoted cell that continues after its closing quote";
      throw problemAt(`${name}:${line}`, problem, "Double the quotes inside a quoted cell.");
    }
    if (isCut && index === data.length - 1) return { rows, lines, rest: text.slice(start), nextLine: line };
    const height = hasTallRows ? heightOf(cells) : 1;
    const end = afterLines(text, start, height);
    const { endsQuoted, hasBareReturn } = needsQuoting
      ? quotingOf(text.slice(start, end - 1), delimiter)
      : UNQUOTED;
    if (hasBareReturn) {
      const advice = "Separate lines with \\n or \\r\\n; quote a cell that contains a \\r.";
      throw problemAt(`${name}:${line}`, "has line ends of \\r alone", advice);
    }
    const last = cells.length - 1;
    const cell = cells[last];
    if (cell?.endsWith("\r") === true && !endsQuoted) cells[last] = cell.slice(0, -1);
    if (cells.length > 1 || cells[0] !== "" || endsQuoted) {
      rows.push(cells);
      lines.push(line);
    }
    line += height;
    start = end;
  }
  return { rows, lines, rest: "", nextLine: firstLine + countIn(text, "\n") };
}

function heightOf(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + countIn(cell, "\n"), 1);
}

/** The position after the given number of lines, or one past the end of the text if the last line has no line feed. */
function afterLines(text: string, start: number, lines: number): number {
  let at = start;
  for (let left = lines; left > 0; left -= 1) at = text.indexOf("\n", at) + 1 || text.length + 1;
  return at;
}

interface Quoting {
  /** Whether the last cell is quoted. If so, it keeps a `\r` at its end, and a lone empty cell is a record. */
  readonly endsQuoted: boolean;
  /** Whether there's a `\r` without a `\n` outside quotes, where other programs would end the row. */
  readonly hasBareReturn: boolean;
}

const UNQUOTED: Quoting = { endsQuoted: false, hasBareReturn: false };

/** Doesn't use a regular expression, which would overflow the stack in a cell of many MiB. */
function quotingOf(row: string, delimiter: string): Quoting {
  let hasBareReturn = false;
  let cell = 0;
  for (;;) {
    const endsQuoted = row[cell] === '"';
    const unquoted = endsQuoted ? afterQuotes(row, cell) : cell;
    const next = row.indexOf(delimiter, unquoted);
    const end = next < 0 ? row.length : next;
    const bareReturn = row.slice(unquoted, end).indexOf("\r");
    if (bareReturn >= 0 && unquoted + bareReturn < row.length - 1) hasBareReturn = true;
    if (next < 0) return { endsQuoted, hasBareReturn };
    cell = next + delimiter.length;
  }
}

function afterQuotes(row: string, cell: number): number {
  let quote = row.indexOf('"', cell + 1);
  while (quote >= 0 && row[quote + 1] === '"') quote = row.indexOf('"', quote + 2);
  return quote < 0 ? row.length : quote + 1;
}

export const DELIMITER: Rule = {
  expected: "one character, and not a quote or line break",
  fits: (value) => isText(value) && value.length === 1 && !Papa.BAD_DELIMITERS.includes(value),
};
