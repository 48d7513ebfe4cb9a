import type { RecordPlace } from "./file-records.js";
import { problemAt } from "./problem.js";

/** The first row of a CSV file: which cell of a row belongs to which column. */
export class CsvHeader {
  readonly #width: number;
  /** The columns that are read, each with its position. */
  readonly #columns: readonly (readonly [string, number])[];
  /** Copied for each row: all rows then have one shape, and `__proto__` is a heading like any other. */
  readonly #template: Readonly<Record<string, string>>;

  /**
   * The header's own cells are never shown: where a file has none, they are the first record's.
   * @throws {InvalidInputError} a column is missing, unnamed, or there twice
   */
  constructor(cells: readonly string[], columns: readonly string[] | undefined, location: string) {
    const headings = cells.map((cell) => cell.trim());
    const found = new Map<string, number>();
    for (const [position, heading] of headings.entries()) {
      const wanted = columns?.includes(heading) ?? true;
      if (heading === "" && columns === undefined) {
        throw problemAt(
          location,
          `has no heading in column ${position + 1}`,
          "Name the columns to read in columns.",
        );
      }
      const before = found.get(heading);
      if (before !== undefined && wanted) {
        throw problemAt(location, `has the same heading in columns ${before + 1} and ${position + 1}`);
      }
      found.set(heading, position);
    }
    this.#width = headings.length;
    const read = [...new Set(columns ?? headings)];
    const missing = read.filter((column) => !found.has(column));
    if (missing.length > 0) {
      const list = missing.map((column) => JSON.stringify(column)).join(", ");
      throw problemAt(
        location,
        `is not a header with the columns ${list}`,
        "Is it the right file and delimiter?",
      );
    }
    this.#columns = read.map((column) => [column, found.get(column) ?? 0]);
    this.#template = Object.fromEntries(read.map((column) => [column, ""]));
  }

  /**
   * The cells of a row by their columns.
   * @throws {InvalidInputError} too few or too many cells
   */
  row(cells: readonly string[], place: RecordPlace): Record<string, string> {
    if (cells.length !== this.#width) {
      const problem = `has ${cells.length} cells, but the header has ${this.#width}`;
      throw problemAt(
        place.location,
        problem,
        "A cell that holds the delimiter must be quoted; a short row may be cut off.",
      );
    }
    const row = { ...this.#template };
    for (const [column, position] of this.#columns) row[column] = cells[position] ?? "";
    return row;
  }
}
