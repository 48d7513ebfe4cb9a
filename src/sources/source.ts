/** Code that all sources share: locations, counts, and the end of an iteration. */
import { follow, raceAbort } from "../core/abort.js";
import type { ErrorDetails } from "../core/errors/base.js";
import { InvalidInputError } from "../core/errors/index.js";
import { located } from "../core/record-location.js";
import { FUNCTION, type Rule } from "../core/validate.js";

/**
 * Yields arrays of records and knows where each record comes from: if a write rejects a record, the error names its
 * location.
 *
 * - You can iterate a file or a listing again, each time from the beginning.
 * - You can iterate a stream once. A second iteration throws, because it would look like an empty collection.
 * - An iteration that ends early closes the file or stream.
 */
export interface Source<R> extends AsyncIterable<readonly R[]> {
  /** How many rows, lines or items the latest iteration has read so far, and how many of them `map` skipped. */
  readonly stats: { readonly read: number; readonly skipped: number };
}

/** The place of a row, line or item; the second argument of `map`. Numbers start at 1. */
export interface RecordLocation {
  /** The location as shown in errors, such as `users.csv:1042` or `page 3, item 17`. */
  readonly location: string;
  /** The line on which the row or value begins. */
  readonly line?: number;
  /** Number of the page. */
  readonly page?: number;
  /** Number of the item within its page. */
  readonly item?: number;
}

/** Turns a row, value or item into a record; undefined skips it. */
export type MapRecord<Value, R> = (value: Value, at: RecordLocation) => R | undefined;

export interface SourceStats {
  read: number;
  skipped: number;
}

/** Starts to read; `signal` fires when the caller needs no more data. */
type Read<R> = (stats: SourceStats, signal: AbortSignal) => AsyncIterable<readonly R[]>;

export class RecordsSource<R> implements Source<R> {
  readonly #read: Read<R>;
  readonly #signal: AbortSignal | undefined;
  #stats: SourceStats = { read: 0, skipped: 0 };

  constructor(signal: AbortSignal | undefined, read: Read<R>) {
    this.#signal = signal;
    this.#read = read;
  }

  get stats(): SourceStats {
    return { ...this.#stats };
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly R[], void, undefined> {
    const stats = { read: 0, skipped: 0 };
    const stop = new AbortController();
    const records = untilStopped(this.#read(stats, stop.signal), stop, this.#signal);
    this.#stats = stats;
    return {
      next: () => raceAbort(records.next(), this.#signal),
      return: () => {
        // Abort first, because a generator returns only after the chunk or page that it's waiting for.
        stop.abort();
        return records.return();
      },
    };
  }
}

async function* untilStopped<R>(
  blocks: AsyncIterable<readonly R[]>,
  stop: AbortController,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly R[], void, undefined> {
  const unlink = signal === undefined ? undefined : follow(signal, stop);
  try {
    stop.signal.throwIfAborted();
    for await (const records of blocks) {
      stop.signal.throwIfAborted();
      if (records.length > 0) yield records;
    }
    // A stream that ended because the signal fired isn't complete.
    stop.signal.throwIfAborted();
  } finally {
    unlink?.();
    stop.abort();
  }
}

export class RecordBlock<Value, R> {
  readonly #map: MapRecord<Value, R>;
  readonly #stats: SourceStats;
  readonly #records: R[] = [];
  readonly #locations: RecordLocation[] = [];

  constructor(map: MapRecord<Value, R>, stats: SourceStats) {
    this.#map = map;
    this.#stats = stats;
  }

  add(value: Value, at: RecordLocation): void {
    this.#stats.read += 1;
    const record = this.#map(value, at);
    if (record === undefined) {
      this.#stats.skipped += 1;
      return;
    }
    this.#records.push(record);
    this.#locations.push(at);
  }

  located(): readonly R[] {
    return located(this.#records, (index) => this.#locations[index]?.location ?? "");
  }
}

/** A line of a file. The location is a getter because few records need it. */
export class Line implements RecordLocation {
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

export const MAP: Rule = { ...FUNCTION, expected: "a function that returns a record, or undefined to skip" };

/**
 * An error about one location of a source.
 * @param location such as `users.csv:1042`
 * @param problem the rest of a sentence that starts with the location, such as `has 3 cells, but the header has 4`
 * @param advice what to do, as a sentence
 * @param details whether another read may succeed, and the option that the advice names
 */
export function problemAt(
  location: string,
  problem: string,
  advice = "",
  details: Pick<ErrorDetails, "retryable" | "advice"> = {},
): InvalidInputError {
  return new InvalidInputError(`${location} ${problem}. ${advice}`.trim(), {
    ...details,
    issues: [{ location, path: "", expected: problem }],
  });
}

export const ALLOW_EMPTY = { advice: { option: "allowEmpty", text: "set allowEmpty" } };
