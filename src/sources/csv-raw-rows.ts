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
  readonly #quotedCell: RegExp;
  readonly #endOfQuoted: RegExp;
  readonly #matters: boolean;
  #at = 0;

  constructor(text: string, delimiter: string) {
    this.#text = text;
    const between = delimiter.replace(/\W/g, "\\$&");
    // A quote begins a quoted cell only where a cell begins.
    this.#quotedCell = new RegExp(`(^|${between})"(?:[^"]|"")*"`, "g");
    this.#endOfQuoted = new RegExp(`(^|${between})"\\s*$`);
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
    const unquoted = row.replaceAll(this.#quotedCell, '$1"');
    return { endsQuoted: this.#endOfQuoted.test(unquoted), hasLineEndWithin: /\r(?!$)/.test(unquoted) };
  }
}
