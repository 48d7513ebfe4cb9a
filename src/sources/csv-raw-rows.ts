/** What the cells of a row do not tell: whether they were quoted. */

/** What the text of a row tells. */
export interface RawRow {
  /** Whether its last cell is quoted: a `\r` at the end of it is its own then, and an empty one is no empty line. */
  readonly endsQuoted: boolean;
  /** Whether there is a `\r` outside of quotes that no line feed follows: to other programs the row ends there. */
  readonly hasLineEndWithin: boolean;
}

/** What nearly all rows are. */
const PLAIN: RawRow = { endsQuoted: false, hasLineEndWithin: false };

/** The rows of a text that has been parsed, one after the other. The text is cut only where it may matter. */
export class RawRows {
  readonly #text: string;
  readonly #delimiter: string;
  readonly #matters: boolean;
  #at = 0;

  constructor(text: string, delimiter: string) {
    this.#text = text;
    this.#delimiter = delimiter;
    this.#matters = /""|\r(?!\n)/.test(text);
  }

  /** The next row, which takes so many lines. */
  next(height: number): RawRow {
    if (!this.#matters) return PLAIN;
    const start = this.#at;
    let end = start;
    for (let left = height; left > 0; left -= 1) {
      const lineFeed = this.#text.indexOf("\n", end);
      end = lineFeed < 0 ? this.#text.length + 1 : lineFeed + 1;
    }
    this.#at = end;
    const row = this.#text.slice(start, end - 1);
    const line = row.endsWith("\r") ? row.slice(0, -1) : row;
    if (!line.includes("\r") && !/^""\s*$/.test(line)) return PLAIN;
    return rawRow(row, this.#delimiter);
  }
}

/** Cell by cell, without an expression: over a cell of many MiB that runs out of its stack. */
function rawRow(row: string, delimiter: string): RawRow {
  let hasLineEndWithin = false;
  let cell = 0;
  for (;;) {
    // A quote begins a quoted cell only where a cell begins.
    const endsQuoted = row[cell] === '"';
    const unquoted = endsQuoted ? afterQuotes(row, cell) : cell;
    const next = row.indexOf(delimiter, unquoted);
    const end = next < 0 ? row.length : next;
    const lineEnd = row.slice(unquoted, end).indexOf("\r");
    if (lineEnd >= 0 && unquoted + lineEnd < row.length - 1) hasLineEndWithin = true;
    if (next < 0) return { endsQuoted, hasLineEndWithin };
    cell = next + delimiter.length;
  }
}

/** The place after the closing quote of a quoted cell, in which quotes are doubled. */
function afterQuotes(row: string, cell: number): number {
  let quote = row.indexOf('"', cell + 1);
  while (quote >= 0 && row[quote + 1] === '"') quote = row.indexOf('"', quote + 2);
  return quote < 0 ? row.length : quote + 1;
}
