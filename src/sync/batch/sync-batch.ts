/// <reference lib="esnext.disposable" preserve="true" />
import type { BatchState } from "../../core/errors/index.js";
import type { Collection, RecordOf } from "../collections.js";
import type { CompletionCounts } from "../transport.js";
import type { CollectionWriter } from "../write/collection-writer.js";
import type { WriteOptions, WriteStats } from "../write/options.js";
import type { RecordSource } from "../write/source.js";

/**
 * The lease of a batch (service description, "Limits"): how long the server keeps it without a further accepted
 * message.
 */
export interface Lease {
  /** Milliseconds left, at least; 0 when the lease is over. */
  readonly remainingMs: number;
  /** When the lease ends, by the wall clock. */
  readonly expiresAt: Date;
}

/**
 * A batch that was started on the server (service description, "Sync batch"; all states in docs/reference/run-and-guard.md).
 *
 * - Writes queue up: each finishes before the next starts. A source that awaits another write of its own batch waits
 *   for ever; use writers for a source that feeds several collections.
 * - Any failed write makes the batch incomplete: `complete()` then refuses, because a snapshot that was sent in part
 *   would mark everything else as removed. Call `abort()` and start a new batch.
 * - After `complete()` or `abort()` every further call is refused, except `close()`.
 * - `close()` and `await using` release local resources only: the server's batch lives on until its lease ends.
 */
export interface SyncBatch extends AsyncDisposable {
  /** Id of the batch on the server. */
  readonly id: string;
  /**
   * State of the batch, as far as this handle knows it without asking. `expired`: by this machine's clocks the lease is
   * over. `unknown`: a completion has an unknown outcome.
   */
  readonly state: BatchState;
  /** How long the server keeps the batch without a further accepted message. */
  readonly lease: Lease;
  /**
   * Fires when the batch accepts nothing more: it was completed, aborted or closed, its lease has ended, or the outcome
   * of its completion is unknown. Pass it to what feeds the batch.
   */
  readonly signal: AbortSignal;
  /** What was sent and accepted so far, per collection. */
  readonly stats: Partial<Record<Collection, WriteStats>>;
  /**
   * Writes records of one collection. An empty source registers an empty collection; it is never dropped.
   *
   * Records are checked, encoded and sent in windows while the source is read; the source is read no faster than the
   * server accepts, and its `return()` is called when the write ends early. A part-filled window of a slow source is
   * sent after `flushAfterMs`.
   *
   * Do not change the source and its records until the write has resolved. Records are not copied: one that is
   * overwritten before its turn is sent with its new contents, and no check notices it. Await the write first, or create
   * a new object for each record.
   * @throws {InvalidInputError} unknown collection, no source, an iterator or a stream that was read before, an array
   *   that changed meanwhile, invalid or too large records
   * @throws {BatchStateError} the batch is not active, or an earlier write failed
   * @throws {ClosedError} the batch or its client was closed
   * @throws {SyncProtocolError} the service refused records; also every error of the connection and the credential
   * @throws the source's own exception or the signal's reason, unchanged
   */
  write<C extends Collection>(
    collection: C,
    records: RecordSource<RecordOf<C>>,
    options?: WriteOptions,
  ): Promise<WriteStats>;
  /**
   * Writes a collection piece by piece, for one source that feeds several collections. Several writers may be open at a
   * time, also beside queued writes. A refused call makes the batch incomplete, as a refused write does.
   * @throws {BatchStateError | ClosedError} the batch is not active, or an earlier write failed
   * @throws {InvalidInputError} there is no such collection, it has a writer already, or an option is wrong
   */
  writer<C extends Collection>(collection: C, options?: WriteOptions): CollectionWriter<C>;
  /**
   * Completes the batch: the service marks every record that a snapshot collection of the batch lacks as removed. Waits
   * for queued writes and for ends under way, and asks again if the answer is lost.
   * @param options.unverified Must be `true` if nothing was written to the batch: then nothing shows that it is complete.
   * @returns the service's counts
   * @throws {BatchStateError} a write failed, a writer has not ended, or the batch is not active
   * @throws {InvalidInputError} `unverified` is missing, or another option is wrong
   * @throws {BatchOutcomeUnknownError} complete was sent, and its outcome is not known; also if the batch or its client
   *   was closed before the answer came
   * @throws {ClosedError} the batch or its client was closed before complete was sent
   */
  complete(options?: { readonly unverified?: boolean | undefined }): Promise<CompletionCounts>;
  /**
   * Aborts the batch: cancels what is in flight, rejects what is queued, and releases the lock. Nothing is removed or
   * rolled back: what it added stays for good, unless a completed snapshot once contained it. Calls share one abort that is under way, and one that failed may be repeated. While the batch is being
   * completed, it waits for the outcome; after a completion whose answer was lost, an abort that succeeds only releases
   * the lock.
   * @throws {BatchStateError} the batch was completed, or aborted before
   * @throws {ClosedError} the batch was closed
   */
  abort(): Promise<void>;
  /**
   * Releases local resources, without a call to the service: the batch is neither completed nor aborted. What is under
   * way rejects with a {@link ClosedError}; a completion that was sent and not answered with a
   * {@link BatchOutcomeUnknownError}, whose cause is that error.
   */
  close(): void;
}
