import type { RecordPlace } from "./file-records.js";

/** A line of a file; its location is put together only where it is asked for. */
export class Line implements RecordPlace {
  readonly #name: string;
  readonly line: number;

  constructor(name: string, line: number) {
    this.#name = name;
    this.line = line;
  }

  get location(): string {
    return `${this.#name}:${this.line}`;
  }
}
