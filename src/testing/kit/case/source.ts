import { Readable } from "node:stream";
import type { Collection } from "../../../sync/collections.js";
import { enterVirtualTime } from "../time/context.js";
import type { Passage } from "./passage.js";

/** Iterators of the connector and what they became: the SDK refuses one that is written twice. */
const known = new WeakMap<object, AsyncIterator<unknown>>();

/**
 * The source that the SDK reads in place of the connector's: code of the connector runs in its own time, records are
 * noted and struck. What the SDK refuses is passed on as it is.
 */
export function passedSource(collection: Collection, source: unknown, passage: Passage): unknown {
  if (typeof source !== "object" || source === null || isUnreadable(source)) return source;
  if (Array.isArray(source) && passage.fault === undefined) {
    passage.note(collection, recordsOf(source));
    return source;
  }
  if (source instanceof Readable) return Readable.from(asyncSource(collection, source, passage));
  if (source instanceof ReadableStream) {
    return Readable.toWeb(Readable.from(asyncSource(collection, source, passage)));
  }
  return isAsyncIterable(source) || isIterable(source) ? asyncSource(collection, source, passage) : source;
}

/** Streams of bytes, and those that were read or are locked. */
function isUnreadable(source: object): boolean {
  if (source instanceof Readable) return source.readableDidRead || !source.readableObjectMode;
  return ArrayBuffer.isView(source) || (source instanceof ReadableStream && source.locked);
}

function isIterable(source: object): source is Iterable<unknown> {
  return Symbol.iterator in source;
}

function isAsyncIterable(source: object): source is AsyncIterable<unknown> {
  return Symbol.asyncIterator in source;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

function asyncSource(collection: Collection, source: object, passage: Passage): AsyncIterable<unknown> {
  const open = () => {
    const iterator = enterVirtualTime(passage.time, () => iteratorOf(source));
    const passed = known.get(iterator) ?? passedAsyncIterator(collection, iterator, passage);
    known.set(iterator, passed);
    return passed;
  };
  return { [Symbol.asyncIterator]: open };
}

function iteratorOf(source: object): AsyncIterator<unknown> | Iterator<unknown> {
  if (isAsyncIterable(source)) return source[Symbol.asyncIterator]();
  if (isIterable(source)) return source[Symbol.iterator]();
  throw new TypeError("The source is not iterable.");
}

function passedAsyncIterator(
  collection: Collection,
  iterator: AsyncIterator<unknown> | Iterator<unknown>,
  passage: Passage,
): AsyncIterator<unknown> {
  let ended = false;
  const next = async (): Promise<IteratorResult<unknown>> => {
    if (ended) return DONE;
    try {
      return await read();
    } catch (error) {
      // A source that the fault lets fail would have cleaned up.
      await close().catch(() => {});
      throw error;
    }
  };
  const read = async (): Promise<IteratorResult<unknown>> => {
    const step = await passage.pull(() => iterator.next());
    if (step.done !== true) {
      const records = recordsOf(step.value);
      const passed = await passage.pull(() => passage.pass(collection, records));
      return passed === records ? step : { done: false, value: passed };
    }
    ended = true;
    const added = await passage.end(collection);
    return added.length === 0 ? step : { done: false, value: added };
  };
  const close = async (): Promise<IteratorResult<unknown>> => {
    ended = true;
    await passage.pull(() => iterator.return?.());
    return DONE;
  };
  return { next, return: close };
}

/** The records of what a source gave: one record or an array of them. */
export function recordsOf(value: unknown): readonly object[] {
  const values: readonly unknown[] = Array.isArray(value) ? value.flat() : [value];
  return values.filter((record) => typeof record === "object" && record !== null);
}
