/** Records with their locations, and errors that name a location. */
import { InvalidInputError } from "../core/errors/index.js";
import { LOCATE, type LocatedRecords } from "../core/record-location.js";

/** What the latest iteration of a source has read. */
export interface SourceFigures {
  /** Rows, lines or items that were read. */
  readonly read: number;
  /** How many of them `map` left out by returning undefined. */
  readonly skipped: number;
}

export type MutableFigures = { -readonly [Key in keyof SourceFigures]: SourceFigures[Key] };

/** Collects the records of one block of lines, or of one page, and counts them. */
export class RecordBlock<R> {
  readonly #figures: MutableFigures;
  readonly #locationOf: (number: number) => string;
  readonly #records: R[] = [];
  readonly #numbers: number[] = [];

  /** @param locationOf Location of the line or item with this number; called only when an error needs it. */
  constructor(figures: MutableFigures, locationOf: (number: number) => string) {
    this.#figures = figures;
    this.#locationOf = locationOf;
  }

  /** Adds what `map` returned for the line or item with this number. */
  add(record: R | undefined, number: number): void {
    this.#figures.read += 1;
    if (record === undefined) {
      this.#figures.skipped += 1;
      return;
    }
    this.#records.push(record);
    this.#numbers.push(number);
  }

  located(): LocatedRecords<R> {
    const locate = (position: number) => this.#locationOf(this.#numbers[position] ?? 0);
    return Object.assign(this.#records, { [LOCATE]: locate });
  }
}

/**
 * An error about one location of a source.
 * @param location such as `users.csv:1042`
 * @param problem continues a sentence about the location: `has 3 cells, but the header has 4`
 * @param advice what to do, as a sentence
 */
export function problemAt(location: string, problem: string, advice?: string): InvalidInputError {
  return new InvalidInputError(`${location} ${problem}.${advice === undefined ? "" : ` ${advice}`}`, {
    issues: [{ location, path: "", expected: problem }],
  });
}
