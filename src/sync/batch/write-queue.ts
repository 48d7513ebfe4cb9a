import { raceAbort } from "../../core/abort.js";
import { annotate, InvalidInputError } from "../../core/errors/index.js";
import { withCallSite } from "../../core/operation.js";
import { type Trace, traced } from "../../core/trace.js";
import { readOptions } from "../../core/validate.js";
import { openSyncTrace, type Subject } from "../call.js";
import {
  COLLECTIONS,
  type Collection,
  type CollectionInfo,
  isCollection,
  unknownCollectionError,
} from "../collections.js";
import type { SyncConfiguration } from "../options.js";
import { type CollectionWriter, collectionWriter } from "../write/collection-writer.js";
import {
  requireCount,
  sumOf,
  WRITE_OPTIONS,
  type WriteOptions,
  type WriteReport,
  type WriteStats,
} from "../write/options.js";
import { watchEntries } from "../write/source.js";
import type { SourceReader } from "../write/source-reader.js";
import type { SinkContext } from "../write/window-queue.js";
import type { BatchStates } from "./states.js";

const NO_COLLECTION = "a collection that does not exist";

/** The SDK warns if a call has waited this long, in milliseconds, behind a source that yields nothing. */
const STUCK_MS = 30_000;

/** The code for writing, which the first write loads because the encoders are large. */
let writing: typeof import("../write/source-reader.js") | undefined;

/** One write, before it begins. */
export interface OpenedWrite {
  readonly collection: CollectionInfo;
  readonly report: WriteReport;
  readonly options: WriteOptions;
  readonly trace: Trace | undefined;
}

/** Takes the messages of one write. */
export interface OpenedSink {
  readonly context: SinkContext;
  unlink(): void;
}

/** Where writes go: a batch of the service, or the spool of a run. */
export interface WriteTarget {
  readonly configuration: SyncConfiguration;
  readonly subject: Subject;
  readonly trace: Trace | undefined;
  readonly states: BatchStates;
  /** Aborts when the target accepts no more records, with the error for running and queued writes. */
  readonly signal: AbortSignal;
  /** A sentence that says what a failed write means for the records already sent. */
  readonly consequence: string;
  newReport(collection: Collection): WriteReport;
  openSink(write: OpenedWrite): OpenedSink | Promise<OpenedSink>;
}

interface QueuedWrite {
  readonly options: WriteOptions;
  readonly report: WriteReport;
  readonly turn: Promise<unknown>;
  readonly trace: Trace | undefined;
}

/** The writes of a batch or a run: their order, and the collections with a writer. */
export class WriteQueue {
  readonly #target: WriteTarget;
  #queue: Promise<unknown> = Promise.resolve();
  #ends: Promise<unknown> = Promise.resolve();
  readonly #open = new Set<Collection>();
  #reading: { readonly collection: Collection; readonly reader: SourceReader } | undefined;

  constructor(target: WriteTarget) {
    this.#target = target;
  }

  /** @throws {BatchStateError} a write failed, or a writer has not ended */
  requireComplete(call: string): void {
    this.#target.states.requireWhole(call, this.#open);
  }

  /** Notes that a write of the collection failed or was refused. */
  markIncomplete(collection: Collection, error: unknown): void {
    this.#target.states.fail(isCollection(collection) ? collection : NO_COLLECTION, error);
  }

  async settled(): Promise<void> {
    const stopWarning = this.#warnWhenStuck("complete()");
    await this.#queue;
    stopWarning();
    await this.#ends;
  }

  /** Writes a source when its turn comes; if the write's signal aborts before that, the write ends at once. */
  write(collection: Collection, source: unknown, options?: WriteOptions): Promise<WriteStats> {
    if (!isCollection(collection)) {
      const error = unknownCollectionError(collection);
      this.markIncomplete(collection, error);
      return Promise.reject(error);
    }
    const report = this.#target.newReport(collection);
    const previous = this.#queue;
    const result = this.#write(source, options, report, previous);
    const waitForPrevious = () => previous;
    this.#queue = result.then(waitForPrevious, waitForPrevious);
    return result;
  }

  /**
   * Opens a collection that is written piece by piece.
   * @throws {InvalidInputError} there is no such collection, it is open already, or the options are wrong
   */
  writer<C extends Collection>(collection: C, options: WriteOptions): CollectionWriter<C> {
    const own = this.#checkOpening(collection, options);
    this.#open.add(collection);
    const target = this.#target;
    const report = target.newReport(collection);
    report.expectedCount = own.expectedCount;
    const trace = this.#openTrace(collection);
    return collectionWriter({
      options: own,
      report,
      openSink: async () => {
        const { RecordSink, context, unlink } = await this.#openSink(report, own, trace);
        return { sink: new RecordSink(context), stop: context.stop.signal, unlink };
      },
      requireWhole: () => target.states.requireWhole("The call"),
      fail: (error) => {
        trace?.failed(error);
        return this.#fail(error, report);
      },
      ending: (ended) => {
        this.#ends = Promise.allSettled([this.#ends, ended]);
      },
      consequence: target.consequence,
      ended: () => {
        this.#open.delete(collection);
        trace?.ended(sumOf([report]));
      },
    });
  }

  async #openSink(report: WriteReport, options: WriteOptions, trace: Trace | undefined) {
    writing ??= await import("../write/source-reader.js");
    const collection = COLLECTIONS[report.collection];
    return { ...writing, ...(await this.#target.openSink({ collection, report, options, trace })) };
  }

  #openTrace(collection: Collection): Trace | undefined {
    const { configuration, subject, trace } = this.#target;
    return openSyncTrace(configuration, "sync.write", { ...subject, collection }, trace?.message);
  }

  #checkOpening(collection: Collection, options: WriteOptions): WriteOptions {
    try {
      if (!isCollection(collection)) throw unknownCollectionError(collection);
      if (this.#open.has(collection))
        throw new InvalidInputError(`${collection} already has a writer. End it first.`);
      return readOptions("writer", options, WRITE_OPTIONS);
    } catch (error) {
      this.markIncomplete(collection, error);
      throw error;
    }
  }

  #write(
    source: unknown,
    given: WriteOptions = {},
    report: WriteReport,
    turn: Promise<unknown>,
  ): Promise<WriteStats> {
    try {
      const options = readOptions("write", given, WRITE_OPTIONS);
      report.expectedCount = options.expectedCount;
      const trace = this.#openTrace(report.collection);
      const write = () => this.#writeInTurn(source, { options, report, turn, trace });
      return withCallSite(options.signal, () => traced(trace, write, (stats) => stats));
    } catch (error) {
      return Promise.reject(this.#fail(error, report));
    }
  }

  async #writeInTurn(source: unknown, { options, report, turn, trace }: QueuedWrite): Promise<WriteStats> {
    const target = this.#target;
    const { collection } = report;
    const { signal, expectedCount } = options;
    try {
      const requireUnchanged = watchEntries(source);
      const stopWarning = this.#warnWhenStuck(`the write of ${collection}`);
      await raceAbort(turn, signal).finally(stopWarning);
      target.signal.throwIfAborted();
      target.states.requireWhole("write");
      const { SourceReader, context, unlink } = await this.#openSink(report, options, trace);
      try {
        context.stop.signal.throwIfAborted();
        const reader = new SourceReader(source, context);
        this.#reading = { collection, reader };
        requireCount(expectedCount, collection, await reader.run(), target.consequence);
      } finally {
        this.#reading = undefined;
        unlink();
      }
      requireUnchanged();
      return sumOf([report]);
    } catch (error) {
      throw this.#fail(error, report);
    }
  }

  /** Warns if a call has waited long behind a source that yields nothing, because the source may wait for that call. */
  #warnWhenStuck(what: string): () => void {
    const { clock, logger } = this.#target.configuration;
    let stop = () => {};
    const watch = (): void => {
      const { reader, collection: previous } = this.#reading ?? {};
      const taken = reader?.taken;
      stop = clock.after(STUCK_MS, () => {
        const isStuck =
          reader?.isWaiting === true && reader === this.#reading?.reader && reader.taken === taken;
        if (!isStuck) return watch();
        logger.warn(
          `saas-management: ${what} has waited 30 s for the write of ${previous}, whose source has yielded nothing. If that source waits for ${what}, neither can continue: use batch.writer to feed several collections from one source.`,
        );
      });
    };
    watch();
    return () => stop();
  }

  /** Notes that a write failed, so the batch can't be completed. Returns the error to reject with. */
  #fail(error: unknown, { collection }: WriteReport): unknown {
    const { states, signal } = this.#target;
    // Each call that is cut off gets its own error, whose stack leads to the call.
    const isCutOff = error === signal.reason && states.isOver;
    const own = isCutOff ? annotate(states.refusal("write"), signal.reason) : error;
    this.markIncomplete(collection, own);
    return own;
  }
}
