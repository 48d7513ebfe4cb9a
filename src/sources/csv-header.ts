import type { InvalidInputError } from "../core/errors/index.js";
import { problemAt, type RecordLocation } from "./source.js";

/** The distinct headings of a file's first row, and the row's length. */
export interface Headings {
  readonly found: readonly string[];
  /** Makes an error about the row, but quotes no cells: in a file without a header, the first row is a record. */
  refuse(problem: string, advice?: string): InvalidInputError;
  readonly length: number;
}

/** Chooses the columns to read, or throws. Sets `mayBeEmpty` if the headings prove that the file is the right one. */
export type ChooseColumns = (headings: Headings) => {
  readonly columns: readonly string[];
  readonly mayBeEmpty?: boolean;
};

/** Chooses all given columns or, without any, every column of the file. */
export function required(columns: readonly string[] | undefined): ChooseColumns {
  return (headings) => {
    const missing = columns?.filter((column) => !headings.found.includes(column)) ?? [];
    if (columns === undefined || missing.length === 0) return { columns: columns ?? headings.found };
    const found = columns.filter((column) => headings.found.includes(column));
    throw refusedColumns(headings, missing, found);
  };
}

/** Distinguishes a wrong file from a file that lacks a column. */
export function refusedColumns(
  { refuse, length }: Headings,
  missing: readonly string[],
  found: readonly string[],
  advice = "Check the file and the delimiter.",
): InvalidInputError {
  const listed = (columns: readonly string[]) => columns.map((column) => JSON.stringify(column)).join(", ");
  return found.length === 0
    ? refuse(`has none of the columns ${listed(missing)}; the line is ${length} characters long`, advice)
    : refuse(`lacks the columns ${listed(missing)}; it has ${listed(found)}`, advice);
}

/** Knows from a file's first row which cell belongs to which column. */
export class CsvHeader {
  readonly mayBeEmpty: boolean;
  readonly #location: string;
  readonly #cells: readonly string[];
  readonly #columns: readonly (readonly [string, number])[];
  /** Headings that occur more than once. Reading such a column throws. */
  readonly #doubled: readonly string[];
  /** Copied for each row, so that the heading `__proto__` works like any other. */
  readonly #template: Readonly<Record<string, string>>;

  /** @throws {InvalidInputError} a column is missing */
  constructor(cells: readonly string[], location: string, choose: ChooseColumns) {
    const headings = cells.map((cell) => cell.trim());
    const found = [...new Set(headings)].filter((heading) => heading !== "");
    const length = cells.join(",").length;
    const refuse = (problem: string, advice?: string) => problemAt(location, problem, advice);
    const { columns, mayBeEmpty = false } = choose({ found, refuse, length });
    const read = [...new Set(columns)];
    const isDoubled = (column: string) => headings.indexOf(column) < headings.lastIndexOf(column);
    this.mayBeEmpty = mayBeEmpty;
    this.#location = location;
    this.#cells = headings;
    this.#doubled = read.filter(isDoubled);
    const single = read.filter((column) => !isDoubled(column));
    this.#columns = single.map((column) => [column, headings.indexOf(column)]);
    this.#template = Object.fromEntries(single.map((column) => [column, ""]));
  }

  row(cells: readonly string[], at: RecordLocation): Readonly<Record<string, string>> {
    const header = this.#cells;
    if (cells.length !== header.length) {
      const problem = `has ${cells.length} cells, but the header has ${header.length}`;
      const advice = "Quote a cell that contains the delimiter; a short last row may be truncated.";
      throw problemAt(at.location, problem, advice);
    }
    if (cells.every((cell, position) => cell.trim() === header[position])) {
      const advice = "If two files were joined, push them separately.";
      throw problemAt(at.location, "repeats the header", advice);
    }
    const row = { ...this.#template };
    for (const [column, position] of this.#columns) row[column] = cells[position] ?? "";
    for (const column of this.#doubled) {
      Object.defineProperty(row, column, { enumerable: true, get: () => this.#refuseDoubled(column) });
    }
    return row;
  }

  #refuseDoubled(column: string): never {
    const first = this.#cells.indexOf(column);
    const second = this.#cells.indexOf(column, first + 1);
    throw problemAt(this.#location, `has the same heading in columns ${first + 1} and ${second + 1}`);
  }
}
