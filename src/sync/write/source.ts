import { Readable } from "node:stream";
import { InvalidInputError } from "../../core/errors/index.js";
import { describeType } from "../../core/validate.js";
import { wasRead } from "../../core/was-read.js";
import type { CollectionName } from "../collections.js";
import { checkHoldsRecords } from "./recordless-source.js";
import { readerOf } from "./web-stream.js";

/**
 * Where the records of a write come from: an array, an iterable, an async iterable or a stream, of records or of
 * arrays of records. Arrays of records are much faster than single ones where the source is asynchronous.
 *
 * A record that was handed over must stay as it is until its write has resolved: it is not copied. A generator that
 * gives one record at a time may fill the same object anew when it is asked for the next one.
 */
export type RecordSource<R> = Iterable<R | readonly R[]> | AsyncIterable<R | readonly R[]>;

/** Iterators that a write has begun to read: read again, they would look like an empty source. */
const begun = new WeakSet<object>();

/** What a source is read by. */
export type OpenedSource =
  | { readonly kind: "array"; readonly records: readonly unknown[] }
  | { readonly kind: "sync"; readonly iterator: Iterator<unknown> }
  | {
      readonly kind: "async";
      readonly iterator: AsyncIterator<unknown>;
      /** Whether it is a stream: those make the next chunk while one is taken in. */
      readonly readsAhead: boolean;
      /** Ends a stream whose iterator answers only when its stream does. */
      readonly destroy?: () => void;
    };

/**
 * Begins to read a source.
 * @throws {InvalidInputError} it is no source, one that never holds records, a stream that is locked or was read, or a
 *   one-shot iterator that was begun before
 */
export function openSource(source: unknown, collection: CollectionName): OpenedSource {
  if (typeof source !== "object" || source === null) throw notASource(source, collection);
  if (wasRead(source)) {
    throw new InvalidInputError(
      `The source of ${collection} is a stream that somebody has read from: what was read is gone, and an exhausted one would be taken for an empty collection. Make a new one for each write.`,
    );
  }
  if (source instanceof ReadableStream && source.locked) {
    throw new InvalidInputError(
      `The source of ${collection} is a stream that is locked: somebody else reads it. Release its reader, or make a new stream for each write.`,
    );
  }
  checkHoldsRecords(source, collection);
  const opened = openIterator(source, collection);
  if (opened.kind === "array") return opened;
  // An iterable that hands out the same iterator again can be read only once; what it held is gone after that.
  if (begun.has(opened.iterator)) {
    throw new InvalidInputError(
      `The source of ${collection} is an iterator that an earlier write has read: it is exhausted, and would be taken for an empty collection. Make a new one for each write.`,
    );
  }
  begun.add(opened.iterator);
  return opened;
}

function openIterator(source: object, collection: CollectionName): OpenedSource {
  if (isPlainArray(source)) return { kind: "array", records: source };
  if (isAsyncIterable(source)) {
    if (isWebStream(source)) return { kind: "async", iterator: readerOf(source), readsAhead: true };
    const iterator: unknown = source[Symbol.asyncIterator]();
    if (!isIterator<AsyncIterator<unknown>>(iterator)) throw noIterator("asyncIterator", collection);
    if (!(source instanceof Readable)) return { kind: "async", iterator, readsAhead: false };
    return { kind: "async", iterator, readsAhead: true, destroy: () => void source.destroy() };
  }
  if (isIterable(source)) {
    const iterator: unknown = source[Symbol.iterator]();
    if (!isIterator<Iterator<unknown>>(iterator)) throw noIterator("iterator", collection);
    return { kind: "sync", iterator };
  }
  throw notASource(source, collection);
}

/** Whether an iterator would give what the array holds, and in its order: then none is needed. */
function isPlainArray(source: object): source is readonly unknown[] {
  return (
    Array.isArray(source) &&
    !isAsyncIterable(source) &&
    Reflect.get(source, Symbol.iterator) === Array.prototype.values
  );
}

function isWebStream(source: object): source is ReadableStream<unknown> {
  return source instanceof ReadableStream;
}

function isAsyncIterable(source: object): source is AsyncIterable<unknown> {
  return typeof Reflect.get(source, Symbol.asyncIterator) === "function";
}

function isIterable(source: object): source is Iterable<unknown> {
  return typeof Reflect.get(source, Symbol.iterator) === "function";
}

/** The types say so already; an iterable that was written without types may give anything. */
function isIterator<I extends Iterator<unknown> | AsyncIterator<unknown>>(iterator: unknown): iterator is I {
  return (
    typeof iterator === "object" && iterator !== null && typeof Reflect.get(iterator, "next") === "function"
  );
}

function noIterator(method: "asyncIterator" | "iterator", collection: CollectionName): InvalidInputError {
  return new InvalidInputError(
    `The source of ${collection} has a [Symbol.${method}]() that returns no iterator: an object with a method next() is one.`,
  );
}

/**
 * Checks what an iterator's `next()` gave.
 * @throws {InvalidInputError} it is no object, which says neither that there is a record nor that there are no more
 */
export function checkStep(step: unknown): void {
  if (typeof step === "object" && step !== null) return;
  throw new InvalidInputError(
    `The source has an iterator whose next() gave ${describeType(step)}: it must give an object with value or done.`,
  );
}

/**
 * Checks the last step of an iterator.
 * @throws {InvalidInputError} it holds something that looks like records, which nobody would write
 */
export function checkLastStep(step: IteratorResult<unknown>): void {
  const value: unknown = step.value;
  if (typeof value !== "object" || value === null) return;
  throw new InvalidInputError(
    "The source gave an object or an array together with done: true, as a generator does that returns its last records. What is returned is not written: yield it, and start a new batch.",
  );
}

function notASource(source: unknown, collection: CollectionName): InvalidInputError {
  return new InvalidInputError(
    `The source of ${collection} must be an array, an iterable, an async iterable or a ReadableStream of records. ${adviceFor(source)}`,
  );
}

function adviceFor(source: unknown): string {
  if (typeof source === "function" && !isClass(source))
    return "This is a function: call it, and give what it returns.";
  if (source instanceof Promise) return "This is a promise: await it first.";
  return "Put a single record into an array.";
}

/** Whether it cannot be called without `new`. */
function isClass(source: object): boolean {
  return Function.prototype.toString.call(source).startsWith("class");
}
