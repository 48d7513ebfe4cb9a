import { Readable } from "node:stream";
import type { Collection } from "../../../sync/collections.js";
import type { InjectedRecords } from "../faults/fault.js";
import { enterVirtualTime, type VirtualTime } from "../time/context.js";
import type { Activity } from "./driver.js";

/** Notes a connector's records on their way to its batch, where a fault may change them. */
export class WatchedRecords {
  /** The records that were passed on, by collection. */
  readonly records = new Map<Collection, object[]>();
  /** The first error of a writer, which fails the run, as in the SDK. */
  failure: { readonly error: unknown } | undefined;
  readonly #taken = new Map<Collection, number>();

  /** @param onChange Called whenever the fault changes something. */
  constructor(
    readonly time: VirtualTime,
    readonly activity: Activity,
    readonly fault: InjectedRecords | undefined,
    readonly onChange: () => void,
  ) {}

  throwFailure(): void {
    if (this.failure !== undefined) throw this.failure.error;
  }

  note(collection: Collection, records: readonly object[]): void {
    const noted = this.records.get(collection) ?? [];
    this.records.set(collection, noted);
    for (const record of records) noted.push(record);
  }

  /** Passes a block on. @throws the error of a fault that makes the source fail */
  pass(collection: Collection, records: readonly object[]): readonly object[] {
    const index = this.#taken.get(collection) ?? 0;
    this.#taken.set(collection, index + records.length);
    const passed = this.#inject(() => this.fault?.pass({ collection, records, index }));
    if (passed !== undefined && passed !== records) this.onChange();
    this.note(collection, passed ?? records);
    return passed ?? records;
  }

  /** What the fault adds at the end of a collection. */
  end(collection: Collection): readonly object[] {
    const added = this.#inject(() => this.fault?.end?.(collection)) ?? [];
    if (added.length > 0) this.onChange();
    this.note(collection, added);
    return added;
  }

  /** Runs the connector code behind a source. */
  pull<T>(code: () => T | Promise<T>): Promise<T> {
    return this.activity.during("pulls", () => enterVirtualTime(this.time, code));
  }

  #inject<T>(inject: () => T): T {
    try {
      return inject();
    } catch (error) {
      this.onChange();
      throw error;
    }
  }
}

/** Maps each iterator to its wrapper, so that the SDK notices if an iterator is written twice. */
const known = new WeakMap<object, AsyncIterator<unknown>>();

/**
 * Wraps a source: the connector's code runs in virtual time, and records are noted and perhaps changed. Values that the
 * SDK refuses are passed on unchanged.
 */
export function watchedSource(collection: Collection, source: unknown, watched: WatchedRecords): unknown {
  if (typeof source !== "object" || source === null || isUnreadable(source)) return source;
  if (Array.isArray(source) && watched.fault === undefined) {
    watched.note(collection, recordsOf(source));
    return source;
  }
  const open = openerOf(source);
  if (open === undefined) return source;
  const passed = {
    [Symbol.asyncIterator]() {
      const iterator = enterVirtualTime(watched.time, open);
      const inner = known.get(iterator) ?? watchedIterator(collection, iterator, watched);
      known.set(iterator, inner);
      return inner;
    },
  };
  if (source instanceof Readable) return Readable.from(passed);
  return source instanceof ReadableStream ? Readable.toWeb(Readable.from(passed)) : passed;
}

/** Whether a source can't be wrapped, because it yields bytes, has already been read, or is locked. */
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

function watchedIterator(
  collection: Collection,
  iterator: AsyncIterator<unknown> | Iterator<unknown>,
  watched: WatchedRecords,
): AsyncIterator<unknown> {
  let ended = false;
  const next = async (): Promise<IteratorResult<unknown>> => {
    if (ended) return DONE;
    try {
      return await read();
    } catch (error) {
      // A source that fails by itself cleans up, but an injected error leaves the source open.
      await close().catch(() => {});
      throw error;
    }
  };
  const read = async (): Promise<IteratorResult<unknown>> => {
    const step = await watched.pull(() => iterator.next());
    if (step.done !== true) {
      const records = recordsOf(step.value);
      const passed = watched.pass(collection, records);
      return passed === records ? step : { done: false, value: passed };
    }
    ended = true;
    const added = watched.end(collection);
    return added.length === 0 ? step : { done: false, value: added };
  };
  const close = async (): Promise<IteratorResult<unknown>> => {
    ended = true;
    await watched.pull(() => iterator.return?.());
    return DONE;
  };
  return { next, return: close };
}

/** The records in a value yielded by a source: one record or an array. */
export function recordsOf(value: unknown): readonly object[] {
  const values: readonly unknown[] = Array.isArray(value) ? value.flat() : [value];
  return values.filter((record) => typeof record === "object" && record !== null);
}
