import { type DayFormat, parseDay, parseMoment } from "./dates.js";

/** What a cell with a moment is expected to hold. */
const MOMENT = "a date and time with an offset, such as 2026-03-31T08:00:00+02:00";

/** A row, or a cell of it, that cannot be read. The message tells the place and never the content. */
export class CsvRowError extends Error {
  override readonly name = "CsvRowError";

  /**
   * @param file Name of the file.
   * @param line Line on which the row begins, from 1.
   * @param problem Continues a sentence about the line: `has 3 cells, but the heading has 4`.
   */
  constructor(
    readonly file: string,
    readonly line: number,
    problem: string,
  ) {
    super(`${file}: line ${line} ${problem}.`);
  }
}

/**
 * A row of a CSV file. Cells are read by their column's heading; white space around them does not count, and an empty
 * cell is `undefined`.
 */
export class CsvRow<Column extends string> {
  constructor(
    private readonly file: string,
    private readonly line: number,
    private readonly positions: ReadonlyMap<Column, number>,
    private readonly cells: readonly string[],
  ) {}

  text(column: Column): string | undefined {
    const position = this.positions.get(column);
    const cell = position === undefined ? undefined : this.cells[position]?.trim();
    return cell === "" ? undefined : cell;
  }

  /** @throws CsvRowError where the cell is empty. */
  required(column: Column): string {
    return this.text(column) ?? this.#fail(column, "a value");
  }

  /**
   * An e-mail address in lower case. Each console keeps it as somebody typed it, and it is what an account and its
   * employee have in common.
   */
  address(column: Column): string | undefined {
    return this.text(column)?.toLowerCase();
  }

  /** The parts of a cell that holds several values; `undefined` where there is none. */
  list(column: Column, separator: string | RegExp): string[] | undefined {
    const parts = this.text(column)
      ?.split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== "");
    return parts?.length === 0 ? undefined : parts;
  }

  /**
   * @param yes The word for true.
   * @param no The word for false.
   * @throws CsvRowError where the cell holds another word.
   */
  flag(column: Column, yes: string, no: string): boolean | undefined {
    const word = this.text(column);
    if (word === undefined) return undefined;
    if (word !== yes && word !== no) this.#fail(column, `"${yes}" or "${no}"`);
    return word === yes;
  }

  /** As `flag`. @throws CsvRowError where the cell is empty, too. */
  requiredFlag(column: Column, yes: string, no: string): boolean {
    return this.flag(column, yes, no) ?? this.#fail(column, `"${yes}" or "${no}"`);
  }

  /** @throws CsvRowError where the cell holds anything but a whole number, 0 or more. */
  count(column: Column): number | undefined {
    const digits = this.text(column);
    if (digits === undefined) return undefined;
    return /^\d{1,9}$/.test(digits) ? Number(digits) : this.#fail(column, "a whole number");
  }

  /**
   * A calendar day, as YYYY-MM-DD.
   *
   * @throws CsvRowError where the cell holds no day of the calendar in one of the formats.
   */
  day(column: Column, ...formats: readonly DayFormat[]): string | undefined {
    const text = this.text(column);
    if (text === undefined) return undefined;
    return parseDay(text, formats) ?? this.#fail(column, `a day as ${formats.join(" or ")}`);
  }

  /** As `moment`. @throws CsvRowError where the cell is empty, too. */
  requiredMoment(column: Column): Date {
    return this.moment(column) ?? this.#fail(column, MOMENT);
  }

  /** @throws CsvRowError where the cell holds no moment as ISO 8601 with an offset. */
  moment(column: Column): Date | undefined {
    const text = this.text(column);
    if (text === undefined) return undefined;
    return parseMoment(text) ?? this.#fail(column, MOMENT);
  }

  /** An error about this row, for a mapping that knows more than the row. */
  error(problem: string): CsvRowError {
    return new CsvRowError(this.file, this.line, problem);
  }

  #fail(column: Column, expected: string): never {
    throw this.error(`should have ${expected} in the column "${column}"`);
  }
}
