import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { fromCsv, type RecordLocation, type Source } from "@saas-management/sdk/sources";
import { type DayFormat, parseDay, parseTimestamp } from "./dates.js";

/** How a console writes one of its files. */
export interface ExportFormat<Column extends string> {
  /** The headings of the columns to read. */
  readonly columns: readonly Column[];
  /** @default "," */
  readonly delimiter?: "," | ";";
  /** Number of title rows above the header. @default 0 */
  readonly titleRows?: number;
}

/**
 * Streams a CSV file and makes a record of each row; rows for which `toRecord` returns undefined are left out. A row
 * that cannot be read is an error: a snapshot without it would mark its record as removed.
 */
export function readRows<Column extends string, R>(
  file: URL,
  { columns, delimiter = ",", titleRows = 0 }: ExportFormat<Column>,
  toRecord: (row: Row<Column>) => R | undefined,
): Source<R> {
  return fromCsv(titleRows === 0 ? file : withoutTitle(file, titleRows), {
    columns,
    map: (cells, place) => toRecord(new Row(cells, place)),
    delimiter,
    name: basename(fileURLToPath(file)),
  });
}

/** Empties the title rows. `fromCsv` skips empty lines, and line numbers in errors stay correct. */
async function* withoutTitle(file: URL, titleRows: number): AsyncGenerator<string, void, undefined> {
  let titlesLeft = titleRows;
  for await (const chunk of createReadStream(file, { encoding: "utf8" })) {
    const text = String(chunk);
    let start = 0;
    while (titlesLeft > 0 && text.includes("\n", start)) {
      start = text.indexOf("\n", start) + 1;
      titlesLeft -= 1;
      yield "\n";
    }
    if (titlesLeft === 0) yield text.slice(start);
  }
}

const TIMESTAMP = "a timestamp with an offset, such as 2026-03-31T08:00:00+02:00";

/** A row whose cells are read by heading. Cells are trimmed, and an empty cell is undefined. */
export class Row<Column extends string> {
  constructor(
    private readonly cells: Readonly<Record<Column, string>>,
    private readonly at: RecordLocation,
  ) {}

  text(column: Column): string | undefined {
    return this.cells[column].trim() || undefined;
  }

  /** @throws Error empty cell */
  required(column: Column): string {
    return this.text(column) ?? this.#fail(column, "a value");
  }

  /** An e-mail address in lower case, because accounts and employees are matched by it. */
  email(column: Column): string | undefined {
    return this.text(column)?.toLowerCase();
  }

  /** The parts of a cell with several values; undefined if there are none. */
  list(column: Column, separator: string | RegExp): string[] | undefined {
    const parts = this.text(column)
      ?.split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== "");
    return parts?.length === 0 ? undefined : parts;
  }

  /** @throws Error any word other than `yes` and `no` */
  flag(column: Column, yes: string, no: string): boolean | undefined {
    return this.#parsed(column, `"${yes}" or "${no}"`, (word) =>
      word === yes ? true : word === no ? false : undefined,
    );
  }

  /** @throws Error an empty cell, or any other word */
  requiredFlag(column: Column, yes: string, no: string): boolean {
    return this.flag(column, yes, no) ?? this.#fail(column, `"${yes}" or "${no}"`);
  }

  /** @throws Error not an integer of at least 0 */
  count(column: Column): number | undefined {
    return this.#parsed(column, "an integer", (digits) =>
      /^\d{1,9}$/.test(digits) ? Number(digits) : undefined,
    );
  }

  /** A calendar day, as YYYY-MM-DD. @throws Error not a day in one of the formats */
  day(column: Column, ...formats: readonly DayFormat[]): string | undefined {
    return this.#parsed(column, `a day as ${formats.join(" or ")}`, (text) => parseDay(text, formats));
  }

  /** @throws Error not an ISO 8601 timestamp with an offset */
  timestamp(column: Column): Date | undefined {
    return this.#parsed(column, TIMESTAMP, parseTimestamp);
  }

  /** @throws Error an empty cell, or not an ISO 8601 timestamp with an offset */
  requiredTimestamp(column: Column): Date {
    return this.timestamp(column) ?? this.#fail(column, TIMESTAMP);
  }

  /** An error that names the row, such as `users.csv:17 …`. */
  error(problem: string): Error {
    return new Error(`${this.at.location} ${problem}.`);
  }

  #parsed<T>(column: Column, expected: string, parse: (text: string) => T | undefined): T | undefined {
    const text = this.text(column);
    return text === undefined ? undefined : (parse(text) ?? this.#fail(column, expected));
  }

  /** The cell itself may hold personal data, so the message does not show it. */
  #fail(column: Column, expected: string): never {
    throw this.error(`must have ${expected} in the column "${column}"`);
  }
}
