import { LOCATE, type LocatedRecords } from "../core/record-location.js";
import type { MutableFigures } from "./file-records.js";

/** Gathers the records of one block of lines, or of one page, and counts along. */
export class GatheredRecords<R> {
  readonly #figures: MutableFigures;
  readonly #locationOf: (number: number) => string;
  readonly #records: R[] = [];
  /** Number of each record's line or item: locations are put together only where they are asked for. */
  readonly #numbers: number[] = [];

  /** @param locationOf Place of the line or item with this number, as errors name it. */
  constructor(figures: MutableFigures, locationOf: (number: number) => string) {
    this.#figures = figures;
    this.#locationOf = locationOf;
  }

  /** Takes in what `map` made of the line or item with this number: undefined leaves it out. */
  add(record: R | undefined, number: number): void {
    this.#figures.read += 1;
    if (record === undefined) {
      this.#figures.leftOut += 1;
      return;
    }
    this.#records.push(record);
    this.#numbers.push(number);
  }

  /** The records, in an array that tells where each of them comes from. */
  located(): LocatedRecords<R> {
    const locate = (position: number) => this.#locationOf(this.#numbers[position] ?? 0);
    return Object.assign(this.#records, { [LOCATE]: locate });
  }
}
