import { InvalidInputError } from "../errors.js";
import type { CollectionName } from "./collections.js";

/**
 * Where the records of a write come from: an array, an iterable, an async iterable or a stream, of records or of
 * arrays of records. Arrays of records are much faster than single ones where the source is asynchronous.
 */
export type RecordSource<R> = Iterable<R | readonly R[]> | AsyncIterable<R | readonly R[]>;

/** One-shot iterators that a write has begun to read: read again, they would look like an empty source. */
const begun = new WeakSet<object>();

/** The iterator of a source, of either kind. */
export type SourceIterator =
  | { readonly kind: "sync"; readonly iterator: Iterator<unknown> }
  | { readonly kind: "async"; readonly iterator: AsyncIterator<unknown> };

/**
 * Begins to read a source.
 * @throws {InvalidInputError} it is no source, or a one-shot iterator that was begun before
 */
export function openSource(source: unknown, collection: CollectionName): SourceIterator {
  if (typeof source !== "object" || source === null) throw notASource(source, collection);
  const opened = openIterator(source, collection);
  // An iterator that is its own iterable can be read only once; what it held is gone after that.
  if (opened.iterator === source) {
    if (begun.has(source)) {
      throw new InvalidInputError(
        `The source of ${collection} is an iterator that an earlier write has read: it is exhausted, and would be taken for an empty collection. Make a new one for each write.`,
      );
    }
    begun.add(source);
  }
  return opened;
}

function openIterator(source: object, collection: CollectionName): SourceIterator {
  if (isAsyncIterable(source)) return { kind: "async", iterator: source[Symbol.asyncIterator]() };
  if (isIterable(source)) return { kind: "sync", iterator: source[Symbol.iterator]() };
  throw notASource(source, collection);
}

function isAsyncIterable(source: object): source is AsyncIterable<unknown> {
  return typeof Reflect.get(source, Symbol.asyncIterator) === "function";
}

function isIterable(source: object): source is Iterable<unknown> {
  return typeof Reflect.get(source, Symbol.iterator) === "function";
}

function notASource(source: unknown, collection: CollectionName): InvalidInputError {
  const advice =
    source instanceof Promise ? "This is a promise: await it first." : "Put a single record into an array.";
  return new InvalidInputError(
    `The source of ${collection} must be an array, an iterable, an async iterable or a ReadableStream of records. ${advice}`,
  );
}
