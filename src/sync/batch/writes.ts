import { withCallSite } from "../../core/call-site.js";
import {
  type BatchStateError,
  InvalidInputError,
  noteOutcomes,
  SaasManagementError,
} from "../../core/errors/index.js";
import { untilAborted } from "../../core/until-aborted.js";
import { isCollection, noSuchCollection } from "../collection-names.js";
import { COLLECTIONS, type CollectionName } from "../collections.js";
import { type CollectionWriter, collectionWriter } from "../write/collection-writer.js";
import { readWriteOptions, requireCount, type WriteOptions } from "../write/options.js";
import { type MutableWriteReport, resultOf, type WriteResult } from "../write/outcomes.js";
import { watchArray } from "../write/source.js";
import type { SourceReader } from "../write/source-reader.js";
import type { BatchSession } from "./session.js";
import { meaningOf, ownReason, stateError } from "./state.js";

const NO_COLLECTION = "a collection that does not exist";

/** How long a queued write waits for a silent source before a warning, in milliseconds. */
const STUCK_MS = 30_000;

/** Loaded with the first write, because the encoders are large. */
let readerModule: typeof import("../write/source-reader.js") | undefined;

/** The writes of one batch: their queue, the collections that are open, and whether all of it is whole so far. */
export class BatchWrites {
  readonly #session: BatchSession;
  /** Settles when every queued write has ended. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Settles when every seal that was called has ended. */
  #seals: Promise<unknown> = Promise.resolve();
  /** Collections that were opened and not sealed. */
  readonly #open = new Set<CollectionName>();
  /** The write that failed first, and how. */
  #failure: { readonly what: string; readonly error: unknown } | undefined;
  readonly #spoiled = new AbortController();
  #completed = false;
  /** The write that is reading its source. */
  #reading: { readonly collection: CollectionName; readonly reader: SourceReader } | undefined;

  constructor(session: BatchSession) {
    this.#session = session;
  }

  /** Whether a write failed: what the batch holds of its collection may be a part only. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Fires when a write fails, with the error of a completion that comes too late for that. */
  get spoiled(): AbortSignal {
    return this.#spoiled.signal;
  }

  /** Whether nothing failed and nothing is open. */
  get whole(): boolean {
    return !this.failed && this.#open.size === 0;
  }

  /** The error with which a batch that is not whole refuses a call: it says which collection is not, and why. */
  refusal(call: string): BatchStateError {
    if (this.#failure === undefined) {
      const because = `${[...this.#open].join(", ")} was opened and not sealed`;
      return stateError(call, "active", "incomplete", { because });
    }
    const { what, error } = this.#failure;
    // What a source threw is shown as the cause only: its text is not ours.
    const how = error instanceof SaasManagementError ? ` (${error.code}: ${error.message})` : "";
    const because = `the write of ${what} failed${how}`;
    return stateError(call, "active", "incomplete", { because, cause: error });
  }

  /** A write or the opening of this collection was refused: what the batch holds is not whole without it. */
  miss(collection: CollectionName, error: unknown): void {
    this.#spoil(isCollection(collection) ? collection : NO_COLLECTION, error);
  }

  /**
   * The batch was completed, so all of it was whole: nothing that was refused since the completion was sent, or will be,
   * is a part of it.
   */
  completed(): void {
    this.#completed = true;
    this.#session.allDone();
  }

  /** Resolves when every queued write and every seal under way has ended. */
  async settled(): Promise<void> {
    await this.#queue;
    await this.#seals;
  }

  /** Writes a source when its turn comes; one whose signal fires before that ends at once. */
  write(collection: CollectionName, source: unknown, options: WriteOptions): Promise<WriteResult> {
    if (!isCollection(collection)) {
      const error = noSuchCollection(collection);
      this.#spoil(NO_COLLECTION, error);
      return Promise.reject(error);
    }
    const report = this.#session.report(collection);
    const before = this.#queue;
    const result = this.#write(source, options, report, before);
    const whoeverIsBefore = () => before;
    this.#queue = result.then(whoeverIsBefore, whoeverIsBefore);
    return result;
  }

  /**
   * Opens a collection that is written piece by piece.
   * @throws {InvalidInputError} there is no such collection, it is open already, or the options are wrong
   */
  open<C extends CollectionName>(collection: C, options: WriteOptions): CollectionWriter<C> {
    const own = this.#admit(collection, options);
    this.#open.add(collection);
    const report = this.#session.report(collection);
    return collectionWriter(collection, {
      options: own,
      report,
      openSink: () => this.#session.openSink(COLLECTIONS[collection], report, own.signal, own.onProgress),
      requireActive: () => {
        this.#session.signal.throwIfAborted();
        // Its own failure is what a collection tells first.
        if (this.failed && report.state !== "failed") throw this.refusal("The call");
      },
      fail: (error) => this.#fail(error, report),
      sealing: (sealed) => {
        this.#seals = Promise.allSettled([this.#seals, sealed]);
      },
      sealed: () => void this.#open.delete(collection),
    });
  }

  /** The options of an opening. One that is refused was to be a part of the batch: the batch is not whole without it. */
  #admit(collection: CollectionName, options: WriteOptions): WriteOptions {
    try {
      if (!isCollection(collection)) throw noSuchCollection(collection);
      if (this.#open.has(collection))
        throw new InvalidInputError(`${collection} is open already: seal it first.`);
      return readWriteOptions("The options of open", options);
    } catch (error) {
      this.miss(collection, error);
      throw error;
    }
  }

  #write(
    source: unknown,
    given: WriteOptions,
    report: MutableWriteReport,
    turn: Promise<unknown>,
  ): Promise<WriteResult> {
    let options: WriteOptions;
    try {
      options = readWriteOptions("The options of write", given);
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
    try {
      const requireUnchanged = watchArray(source);
      const stopWarning = this.#warnWhenStuck(report.collection);
      await (options.signal === undefined ? turn : untilAborted(turn, options.signal)).finally(stopWarning);
      this.#session.signal.throwIfAborted();
      if (this.failed) throw this.refusal("write");
      readerModule ??= await import("../write/source-reader.js");
      const collection = COLLECTIONS[report.collection];
      const { signal, onProgress } = options;
      const { context, unlink } = this.#session.openSink(collection, report, signal, onProgress);
      report.state = "writing";
      try {
        context.stop.signal.throwIfAborted();
        const reader = new readerModule.SourceReader(source, context);
        this.#reading = { collection: report.collection, reader };
        requireCount(options.expectedCount, report.collection, await reader.run());
      } finally {
        this.#reading = undefined;
        unlink();
      }
      requireUnchanged();
      report.state = "done";
      return resultOf(report);
    } catch (error) {
      throw this.#fail(error, report);
    }
  }

  /** Warns if a queued write waits behind a source that gives nothing: it may wait for this very write. */
  #warnWhenStuck(collection: CollectionName): () => void {
    const { clock, logger } = this.#session.configuration;
    let stop = () => {};
    const watch = (before: SourceReader | undefined, taken: number | undefined): void => {
      stop = clock.after(STUCK_MS, () => {
        const { reader, collection: blocking } = this.#reading ?? {};
        if (reader === undefined || reader !== before || !reader.isWaiting || reader.taken !== taken) {
          watch(reader, reader?.taken);
          return;
        }
        logger.warn(
          `saas-management: the write of ${collection} has waited 30 s for that of ${blocking}, whose source yields nothing. A source must not await another write of its batch: use batch.open to feed several collections.`,
          { collection, blocking },
        );
      });
    };
    watch(this.#reading?.reader, this.#reading?.reader.taken);
    return () => stop();
  }

  /** A write failed: from now on the batch cannot be completed. */
  #fail(error: unknown, report: MutableWriteReport): unknown {
    if (!this.#completed) report.state = "failed";
    const meaning = error === this.#session.signal.reason ? ownReason(error) : meaningOf("write", error);
    this.#spoil(report.collection, meaning);
    noteOutcomes(meaning, report.ranges);
    return meaning;
  }

  /** The batch is not whole, and never will be. */
  #spoil(what: string, error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { what, error };
    this.#spoiled.abort(this.refusal("complete"));
  }
}
