import { BatchOutcomeUnknownError, InvalidInputError, SyncProtocolError } from "../errors.js";
import { linkedController } from "../signals.js";
import { type BatchState, closedError, isRefusal, meaningOf, refusal, stateError } from "./batch-state.js";
import { callWithRetry } from "./call.js";
import type { CollectionName, RecordOf } from "./collections.js";
import type { SyncConfiguration } from "./configuration.js";
import { Lease } from "./lease.js";
import {
  type MutableWriteReport,
  newReport,
  sumByCollection,
  type WriteFigures,
  type WriteReport,
  type WriteResult,
} from "./outcomes.js";
import type { RecordSource } from "./source.js";
import type { CompletionCounts, SyncTransport } from "./transport.js";
import { WindowSender } from "./window-sender.js";

/** Something that happened during a write. Numbers only. */
export interface WriteProgress extends Omit<WriteResult, "retries"> {
  /** A window of records was accepted; the figures are those of the write so far. */
  readonly type: "accepted";
}

/** Options of one write. */
export interface WriteOptions {
  /** Ends the write; it rejects with the signal's reason, and the batch can no longer be completed. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each accepted window. */
  readonly onProgress?: ((progress: WriteProgress) => void) | undefined;
}

/**
 * A batch that was started on the server (service description, "Sync batch").
 *
 * - Writes queue up: each finishes before the next starts, whoever calls.
 * - Any failed write makes the batch incomplete: `complete()` then refuses, because a snapshot that was sent in part
 *   would mark everything that it lacks as removed. The way on is `abort()` and a new batch.
 * - After `complete()` every call is refused; after `abort()` too, except that `abort()` may be repeated.
 * - `close()`, `using` and `await using` release local resources only: the server's batch lives on until its lease ends.
 */
export class SyncBatch {
  /** Id of the batch on the server. */
  readonly id: string;
  /** How long the server keeps the batch without a further accepted message. */
  readonly lease: Lease;
  readonly #transport: SyncTransport;
  readonly #configuration: SyncConfiguration;
  readonly #onEnd: (batch: SyncBatch) => void;
  /** Fires when nothing more may be sent, with the error for whatever is under way or queued. */
  readonly #ended = new AbortController();
  readonly #reports: MutableWriteReport[] = [];
  #state: Exclude<BatchState, "expired"> = "active";
  #incomplete = false;
  #queue: Promise<unknown> = Promise.resolve();
  #completion: Promise<CompletionCounts> | undefined;
  /** Whether CompleteSyncBatch went out: from then on only its outcome can tell what the batch is. */
  #completeSent = false;
  #abortion: Promise<void> | undefined;

  /** @internal Made by `SyncClient.startBatch`. */
  constructor(options: {
    readonly id: string;
    readonly transport: SyncTransport;
    readonly configuration: SyncConfiguration;
    /** Monotonic time before the batch was asked for. */
    readonly startedAt: number;
    /** Called when the handle is completed, aborted or closed. */
    readonly onEnd: (batch: SyncBatch) => void;
  }) {
    this.id = options.id;
    this.#transport = options.transport;
    this.#configuration = options.configuration;
    this.#onEnd = options.onEnd;
    this.lease = new Lease(options.configuration.clock, options.startedAt);
  }

  /** State of the batch. `expired`: by this machine's clock the lease is over. */
  get state(): BatchState {
    return this.#state === "active" && this.lease.remainingMs === 0 ? "expired" : this.#state;
  }

  /** What is known of each write, in the order of the calls. */
  get writes(): readonly WriteReport[] {
    return this.#reports.map((report) => ({ ...report, ranges: [...report.ranges] }));
  }

  /** Figures of what was accepted, per collection. */
  get stats(): Partial<Record<CollectionName, WriteFigures>> {
    return sumByCollection(this.#reports);
  }

  /**
   * Writes records of one collection. An empty source registers an empty collection; it is never dropped.
   *
   * Records are checked, encoded and sent in windows while the source is read; the source is read no faster than the
   * server accepts, and its `return()` is called when the write ends early.
   * @throws {InvalidInputError} unknown collection, no source, an exhausted iterator, invalid or too large records
   * @throws {BatchStateError} the batch is not active, or an earlier write failed
   * @throws {ClosedError} the handle or its client was closed
   * @throws {SyncProtocolError} the service refused records; also every error of the connection and the credential
   * @throws the source's own exception or the signal's reason, unchanged
   */
  write<C extends CollectionName>(
    collection: C,
    source: RecordSource<RecordOf<C>>,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    const refused = this.#refusal("write");
    if (refused !== undefined) return handled(Promise.reject(refused));
    const report = newReport(collection);
    this.#reports.push(report);
    const result = this.#queue.then(() => this.#write(source, options, report));
    this.#queue = result.catch(() => {
      this.#incomplete = true;
      report.state = "failed";
    });
    return handled(result);
  }

  /**
   * Completes the batch: the service marks every record that a snapshot collection of the batch lacks as removed.
   * Waits for queued writes. An answer that was lost is asked for again.
   * @returns what the service says it did
   * @throws {BatchStateError} a write failed, or the batch is not active
   * @throws {BatchOutcomeUnknownError} complete was sent, and whether the service did it is not known
   */
  complete(): Promise<CompletionCounts> {
    const refused = this.#refusal("complete");
    if (refused !== undefined) return Promise.reject(refused);
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
    if (this.#state === "active" || this.#state === "completing" || this.#state === "aborting") {
      this.#state = "closed";
    }
    this.#end();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  async #write(source: unknown, options: WriteOptions, report: MutableWriteReport): Promise<WriteResult> {
    this.#ended.signal.throwIfAborted();
    if (this.#incomplete) throw stateError("write", this.state, "incomplete");
    report.state = "writing";
    // zod and the codecs are loaded with the first write.
    const [{ COLLECTIONS }, { writeSource }] = await Promise.all([
      import("./collections.js"),
      import("./writer.js"),
    ]);
    if (!Object.hasOwn(COLLECTIONS, report.collection)) {
      throw new InvalidInputError(
        `There is no such collection. Collections: ${Object.keys(COLLECTIONS).join(", ")}.`,
      );
    }
    const { controller, unlink } = linkedController(this.#ended.signal, options.signal);
    const { signal } = controller;
    const configuration = this.#configuration;
    const sender = new WindowSender({
      transport: this.#transport,
      configuration,
      lease: this.lease,
      report,
      signal,
    });
    try {
      await writeSource(source, {
        ...configuration,
        batchId: this.id,
        collection: COLLECTIONS[report.collection],
        signal,
        send: async (window) => {
          await sender.send(window);
          const { collection, accepted, messages, bytes } = report;
          options.onProgress?.({ type: "accepted", collection, accepted, messages, bytes });
        },
      });
    } catch (error) {
      throw meaningOf("write", error);
    } finally {
      unlink();
    }
    report.state = "done";
    const { collection, accepted, messages, bytes, retries } = report;
    return { collection, accepted, messages, bytes, retries };
  }

  async #complete(): Promise<CompletionCounts> {
    await this.#queue;
    this.#ended.signal.throwIfAborted();
    let lost = false;
    try {
      if (this.#incomplete) throw stateError("complete", "active", "incomplete");
      this.#completeSent = true;
      const counts = await callWithRetry(
        this.#configuration,
        "CompleteSyncBatch",
        this.#ended.signal,
        (call) =>
          this.#transport.completeBatch(this.id, call).catch((error: unknown) => {
            // Only the service's own word turns a lost answer into a success.
            if (lost && error instanceof SyncProtocolError && error.batchState === "completed")
              return NO_COUNTS;
            lost ||= !isRefusal(error);
            throw error;
          }),
      );
      this.#state = "completed";
      this.#end();
      return counts;
    } catch (error) {
      if (this.#ended.signal.aborted) throw error;
      this.#completeSent = false;
      this.#state = lost ? "unknown" : "active";
      if (!lost) throw meaningOf("complete", error);
      throw new BatchOutcomeUnknownError(
        "CompleteSyncBatch was sent, and whether the service did it is not known: the snapshots may or may not be reconciled. Start a new batch and send every snapshot in full; a lock that is still held ends with the lease, 15 minutes after the last accepted message.",
        { batchId: this.id, cause: error },
      );
    }
  }

  async #abort(): Promise<void> {
    if (this.#completeSent) await this.#completion?.catch(() => {});
    if (this.#state === "completed") throw stateError("abort", "completed", "completed");
    this.#state = "aborting";
    this.#ended.abort(stateError("The call", "aborted", "aborted"));
    try {
      // No signal but the deadline of its own: whatever made the caller give up must not keep the lock held.
      await callWithRetry(this.#configuration, "AbortSyncBatch", undefined, (call) =>
        this.#transport.abortBatch(this.id, call),
      );
    } catch (error) {
      // The next call asks the server again.
      this.#abortion = undefined;
      throw meaningOf("abort", error);
    }
    this.#state = "aborted";
    this.#end();
  }

  #refusal(call: string) {
    const { state } = this;
    return state === "active" && this.#incomplete
      ? stateError(call, state, "incomplete")
      : refusal(call, state);
  }

  /** Ends whatever is still under way, and lets the client forget the batch. */
  #end(): void {
    this.#ended.abort(closedError());
    this.#onEnd(this);
  }
}

/** A completion of which the service tells nothing more. */
const NO_COUNTS: CompletionCounts = { snapshots: {}, events: {} };

/** A write that nobody awaits is no unhandled rejection: the failure stands in `complete()`'s way. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
