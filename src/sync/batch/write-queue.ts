import { raceAbort } from "../../core/abort.js";
import { withCallSite } from "../../core/call-site.js";
import {
  annotate,
  type BatchStateError,
  InvalidInputError,
  SaasManagementError,
} from "../../core/errors/index.js";
import { type CollectionName, collectionOf, isCollection, unknownCollectionError } from "../collections.js";
import { type CollectionWriter, collectionWriter } from "../write/collection-writer.js";
import { writing } from "../write/load-writing.js";
import { type MutableWriteReport, resultOf, type WriteResult } from "../write/outcomes.js";
import { checkShape, shapeOf } from "../write/source-shape.js";
import {
  checkCount,
  checkSealOptions,
  checkWriteOptions,
  type WriteOptions,
} from "../write/write-options.js";
import { copyOfReason, meaningOf, stateError } from "./batch-errors.js";
import type { BatchSession } from "./session.js";

const NO_COLLECTION = "a collection that does not exist";

/** The writes of one batch: their queue, the collections that are open, and whether the batch is complete so far. */
export class WriteQueue {
  readonly #session: BatchSession;
  /** Settles when every queued write has ended. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Settles when every seal that was called has ended. */
  #seals: Promise<unknown> = Promise.resolve();
  /** Collections that were opened and not sealed. */
  readonly #open = new Set<CollectionName>();
  /** The write that failed first, and how. */
  #failure: { readonly what: string; readonly error: unknown } | undefined;
  readonly #incomplete = new AbortController();
  #completed = false;

  constructor(session: BatchSession) {
    this.#session = session;
  }

  /** Whether a write failed: the batch may hold only a part of its collection. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Fires when a write fails, with the error of a completion that comes too late for that. */
  get incomplete(): AbortSignal {
    return this.#incomplete.signal;
  }

  /** Whether nothing failed and nothing is open. */
  get isComplete(): boolean {
    return !this.failed && this.#open.size === 0;
  }

  /** Returns the error with which an incomplete batch refuses a call: it names the collection and the reason. */
  refusal(call: string): BatchStateError {
    if (this.#failure === undefined) {
      const because = `${[...this.#open].join(", ")} was opened and not sealed`;
      return stateError(call, "active", "incomplete", { because });
    }
    const { what, error } = this.#failure;
    // The message of a source's own exception may hold data: it is in the cause only.
    const how = error instanceof SaasManagementError ? ` (${error.code}: ${error.message})` : "";
    const because = `the write of ${what} failed${how}`;
    return stateError(call, "active", "incomplete", { because, cause: error });
  }

  /** The batch is incomplete, and stays so: a write of this collection failed or was refused. */
  markIncomplete(collection: CollectionName, error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { what: isCollection(collection) ? collection : NO_COLLECTION, error };
    this.#incomplete.abort(this.refusal("complete"));
  }

  /** The batch was completed: writes that were refused since then, or will be, are no part of it. */
  completed(): void {
    this.#completed = true;
    this.#session.allDone();
  }

  /** Resolves when every queued write and every seal under way has ended. */
  async settled(): Promise<void> {
    await this.#queue;
    await this.#seals;
  }

  /** Writes a source when its turn comes; if its signal fires before that, the write ends at once. */
  write(collection: CollectionName, source: unknown, options: WriteOptions): Promise<WriteResult> {
    if (!isCollection(collection)) {
      const error = unknownCollectionError(collection);
      this.markIncomplete(collection, error);
      return Promise.reject(error);
    }
    const report = this.#session.newReport(collection);
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
  open<C extends CollectionName>(collection: C, options: WriteOptions): CollectionWriter<C> {
    const own = this.#checkOpening(collection, options);
    this.#open.add(collection);
    const report = this.#session.newReport(collection);
    const sink = this.#openSink(own, report);
    // The caller is told by push and seal.
    sink.catch(() => {});
    const failing = async <T>(step: () => Promise<T>): Promise<T> => {
      try {
        this.#session.signal.throwIfAborted();
        // A collection reports its own failure first.
        if (this.failed && report.state !== "failed") throw this.refusal("The call");
        return await step();
      } catch (error) {
        throw this.#fail(error, report);
      }
    };
    let taken = 0;
    return collectionWriter(collection, {
      signal: own.signal,
      take: (records) => failing(async () => (await sink).take(records)),
      readSeal: checkSealOptions,
      finish: ({ expectedCount = own.expectedCount }) =>
        failing(async () => {
          taken = await (await sink).finish();
          checkCount(expectedCount, collection, taken);
          this.#open.delete(collection);
          report.state = "done";
          return resultOf(report);
        }),
      recount: async ({ expectedCount }) => {
        try {
          checkCount(expectedCount, collection, taken);
          return resultOf(report);
        } catch (error) {
          throw this.#fail(error, report);
        }
      },
      sealing: (sealed) => {
        this.#seals = Promise.allSettled([this.#seals, sealed]);
      },
      late: (error) => void this.#fail(error, report),
    });
  }

  #checkOpening(collection: CollectionName, options: WriteOptions): WriteOptions {
    try {
      if (!isCollection(collection)) throw unknownCollectionError(collection);
      if (this.#open.has(collection))
        throw new InvalidInputError(`${collection} is already open. Seal it first.`);
      return checkWriteOptions("open", options);
    } catch (error) {
      this.markIncomplete(collection, error);
      throw error;
    }
  }

  /** The sink of an open collection; the end of the batch or the caller's signal makes it fail. */
  async #openSink({ signal, onProgress }: WriteOptions, report: MutableWriteReport) {
    const session = this.#session;
    const { RecordSink } = writing.loaded ?? (await writing.load(session.signal, signal));
    const collection = collectionOf(report.collection);
    const { context, stop, unlink } = session.openSink(collection, report, signal, onProgress);
    const sink = new RecordSink({ ...context, stop });
    const close = () => {
      sink.close();
      unlink();
    };
    const stopped = () => {
      close();
      this.#fail(stop.signal.reason, report);
    };
    report.state = "writing";
    if (stop.signal.aborted) stopped();
    else stop.signal.addEventListener("abort", stopped, { once: true });
    return {
      take: async (records: unknown) => {
        stop.signal.throwIfAborted();
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

  #write(
    source: unknown,
    given: WriteOptions,
    report: MutableWriteReport,
    turn: Promise<unknown>,
  ): Promise<WriteResult> {
    let options: WriteOptions;
    try {
      options = checkWriteOptions("write", given);
    } catch (error) {
      return Promise.reject(this.#fail(error, report));
    }
    return withCallSite(options.signal, () => this.#writeInTurn(source, options, report, turn));
  }

  async #writeInTurn(
    source: unknown,
    options: WriteOptions,
    report: MutableWriteReport,
    turn: Promise<unknown>,
  ): Promise<WriteResult> {
    const session = this.#session;
    const { signal, onProgress, expectedCount } = options;
    try {
      const shape = shapeOf(source);
      await (signal === undefined ? turn : raceAbort(turn, signal));
      session.signal.throwIfAborted();
      if (this.failed) throw this.refusal("write");
      const { writeSource } = writing.loaded ?? (await writing.load(session.signal, signal));
      const collection = collectionOf(report.collection);
      const { context, stop, unlink } = session.openSink(collection, report, signal, onProgress);
      report.state = "writing";
      try {
        const records = await writeSource(source, { ...context, stop });
        checkCount(expectedCount, report.collection, records);
      } finally {
        unlink();
      }
      checkShape(source, shape);
      report.state = "done";
      return resultOf(report);
    } catch (error) {
      throw this.#fail(error, report);
    }
  }

  /** A write failed: from now on the batch cannot be completed. */
  #fail(error: unknown, report: MutableWriteReport): unknown {
    if (!this.#completed) report.state = "failed";
    const meaning = error === this.#session.signal.reason ? copyOfReason(error) : meaningOf("write", error);
    this.markIncomplete(report.collection, meaning);
    annotate(meaning, { outcomes: report.ranges });
    return meaning;
  }
}
