import { withCallSite } from "../../core/call-site.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { copyOf } from "../../core/record-location.js";
import { isObject } from "../../core/validate.js";
import type { Collection, RecordOf } from "../collections.js";
import { readSealOptions, requireCount, type SealOptions, type WriteOptions } from "./options.js";
import { type MutableWriteReport, resultOf, type WriteResult } from "./outcomes.js";
import type { RecordSink } from "./record-sink.js";

/**
 * Writes one collection piece by piece, for sources that interleave collections: several may be open at a time.
 *
 * Made by `batch.writer`. The batch can be completed only when every open collection is sealed.
 */
export interface CollectionWriter<C extends Collection = Collection> {
  /** The collection that it writes. */
  readonly collection: C;
  /**
   * Adds records; resolves when there is room for more. Calls queue up in order. An array is copied at once and may be
   * reused; a record must stay unchanged until its push has resolved.
   * @throws {InvalidInputError} a record is invalid or too large, was pushed again before its last push had resolved,
   *   or the collection is sealed; the batch can then no longer be completed
   * @throws {BatchStateError | ClosedError} the batch is not active, or another write failed
   */
  write(records: RecordOf<C> | readonly RecordOf<C>[]): Promise<void>;
  /**
   * Declares the collection complete: sends what is left and resolves when all of it was accepted. May be repeated.
   * @throws {InvalidInputError} the collection does not have `expectedCount` records
   */
  end(options?: SealOptions): Promise<WriteResult>;
}

/** What a collection writer needs of its batch. */
export interface OpenCollection {
  readonly options: WriteOptions;
  readonly report: MutableWriteReport;
  /** Opens the sink of this write, which `stop` ends. `unlink` is called when the write ends. */
  readonly openSink: () => Promise<{
    readonly sink: RecordSink;
    readonly stop: AbortSignal;
    readonly unlink: () => void;
  }>;
  /** @throws the batch takes no more records */
  readonly requireActive: () => void;
  /** Marks the batch incomplete. Returns the error to reject with. */
  readonly fail: (error: unknown) => unknown;
  /** A completion waits for this seal, even if the caller does not. */
  readonly sealing: (sealed: Promise<WriteResult>) => void;
  /** Everything was accepted. */
  readonly sealed: () => void;
}

/** Makes a collection writer, whose pushes are taken in one after the other. */
export function collectionWriter<C extends Collection>(
  collection: C,
  open: OpenCollection,
): CollectionWriter<C> {
  const { options, report, requireActive, fail } = open;
  const sink = openSink(open);
  sink.catch(() => {});
  let pushes: Promise<void> = Promise.resolve();
  let sealed: Promise<WriteResult> | undefined;
  /** Record objects of pushes that have not resolved. */
  const pending = new Set<unknown>();
  let taken = 0;

  const failing = async <T>(step: () => T | Promise<T>): Promise<T> => {
    try {
      return await step();
    } catch (error) {
      throw fail(error);
    }
  };
  const take = async (records: unknown, refilled: boolean): Promise<void> => {
    requireActive();
    if (refilled) throw new InvalidInputError(PUSHED_TWICE);
    await (await sink).take(records);
  };
  const finish = async (expectedCount: number | undefined): Promise<WriteResult> => {
    requireActive();
    taken = await (await sink).finish();
    if (expectedCount !== undefined) requireCount(expectedCount, collection, taken);
    open.sealed();
    report.state = "done";
    return resultOf(report);
  };
  const recount = (expectedCount: number): WriteResult => {
    requireCount(expectedCount, collection, taken);
    return resultOf(report);
  };

  const push = (records: unknown): Promise<void> => {
    if (sealed !== undefined) {
      return failing(() => {
        throw new InvalidInputError(`${collection} is sealed: ${PUSHED_LATE}`);
      });
    }
    // The caller may reuse the array at once.
    const own = Array.isArray(records) ? copyOf(records) : records;
    const objects = (Array.isArray(own) ? own : [own]).filter(isObject);
    const refilled = objects.some((object) => pending.has(object));
    for (const object of objects) pending.add(object);
    const pushed = pushes.then(() => failing(() => take(own, refilled)));
    const release = () => {
      for (const object of objects) pending.delete(object);
    };
    pushed.then(release, release);
    pushes = pushed;
    return pushed;
  };
  const seal = async (given: SealOptions): Promise<WriteResult> => {
    let own: SealOptions;
    try {
      own = readSealOptions(given);
    } catch (error) {
      throw fail(error);
    }
    const { expectedCount = sealed === undefined ? options.expectedCount : undefined } = own;
    if (sealed === undefined) sealed = pushes.then(() => failing(() => finish(expectedCount)));
    else if (expectedCount !== undefined) sealed = sealed.then(() => failing(() => recount(expectedCount)));
    open.sealing(sealed);
    return sealed;
  };
  return {
    collection,
    write: (records) => handled(push(records)),
    end: (given = {}) => handled(withCallSite(options.signal, () => seal(given))),
  };
}

const PUSHED_LATE =
  "records came after the seal. Await every push before the seal, and send everything in a new batch or run.";

const PUSHED_TWICE =
  "A record object was pushed again before its last push had resolved, so its former contents may be lost. Await each push or make a new object for each record, and start a new batch.";

/** A call that nobody awaits is not an unhandled rejection: its failure makes complete() refuse. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

async function openSink(open: OpenCollection) {
  const { sink, stop, unlink } = await open.openSink();
  const close = () => {
    sink.close();
    unlink();
  };
  const stopped = () => {
    close();
    open.fail(stop.reason);
  };
  open.report.state = "writing";
  if (stop.aborted) stopped();
  else stop.addEventListener("abort", stopped, { once: true });
  return {
    take: async (records: unknown) => {
      stop.throwIfAborted();
      await sink.take(records);
      sink.throwIssues();
    },
    finish: async () => {
      await sink.finish();
      close();
      return sink.taken;
    },
  };
}
