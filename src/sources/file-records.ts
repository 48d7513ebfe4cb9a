import { checkSignal, raceAbort } from "../core/abort.js";
import type { LocatedRecords } from "../core/record-location.js";
import type { KeysOf } from "../core/validate.js";
import type { Input } from "./file-input.js";
import type { MutableFigures, SourceFigures } from "./located-records.js";

/** Where a row or line begins; the second argument of `map`. */
export interface RecordLocation {
  /** Number of the line, from 1. */
  readonly line: number;
  /** The location as errors name it, such as `users.csv:1042`. */
  readonly location: string;
}

/** Options of every file source. */
export interface FileOptions {
  /** The file's name in locations. @default the file's base name; `stream` for a stream */
  readonly name?: string | undefined;
  /** Ends the iteration, which then throws the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

export const FILE_KEYS = { name: true, signal: true } satisfies KeysOf<FileOptions>;

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

/** Reads chunks to their end and counts the records. */
export type ReadRecords<R> = (
  chunks: AsyncIterable<Uint8Array | string>,
  figures: MutableFigures,
) => AsyncIterable<LocatedRecords<R>>;

/**
 * The records of a file, in arrays that know the location of each record.
 *
 * - A file can be iterated again, each time from the beginning, as the restart of a run needs.
 * - A stream can be iterated once. A second iteration throws, because it would look like an empty collection.
 * - An iteration that ends early closes the file.
 */
export class FileRecords<R> implements AsyncIterable<LocatedRecords<R>> {
  readonly #input: Input;
  readonly #read: ReadRecords<R>;
  readonly #signal: AbortSignal | undefined;
  #figures: SourceFigures = { read: 0, skipped: 0 };

  /** @internal */
  constructor(input: Input, signal: AbortSignal | undefined, read: ReadRecords<R>) {
    checkSignal(signal);
    this.#input = input;
    this.#signal = signal;
    this.#read = read;
  }

  /** What the latest iteration has read so far. */
  get stats(): SourceFigures {
    return { ...this.#figures };
  }

  /** Starts from the beginning. @throws {InvalidInputError} the stream was already read */
  [Symbol.asyncIterator](): AsyncIterator<LocatedRecords<R>, void, undefined> {
    const { chunks, close: closeInput } = this.#input.open();
    const figures = { read: 0, skipped: 0 };
    this.#figures = figures;
    const signal = this.#signal;
    const records = nonEmpty(this.#read(chunks, figures), signal);
    const close = () => {
      // First, because a generator returns only when its stream has given the chunk that it owes.
      closeInput();
      return records.return();
    };
    if (signal === undefined) return { next: () => records.next(), return: close };
    const next = async () => {
      try {
        return await raceAbort(records.next(), signal);
      } catch (error) {
        if (signal.aborted) close().catch(() => {});
        throw error;
      }
    };
    return { next, return: close };
  }
}

async function* nonEmpty<R>(
  blocks: AsyncIterable<LocatedRecords<R>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<LocatedRecords<R>, void, undefined> {
  signal?.throwIfAborted();
  for await (const records of blocks) {
    signal?.throwIfAborted();
    if (records.length > 0) yield records;
  }
  // A stream that ended because the signal fired is not complete.
  signal?.throwIfAborted();
}
