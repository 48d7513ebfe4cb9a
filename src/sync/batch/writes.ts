import { raceAbort } from "../../core/abort.js";
import { withCallSite } from "../../core/call-site.js";
import {
  annotate,
  type BatchStateError,
  InvalidInputError,
  SaasManagementError,
} from "../../core/errors/index.js";
import { isCollection, noSuchCollection } from "../collection-names.js";
import type { CollectionName } from "../collections.js";
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
import { openedSink } from "./opened-sink.js";
import type { BatchSession } from "./session.js";
import { meaningOf, ownReason, stateError } from "./state.js";

const NO_COLLECTION = "a collection that does not exist";

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
    const sink = openedSink(this.#session, own, report, (error) => this.#fail(error, report));
    // Whoever pushes or seals is told.
    sink.catch(() => {});
    const failing = async <T>(step: () => Promise<T>): Promise<T> => {
      try {
        this.#session.signal.throwIfAborted();
        // Its own failure is what a collection tells first.
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

  /** The options of an opening. One that is refused was to be a part of the batch: the batch is not whole without it. */
  #admit(collection: CollectionName, options: WriteOptions): WriteOptions {
    try {
      if (!isCollection(collection)) throw noSuchCollection(collection);
      if (this.#open.has(collection))
        throw new InvalidInputError(`${collection} is open already: seal it first.`);
      return checkWriteOptions("The options of open", options);
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
      options = checkWriteOptions("The options of write", given);
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
      const shape = shapeOf(source);
      await (options.signal === undefined ? turn : raceAbort(turn, options.signal));
      this.#session.signal.throwIfAborted();
      if (this.failed) throw this.refusal("write");
      const { writeSource, COLLECTIONS } =
        writing.loaded ?? (await writing.load(this.#session.signal, options.signal));
      const collection = COLLECTIONS[report.collection];
      const { signal, onProgress } = options;
      const { context, stop, unlink } = this.#session.openSink(collection, report, signal, onProgress);
      report.state = "writing";
      try {
        const records = await this.#session.sources.run(() => writeSource(source, { ...context, stop }));
        checkCount(options.expectedCount, report.collection, records);
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
    const meaning = error === this.#session.signal.reason ? ownReason(error) : meaningOf("write", error);
    this.#spoil(report.collection, meaning);
    annotate(meaning, { outcomes: report.ranges });
    return meaning;
  }

  /** The batch is not whole, and never will be. */
  #spoil(what: string, error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { what, error };
    this.#spoiled.abort(this.refusal("complete"));
  }
}
