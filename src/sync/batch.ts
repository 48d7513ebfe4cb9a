import {
  BatchOutcomeUnknownError,
  BatchStateError,
  InvalidInputError,
  noteOutcomes,
  SyncProtocolError,
} from "../errors.js";
import { type BatchState, closedError, isRefusal, meaningOf, refusal, stateError } from "./batch-state.js";
import { type CollectionWriter, collectionWriter } from "./collection-writer.js";
import type { Collection, CollectionName, RecordOf } from "./collections.js";
import type { Lease } from "./lease.js";
import {
  type MutableWriteReport,
  resultOf,
  type WriteFigures,
  type WriteReport,
  type WriteResult,
} from "./outcomes.js";
import type { OnProgress } from "./progress.js";
import type { BatchSession } from "./session.js";
import type { RecordSource } from "./source.js";
import type { CompletionCounts } from "./transport.js";

/** Options of one write. */
export interface WriteOptions {
  /** Ends the write; it rejects with the signal's reason, and the batch can no longer be completed. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each accepted window and before each retry of this write. */
  readonly onProgress?: OnProgress | undefined;
}

/** Options of a completion. */
export interface CompleteOptions {
  /**
   * Must be `true` for a batch of `openBatch`: what another process wrote to it, and whether that was whole, this one
   * cannot know.
   */
  readonly unverified?: boolean | undefined;
}

/**
 * A batch that was started on the server (service description, "Sync batch"; all states in docs/sync.md).
 *
 * - Writes queue up: each finishes before the next starts, whoever calls.
 * - Any failed write makes the batch incomplete: `complete()` then refuses, because a snapshot that was sent in part
 *   would mark everything that it lacks as removed. The way on is `abort()` and a new batch.
 * - After `complete()` every call is refused; after `abort()` too, except that `abort()` may be repeated.
 * - `close()`, `using` and `await using` release local resources only: the server's batch lives on until its lease ends.
 */
export class SyncBatch {
  readonly #session: BatchSession;
  readonly #onEnd: (batch: SyncBatch) => void;
  readonly #unverified: boolean;
  #state: Exclude<BatchState, "expired"> = "active";
  #incomplete = false;
  /** Settles when every queued write has ended. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Collections that were opened and not sealed. */
  readonly #open = new Set<CollectionName>();
  #completion: Promise<CompletionCounts> | undefined;
  /** Whether CompleteSyncBatch went out: from then on only its outcome can tell what the batch is. */
  #completeSent = false;
  #abortion: Promise<void> | undefined;
  /** Fires when the handle is closed: nothing else cuts a completion off once it was sent. */
  readonly #closing = new AbortController();

  /** @internal Made by `SyncClient.startBatch` and `openBatch`. */
  constructor(options: {
    readonly session: BatchSession;
    /** Whether another process may have written to the batch. */
    readonly unverified: boolean;
    /** Called when the handle is completed, aborted or closed. */
    readonly onEnd: (batch: SyncBatch) => void;
  }) {
    this.#session = options.session;
    this.#unverified = options.unverified;
    this.#onEnd = options.onEnd;
  }

  /** Id of the batch on the server. */
  get id(): string {
    return this.#session.id;
  }

  /** State of the batch. `expired`: by this machine's clocks the lease is over. */
  get state(): BatchState {
    return this.#state === "active" && this.lease.remainingMs === 0 ? "expired" : this.#state;
  }

  /** How long the server keeps the batch without a further accepted message. */
  get lease(): Lease {
    return this.#session.lease;
  }

  /** Fires when the batch is of no more use: its lease is lost, it was aborted or closed. For whatever feeds it. */
  get signal(): AbortSignal {
    return this.#session.signal;
  }

  /**
   * What failed first on the way to the service: a window, the lease or the completion. Undefined where nothing did, or
   * where only a source failed or a record was invalid.
   */
  get failure(): unknown {
    return this.#session.failure;
  }

  /** What is known of each write, in the order of the calls. */
  get writes(): readonly WriteReport[] {
    return this.#session.reports;
  }

  /** Figures of what was accepted, per collection. */
  get stats(): Partial<Record<CollectionName, WriteFigures>> {
    return this.#session.stats;
  }

  /**
   * Writes records of one collection. An empty source registers an empty collection; it is never dropped.
   *
   * Records are checked, encoded and sent in windows while the source is read; the source is read no faster than the
   * server accepts, and its `return()` is called when the write ends early. A part-filled window of a slow source is
   * sent after `flushAfterMs`.
   * @throws {InvalidInputError} unknown collection, no source, an exhausted iterator, invalid or too large records; a
   *   source that calls its own batch
   * @throws {BatchStateError} the batch is not active, or an earlier write failed
   * @throws {ClosedError} the handle or its client was closed
   * @throws {SyncProtocolError} the service refused records; also every error of the connection and the credential.
   *   `outcomes` of the error tells which records were accepted, rejected or are unknown
   * @throws the source's own exception or the signal's reason, unchanged
   */
  write<C extends CollectionName>(
    collection: C,
    source: RecordSource<RecordOf<C>>,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    const refused = this.#refusal("write") ?? this.#withinSource();
    if (refused !== undefined) return handled(Promise.reject(refused));
    const report = this.#session.report(collection);
    const result = this.#queue.then(() => this.#write(source, options, report));
    this.#queue = result.catch(() => {});
    return handled(result);
  }

  /**
   * Opens a collection that is written piece by piece. Several may be open at a time, and beside queued writes: for a
   * source that interleaves collections.
   * @throws {BatchStateError | ClosedError} the batch is not active, or an earlier write failed
   * @throws {InvalidInputError} the collection is open already
   */
  open<C extends CollectionName>(collection: C, options: WriteOptions = {}): CollectionWriter<C> {
    const refused = this.#refusal("open");
    if (refused !== undefined) throw refused;
    if (this.#open.has(collection))
      throw new InvalidInputError(`${collection} is open already: seal it first.`);
    this.#open.add(collection);
    const report = this.#session.report(collection);
    const sink = handled(this.#openSink(options, report));
    const failing = async <T>(step: () => Promise<T>): Promise<T> => {
      try {
        this.signal.throwIfAborted();
        return await step();
      } catch (error) {
        throw this.#failed(error, report);
      }
    };
    return collectionWriter(collection, {
      take: (records) => failing(async () => (await sink).take(records)),
      finish: () =>
        failing(async () => {
          await (await sink).finish();
          this.#open.delete(collection);
          report.state = "done";
          return resultOf(report);
        }),
    });
  }

  /**
   * Completes the batch: the service marks every record that a snapshot collection of the batch lacks as removed.
   * Waits for queued writes. An answer that was lost is asked for again.
   * @returns what the service says it did
   * @throws {BatchStateError} a write failed, a collection is open, or the batch is not active
   * @throws {BatchOutcomeUnknownError} complete was sent, and whether the service did it is not known
   */
  complete(options: CompleteOptions = {}): Promise<CompletionCounts> {
    const refused = this.#refusal("complete") ?? this.#withinSource();
    if (refused !== undefined) return Promise.reject(refused);
    if (this.#unverified && options.unverified !== true) {
      return Promise.reject(
        new InvalidInputError(
          "The batch was opened by its id: whether its snapshots are whole is not known here. Say complete({ unverified: true }) if you know it.",
        ),
      );
    }
    this.#state = "completing";
    this.#completion = this.#complete();
    return this.#completion;
  }

  /**
   * Aborts the batch: cancels what is in flight, rejects what is queued, and releases the lock. Removes nothing, and
   * rolls nothing back. May be repeated. While the batch is being completed, it waits for the outcome.
   * @throws {BatchStateError} the batch was completed
   * @throws {ClosedError} the handle was closed
   */
  abort(): Promise<void> {
    if (this.#state === "closed") return Promise.reject(closedError());
    this.#abortion ??= this.#abort();
    return this.#abortion;
  }

  /** Releases local resources. What is under way rejects with a {@link ClosedError}; the server is told nothing. */
  close(): void {
    if (this.#state !== "completed" && this.#state !== "aborted") this.#state = "closed";
    this.#closing.abort(closedError());
    this.#end();
  }

  /** Releases local resources, as `close()` does: the batch is neither completed nor aborted. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Releases local resources, as `close()` does: the batch is neither completed nor aborted. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  async #write(source: unknown, options: WriteOptions, report: MutableWriteReport): Promise<WriteResult> {
    try {
      this.signal.throwIfAborted();
      if (this.#incomplete) throw stateError("write", this.state, "incomplete");
      const [{ writeSource }, collection] = await Promise.all([
        import("./writer.js"),
        find(report.collection),
      ]);
      const { context, stop, unlink } = this.#session.openSink(
        collection,
        report,
        options.signal,
        options.onProgress,
      );
      report.state = "writing";
      try {
        await this.#session.sources.run(() => writeSource(source, { ...context, stop }));
      } finally {
        unlink();
      }
      report.state = "done";
      return resultOf(report);
    } catch (error) {
      throw this.#failed(error, report);
    }
  }

  /** A sink for an open collection. */
  async #openSink(options: WriteOptions, report: MutableWriteReport) {
    const [{ RecordSink }, collection] = await Promise.all([
      import("./record-sink.js"),
      find(report.collection),
    ]);
    const { context, stop, unlink } = this.#session.openSink(
      collection,
      report,
      options.signal,
      options.onProgress,
    );
    const sink = new RecordSink({ ...context, stop });
    report.state = "writing";
    stop.signal.addEventListener(
      "abort",
      () => {
        sink.close();
        unlink();
        this.#failed(stop.signal.reason, report);
      },
      { once: true },
    );
    return {
      take: async (records: unknown) => {
        stop.signal.throwIfAborted();
        await sink.take(records);
        sink.throwIssues();
      },
      finish: async () => {
        await sink.finish();
        sink.close();
        unlink();
      },
    };
  }

  /** A write failed: from now on the batch cannot be completed. */
  #failed(error: unknown, report: MutableWriteReport): unknown {
    this.#incomplete = true;
    report.state = "failed";
    const meaning = meaningOf("write", error);
    noteOutcomes(meaning, report.ranges);
    return meaning;
  }

  async #complete(): Promise<CompletionCounts> {
    await this.#queue;
    let lost = false;
    try {
      this.signal.throwIfAborted();
      if (this.#incomplete || this.#open.size > 0) throw stateError("complete", "active", "incomplete");
      this.#completeSent = true;
      const counts = await this.#session.call("CompleteSyncBatch", this.#closing.signal, (call) =>
        this.#session.complete(call).catch((error: unknown) => {
          // Only the service's own word turns a lost answer into a success.
          if (lost && error instanceof SyncProtocolError && error.batchState === "completed")
            return NO_COUNTS;
          lost ||= !isRefusal(error);
          throw error;
        }),
      );
      this.#state = "completed";
      this.#end();
      this.#session.notify({ type: "completed", ...counts });
      return counts;
    } catch (error) {
      this.#completeSent = false;
      // Whoever aborted or closed the handle meanwhile has said what it is now.
      if (this.#state !== "completing") throw error;
      this.#state = lost ? "unknown" : "active";
      if (!lost) {
        const meaning = meaningOf("complete", error);
        if (!(meaning instanceof BatchStateError && meaning.reason === "incomplete"))
          this.#session.fail(meaning);
        throw meaning;
      }
      const unknown = new BatchOutcomeUnknownError(
        "CompleteSyncBatch was sent, and whether the service did it is not known: the snapshots may or may not be reconciled. Start a new batch and send every snapshot in full; a lock that is still held ends with the lease, 15 minutes after the last accepted message.",
        { batchId: this.id, cause: error },
      );
      this.#session.fail(unknown);
      throw unknown;
    }
  }

  async #abort(): Promise<void> {
    if (this.#completeSent) await this.#completion?.catch(() => {});
    if (this.#state === "completed") throw stateError("abort", "completed", "completed");
    this.#state = "aborting";
    this.#session.end(stateError("The call", "aborted", "aborted"));
    try {
      // No signal but the deadline of its own: whatever made the caller give up must not keep the lock held.
      await this.#session.call("AbortSyncBatch", undefined, (call) => this.#session.abort(call));
    } catch (error) {
      // The next call asks the server again.
      this.#abortion = undefined;
      throw meaningOf("abort", error);
    }
    this.#aborted();
  }

  #aborted(): void {
    // A handle that was closed meanwhile stays closed.
    if (this.#state === "aborting") this.#state = "aborted";
    this.#end();
  }

  #refusal(call: string) {
    const { state } = this;
    return state === "active" && this.#incomplete
      ? stateError(call, state, "incomplete")
      : refusal(call, state);
  }

  /** A source that waits for the queue it stands at the head of would wait for ever. */
  #withinSource(): InvalidInputError | undefined {
    if (!this.#session.sources.isWithin()) return undefined;
    return new InvalidInputError(
      "A source called its own batch while it was read: it would wait for itself. Use batch.open, push and seal for a source that feeds several collections.",
    );
  }

  /** Ends whatever is still under way, and lets the client forget the batch. */
  #end(): void {
    this.#session.close();
    this.#onEnd(this);
  }
}

/** A completion of which the service tells nothing more. */
const NO_COUNTS: CompletionCounts = { snapshots: {}, events: {} };

/** zod and the codecs are loaded with the first write. */
async function find(name: CollectionName): Promise<Collection> {
  const { COLLECTIONS } = await import("./collections.js");
  if (Object.hasOwn(COLLECTIONS, name)) return COLLECTIONS[name];
  throw new InvalidInputError(
    `There is no such collection. Collections: ${Object.keys(COLLECTIONS).join(", ")}.`,
  );
}

/** A write that nobody awaits is no unhandled rejection: the failure stands in `complete()`'s way. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
