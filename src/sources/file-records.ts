import { checkSignal, raceAbort } from "../core/abort.js";
import type { LocatedRecords } from "../core/record-location.js";
import type { KeysOf } from "../core/validate.js";
import type { Input, OpenInput } from "./input.js";

/** What the latest reading of a source came across. */
export interface SourceFigures {
  /** Rows, lines or items that were read. */
  readonly read: number;
  /** Those of them that `map` left out by returning undefined. */
  readonly leftOut: number;
}

/** Figures while they are counted. */
export type MutableFigures = { -readonly [Key in keyof SourceFigures]: SourceFigures[Key] };

/** What `map` is told of where a row, line or item stands. */
export interface RecordPlace {
  /** Number of the line on which it begins, from 1. */
  readonly line: number;
  /** The place as errors name it, such as `users.csv:1042`: for an error of your own. */
  readonly location: string;
}

/** Options of every file source. */
export interface FileOptions {
  /** What places are named after. @default the file's base name; `stream` for a stream */
  readonly name?: string | undefined;
  /** Ends the reading, which then throws the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** The names of {@link FileOptions}. */
export const FILE_NAMES = { name: true, signal: true } satisfies KeysOf<FileOptions>;

/** Reads an opened input to its end and counts along. */
export type ReadRecords<R> = (input: OpenInput, figures: MutableFigures) => AsyncIterable<LocatedRecords<R>>;

/**
 * The records of a file, in arrays that know where each record comes from.
 *
 * - From a path it can be iterated again, each time from the beginning: what a run's restart needs.
 * - From a stream it can be iterated once; a second time throws, because it would look empty.
 * - An iteration that ends early closes the file.
 */
export class FileRecords<R> implements AsyncIterable<LocatedRecords<R>> {
  readonly #input: Input;
  readonly #read: ReadRecords<R>;
  readonly #signal: AbortSignal | undefined;
  #figures: SourceFigures = { read: 0, leftOut: 0 };

  /** @internal */
  constructor(input: Input, signal: AbortSignal | undefined, read: ReadRecords<R>) {
    checkSignal(signal);
    this.#input = input;
    this.#signal = signal;
    this.#read = read;
  }

  /** What the latest iteration has read so far. */
  get figures(): SourceFigures {
    return { ...this.#figures };
  }

  /** Begins to read, from the beginning. @throws {InvalidInputError} a stream was read before */
  [Symbol.asyncIterator](): AsyncIterator<LocatedRecords<R>, void, undefined> {
    const opened = this.#input.open();
    const figures = { read: 0, leftOut: 0 };
    this.#figures = figures;
    const signal = this.#signal;
    const records = wholeUnlessAborted(this.#read(opened, figures), signal);
    const close = () => {
      // A generator returns only when its stream has given what it owes: a stream that hangs would stay open.
      opened.close();
      return records.return();
    };
    return {
      next: signal === undefined ? () => records.next() : () => nextUnlessAborted(records, signal, close),
      return: close,
    };
  }
}

/** The next records; where the signal fires first, its reason, also while the file or the stream owes them. */
async function nextUnlessAborted<T>(
  records: AsyncIterator<T, void, undefined>,
  signal: AbortSignal,
  close: () => Promise<unknown>,
): Promise<IteratorResult<T, void>> {
  try {
    return await raceAbort(records.next(), signal);
  } catch (error) {
    // What comes of it is nothing to anybody now.
    if (signal.aborted) close().catch(() => {});
    throw error;
  }
}

async function* wholeUnlessAborted<R>(
  arrays: AsyncIterable<LocatedRecords<R>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<LocatedRecords<R>, void, undefined> {
  signal?.throwIfAborted();
  for await (const records of arrays) {
    signal?.throwIfAborted();
    if (records.length > 0) yield records;
  }
  // What ended quietly because the signal fired is not at its end.
  signal?.throwIfAborted();
}
