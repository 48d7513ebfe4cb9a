import { stripVTControlCharacters } from "node:util";
import Papa from "papaparse";

/** How the cells of a column are aligned. */
export type Align = "left" | "right";

const GAP = "  ";
const MAX_CELL = 40;
const MIN_CELL = 6;
const UNKNOWN_WIDTH = 200;

/** Writes a table whose columns are as wide as the cells of its first rows. */
export class TableWriter {
  readonly #widths: readonly number[];
  readonly #aligns: readonly Align[];
  #head: readonly (readonly string[])[];

  /** @param width Columns of the terminal; the widest cells are cut until a row fits. */
  constructor(
    head: readonly string[],
    first: readonly (readonly string[])[],
    aligns: readonly Align[],
    width = UNKNOWN_WIDTH,
  ) {
    const widths = head.map((name, i) =>
      Math.min(MAX_CELL, Math.max(name.length, ...first.map((row) => widthOf(row[i] ?? "")))),
    );
    while (sum(widths) + GAP.length * (widths.length - 1) > width) {
      const widest = widths.indexOf(Math.max(...widths));
      if ((widths[widest] ?? 0) <= MIN_CELL) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
    this.#widths = widths;
    this.#aligns = aligns;
    this.#head = [head, widths.map((cell) => "─".repeat(cell))];
  }

  write(rows: readonly (readonly string[])[]): string {
    const all = [...this.#head, ...rows];
    this.#head = [];
    return all.map((row) => `${this.#line(row).trimEnd()}\n`).join("");
  }

  #line(row: readonly string[]): string {
    return this.#widths
      .map((width, i) => {
        const cell = cut(row[i] ?? "", width);
        const space = " ".repeat(Math.max(0, width - widthOf(cell)));
        return this.#aligns[i] === "right" ? space + cell : cell + space;
      })
      .join(GAP);
  }
}

/** Cells of values, without what would move the cursor of a terminal. */
export function cellsOf(values: readonly unknown[]): readonly string[] {
  return values.map((value) => stripVTControlCharacters(String(value ?? "")).replace(/\p{Cc}+/gu, " "));
}

/** Rows as CSV. A spreadsheet would run a cell that begins like a formula. */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  return `${Papa.unparse([...rows], { newline: "\n", escapeFormulae: true })}\n`;
}

function widthOf(text: string): number {
  return [...text].length;
}

function cut(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
