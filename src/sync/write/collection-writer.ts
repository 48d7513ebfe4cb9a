import { InvalidInputError } from "../../core/errors/index.js";
import { handled, withCallSite } from "../../core/operation.js";
import { copyOf } from "../../core/record-location.js";
import { isObject } from "../../core/validate.js";
import type { Collection, RecordOf } from "../collections.js";
import { requireCount, sumOf, type WriteOptions, type WriteReport, type WriteStats } from "./options.js";
import type { RecordSink } from "./record-sink.js";

/**
 * Writes one collection piece by piece, so that one source can feed several collections. Several writers may be open at
 * once.
 *
 * Created by `batch.writer`. The batch can only be completed once every writer has ended.
 */
export interface CollectionWriter<C extends Collection> {
  /**
   * Adds records; resolves when there is room for more. Calls queue up in order. You can reuse an array at once,
   * because it's copied, but don't change a record until its write has resolved.
   * @throws {InvalidInputError} a record is invalid or too large, or was written again before its last write resolved,
   *   or the writer has ended; the batch can then no longer be completed
   * @throws {BatchStateError | ClosedError} the batch isn't active, or another write failed
   */
  write(records: RecordOf<C> | readonly RecordOf<C>[]): Promise<void>;
  /**
   * Ends the collection: sends the remaining records and resolves when all were accepted. You can call `end` more than
   * once.
   * @throws {InvalidInputError} the collection doesn't have the writer's `expectedCount` of records
   */
  end(): Promise<WriteStats>;
}

export interface OpenCollection {
  readonly options: WriteOptions;
  readonly report: WriteReport;
  /** Opens the sink of this write; `stop` closes it. `unlink` is called when the write ends. */
  readonly openSink: () => Promise<{
    readonly sink: RecordSink;
    readonly stop: AbortSignal;
    readonly unlink: () => void;
  }>;
  /** @throws {BatchStateError} another write failed */
  readonly requireWhole: () => void;
  /** Marks the batch incomplete. Returns the error to reject with. */
  readonly fail: (error: unknown) => unknown;
  /** Called with a promise for the writer's end; a completion awaits it even if the caller doesn't. */
  readonly ending: (ended: Promise<unknown>) => void;
  /** A sentence that says what a failed write means for the records already sent. */
  readonly consequence: string;
  readonly ended: () => void;
}

export function collectionWriter<C extends Collection>(open: OpenCollection): CollectionWriter<C> {
  const { options, report } = open;
  const sink = openSink(open);
  sink.catch(() => {});
  let writes: Promise<void> = Promise.resolve();
  let ended: Promise<WriteStats> | undefined;
  /** Record objects of writes that haven't resolved yet. */
  const pending = new Set<unknown>();

  const failing = async <T>(step: () => T | Promise<T>): Promise<T> => {
    try {
      return await step();
    } catch (error) {
      throw open.fail(error);
    }
  };
  const write = (records: unknown): Promise<void> => {
    if (ended !== undefined) {
      return failing(() => {
        throw new InvalidInputError(`The writer of ${report.collection} has ended: ${WRITTEN_LATE}`);
      });
    }
    // The caller may reuse the array at once.
    const own = Array.isArray(records) ? copyOf(records) : [records];
    const objects = own.filter(isObject);
    const refilled = objects.some((object) => pending.has(object));
    for (const object of objects) pending.add(object);
    const written = writes.then(() =>
      failing(async () => {
        if (refilled) throw new InvalidInputError(WRITTEN_TWICE);
        await (await sink).take(own);
      }),
    );
    const release = () => {
      for (const object of objects) pending.delete(object);
    };
    written.then(release, release);
    writes = written;
    return written;
  };
  const finish = async (): Promise<WriteStats> => {
    const taken = await (await sink).finish();
    requireCount(options.expectedCount, report.collection, taken, open.consequence);
    open.ended();
    return sumOf([report]);
  };
  const end = (): Promise<WriteStats> => {
    ended ??= writes.then(() => failing(finish));
    open.ending(ended);
    return ended;
  };
  return {
    write: (records) => handled(write(records)),
    end: () => handled(withCallSite(options.signal, end)),
  };
}

const WRITTEN_LATE =
  "records came after its end(). Await every write before end(), and send everything in a new batch or run.";

const WRITTEN_TWICE =
  "A record object was written again before its last write had resolved, so its earlier contents may be lost. Await each write or make a new object for each record, and start a new batch.";

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
  if (stop.aborted) stopped();
  else stop.addEventListener("abort", stopped, { once: true });
  const requireActive = () => {
    // The collection's own failure comes before failures elsewhere in the batch.
    stop.throwIfAborted();
    open.requireWhole();
  };
  return {
    take: async (records: unknown) => {
      requireActive();
      await sink.take(records);
      sink.throwIssues();
    },
    finish: async () => {
      requireActive();
      await sink.finish();
      close();
      return sink.taken;
    },
  };
}
