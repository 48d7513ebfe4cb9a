import { Readable } from "node:stream";
import { InvalidInputError } from "../../core/errors/index.js";
import type { Collection } from "../collections.js";

/**
 * The records to write: an array, an iterable, an async iterable or a stream, of records or of arrays of records. In an
 * asynchronous source, arrays are much faster than single records.
 *
 * Records aren't copied, so don't change a record until its write has resolved. A generator that yields one record at a
 * time may refill the same object when it's asked for the next one. Getters of a record in an array may run twice.
 */
// Arrays come first, so that the compiler needs only one line to report a mistake in a literal.
export type RecordSource<R> = readonly R[] | Iterable<R | readonly R[]> | AsyncIterable<R | readonly R[]>;

/** Where to look in an array to see whether it has changed, in sevenths of its length. */
const LANDMARKS = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** Iterators that a write has begun to read. They're remembered because a consumed iterator looks empty. */
const begun = new WeakSet<object>();

export type OpenedSource =
  | {
      readonly kind: "sync";
      readonly iterator: Iterator<unknown>;
      /** The source itself, if it is an array. */
      readonly array?: readonly unknown[];
    }
  | {
      readonly kind: "async";
      readonly iterator: AsyncIterator<unknown>;
      /** Whether the source produces the next value while the current one is processed, as streams do. */
      readonly readsAhead: boolean;
      /** Ends a stream whose iterator is stuck in `next()`. */
      readonly destroy?: () => void;
    };

/**
 * Begins to read a source.
 * @throws {InvalidInputError} `source` isn't a source, contains bytes, is locked, or has already been read
 */
export function openSource(source: unknown, collection: Collection): OpenedSource {
  if (typeof source !== "object" || source === null) throw notASource(source, collection);
  const problem = problemOf(source);
  if (problem !== undefined) throw new InvalidInputError(`The source of ${collection} is ${problem}`);
  const opened = openIterator(source);
  if (opened === undefined) throw notASource(source, collection);
  if (begun.has(opened.iterator)) {
    throw new InvalidInputError(
      `The source of ${collection} is an iterator that an earlier write has already consumed. Make a new one for each write.`,
    );
  }
  begun.add(opened.iterator);
  return opened;
}

/**
 * A consumed or destroyed stream would look like an empty collection, and completing the batch would remove every
 * record.
 */
function problemOf(source: object): string | undefined {
  if (source instanceof Readable || source instanceof ReadableStream) {
    if (wasRead(source)) return "a stream that has already been consumed. Make a new one for each write.";
    if (source instanceof ReadableStream && source.locked)
      return "a stream that is locked by another reader. Release the reader first.";
  }
  if (!isOfBytes(source)) return undefined;
  if (source instanceof Readable) source.on("error", () => {}).destroy();
  if (source instanceof ReadableStream) source.cancel().catch(() => {});
  return "bytes or text. Parse a file with fromCsv or fromJsonl, and a response with fromPages.";
}

function wasRead(stream: Readable | ReadableStream): boolean {
  // A stream that failed before it was read reports its own error.
  if (stream instanceof Readable) return stream.readableDidRead;
  return Reflect.apply(Readable.isDisturbed, Readable, [stream]) === true;
}

function isOfBytes(source: object): boolean {
  if (source instanceof Readable) return !source.readableObjectMode;
  if (!(source instanceof ReadableStream)) return ArrayBuffer.isView(source);
  try {
    // Only a byte stream supports readers that fill the caller's own buffer.
    source.getReader({ mode: "byob" }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

function openIterator(source: object): OpenedSource | undefined {
  if (source instanceof ReadableStream)
    return { kind: "async", iterator: readerOf(source), readsAhead: true };
  if (isAsyncIterable(source)) {
    const iterator = source[Symbol.asyncIterator]();
    if (!(source instanceof Readable)) return { kind: "async", iterator, readsAhead: false };
    return { kind: "async", iterator, readsAhead: true, destroy: () => void source.destroy() };
  }
  if (!isIterable(source)) return undefined;
  const iterator = source[Symbol.iterator]();
  // Takes an array as a whole: only the array knows its records' locations, and taking many records at once is faster.
  const isPlain = Array.isArray(source) && source[Symbol.iterator] === Array.prototype[Symbol.iterator];
  return isPlain ? { kind: "sync", iterator, array: source } : { kind: "sync", iterator };
}

/** The stream's own iterator would delay `return()` until the pending read has ended. */
function readerOf(stream: ReadableStream<unknown>): AsyncIterator<unknown> {
  const reader = stream.getReader();
  return {
    next: async () => {
      const step = await reader.read();
      if (step.done) reader.releaseLock();
      return step;
    },
    return: async () => {
      await reader.cancel();
      reader.releaseLock();
      return { done: true, value: undefined };
    },
  };
}

function isAsyncIterable(source: object): source is AsyncIterable<unknown> {
  return typeof Reflect.get(source, Symbol.asyncIterator) === "function";
}

function isIterable(source: object): source is Iterable<unknown> {
  return typeof Reflect.get(source, Symbol.iterator) === "function";
}

function notASource(source: unknown, collection: Collection): InvalidInputError {
  let advice = "Put a single record in an array.";
  if (typeof source === "function") advice = "Call the function and pass its result.";
  if (source instanceof Promise) advice = "Await the promise first.";
  return new InvalidInputError(
    `The source of ${collection} must be an array, an iterable, an async iterable or a ReadableStream of records. ${advice}`,
  );
}

/** Tells a source to stop. An error from the source's `return()` must not mask the original failure. */
export function closeSource(source: OpenedSource): void {
  try {
    Promise.resolve(source.iterator.return?.()).catch(() => {});
    if (source.kind === "async") source.destroy?.();
  } catch {
    // The write has already failed.
  }
}

/**
 * Remembers the entries of an array or a Set. If the entries change during the write, the source was still being
 * filled, or was cleared too early.
 * @returns a function that throws an {@link InvalidInputError} if the entries have changed since
 */
export function watchEntries(source: unknown): () => void {
  if (!Array.isArray(source) && !(source instanceof Set)) return () => {};
  const before = entriesOf(source);
  return () => {
    const now = entriesOf(source);
    if (now.count === before.count && now.some.every((entry, i) => entry === before.some[i])) return;
    const how =
      now.count === before.count
        ? "now has other entries"
        : `had ${before.count} entries and has ${now.count} now`;
    throw new InvalidInputError(
      `${Array.isArray(source) ? "An array" : "A Set"} of the source ${how}, so what was sent may be incomplete. Don't change it until the write has resolved, and start a new batch.`,
    );
  };
}

/** The number of entries, and some entries to compare: evenly spread ones of an array, the first of a Set. */
function entriesOf(source: readonly unknown[] | ReadonlySet<unknown>) {
  if (source instanceof Set) return { count: source.size, some: [source.values().next().value] };
  const array: readonly unknown[] = Array.isArray(source) ? source : [];
  const some = LANDMARKS.map((sevenths) => array[Math.round((sevenths * (array.length - 1)) / 7)]);
  return { count: array.length, some };
}

/** Waits, and then checks that the array being read hasn't changed. */
export async function unchanged(records: readonly unknown[], waits: Promise<void>): Promise<void> {
  const requireUnchanged = watchEntries(records);
  await waits;
  requireUnchanged();
}

/**
 * Repeats a step. The step runs as long as it can without waiting, then returns the promise to wait for.
 * @returns undefined if no step had to wait: an `await` per record would cost more than the record itself
 */
export function inSteps(step: () => Promise<void> | undefined): Promise<void> | undefined {
  const waits = step();
  return waits === undefined ? undefined : continueSteps(waits, step);
}

async function continueSteps(first: Promise<void>, step: () => Promise<void> | undefined): Promise<void> {
  for (let waits: Promise<void> | undefined = first; waits !== undefined; waits = step()) await waits;
}
