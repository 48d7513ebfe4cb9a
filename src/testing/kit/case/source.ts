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
  const open = openerOf(source);
  if (open === undefined) return source;
  const passed = {
    [Symbol.asyncIterator]() {
      const iterator = enterVirtualTime(passage.time, open);
      const passedIterator = known.get(iterator) ?? passedAsyncIterator(collection, iterator, passage);
      known.set(iterator, passedIterator);
      return passedIterator;
    },
  };
  if (source instanceof Readable) return Readable.from(passed);
  return source instanceof ReadableStream ? Readable.toWeb(Readable.from(passed)) : passed;
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

function openerOf(source: object): (() => AsyncIterator<unknown> | Iterator<unknown>) | undefined {
  if (isAsyncIterable(source)) return () => source[Symbol.asyncIterator]();
  return isIterable(source) ? () => source[Symbol.iterator]() : undefined;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

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
      const passed = passage.pass(collection, records);
      return passed === records ? step : { done: false, value: passed };
    }
    ended = true;
    const added = passage.end(collection);
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
