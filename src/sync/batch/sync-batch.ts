/// <reference lib="esnext.disposable" preserve="true" />
import type { BatchState } from "../../core/errors/index.js";
import type { Collection, RecordOf } from "../collections.js";
import type { CompletionCounts } from "../transport.js";
import type { CollectionWriter } from "../write/collection-writer.js";
import type { WriteOptions, WriteStats } from "../write/options.js";
import type { RecordSource } from "../write/source.js";

/**
 * The lease of a batch (service description, "Limits"): the server keeps the batch until the lease ends, and each
 * accepted message renews the lease.
 */
export interface Lease {
  /** Minimum time left in milliseconds; 0 when the lease has ended. */
  readonly remainingMs: number;
  /** When the lease ends, by the wall clock. */
  readonly expiresAt: Date;
}

/**
 * A started batch (service description, "Sync batch"; all states in docs/reference/run-and-guard.md).
 *
 * - Writes queue up: each finishes before the next starts. A source that awaits another write to the same batch
 *   therefore waits forever; if one source feeds several collections, use writers.
 * - Any failed write makes the batch incomplete, and `complete()` then refuses: the service would remove every record
 *   that wasn't sent. Call `abort()` and start a new batch.
 * - After `complete()` or `abort()`, every further call except `close()` is refused.
 * - `close()` and `await using` only release local resources. On the server, the batch lives on until its lease ends.
 */
export interface SyncBatch extends AsyncDisposable {
  /** Id of the batch on the server. */
  readonly id: string;
  /**
   * State of the batch, as far as this handle knows without asking. `expired`: the lease has ended according to this
   * machine's clocks. `unknown`: a completion was sent, but its outcome is unknown.
   */
  readonly state: BatchState;
  /** How long the server keeps the batch; each accepted message renews the lease. */
  readonly lease: Lease;
  /**
   * Aborts when the batch accepts no more records: it was completed, aborted or closed, its lease has ended, or the
   * outcome of its completion is unknown. Pass the signal to the code that feeds the batch.
   */
  readonly signal: AbortSignal;
  /** Figures about the records sent and accepted so far, per collection. */
  readonly stats: Partial<Record<Collection, WriteStats>>;
  /**
   * Writes records of one collection. An empty source isn't ignored: it writes an empty collection.
   *
   * The SDK checks, encodes and sends records in windows while it reads the source, and reads no faster than the server
   * accepts. If the write ends early, the SDK calls the source's `return()`. If a slow source leaves a window partly
   * filled, the window is sent after `flushAfterMs`.
   *
   * Don't change the source or its records until the write has resolved. Records aren't copied: if you overwrite one
   * before its turn, its new contents are sent, and no check notices. Await the write first, or create a new object for
   * each record.
   * @throws {InvalidInputError} unknown collection, no source, an iterator or a stream that has already been consumed,
   *   an array that changed during the write, or records that are invalid or too large
   * @throws {BatchStateError} the batch isn't active, or an earlier write failed
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
   * Writes a collection piece by piece, if one source feeds several collections. Several writers may be open at once,
   * even while writes are queued. A refused call makes the batch incomplete, like a refused write.
   * @throws {BatchStateError | ClosedError} the batch is not active, or an earlier write failed
   * @throws {InvalidInputError} there is no such collection, it already has a writer, or an option is invalid
   */
  writer<C extends Collection>(collection: C, options?: WriteOptions): CollectionWriter<C>;
  /**
   * Completes the batch: the service removes every record that is missing from the batch's snapshots. Waits for queued
   * writes and for writers that are ending. If the response is lost, the SDK asks again.
   * @param options.unverified Must be `true` if you wrote nothing to the batch, because the SDK then can't tell whether
   *   it's complete.
   * @returns the service's counts
   * @throws {BatchStateError} a write failed, a writer hasn't ended, or the batch isn't active
   * @throws {InvalidInputError} `unverified` is missing, or another option is invalid
   * @throws {BatchOutcomeUnknownError} the completion was sent, but its outcome is unknown, for example because the
   *   batch or its client was closed before the response arrived
   * @throws {ClosedError} the batch or its client was closed before the completion was sent
   */
  complete(options?: { readonly unverified?: boolean | undefined }): Promise<CompletionCounts>;
  /**
   * Aborts the batch: cancels requests in flight, rejects queued writes, and releases the lock. An abort removes
   * nothing and rolls nothing back: records that only this batch sent stay for good, because a completion removes only
   * what an earlier completed snapshot contained. Concurrent calls share one abort, and you can call `abort` again if
   * it fails. While the batch is being completed, an abort waits for the outcome. After a completion whose response was
   * lost, a successful abort only releases the lock.
   * @throws {BatchStateError} the batch was already completed or aborted
   * @throws {ClosedError} the batch was closed
   */
  abort(): Promise<void>;
  /**
   * Releases local resources without calling the service: the batch is neither completed nor aborted. Pending calls
   * reject with a {@link ClosedError}. A completion that was sent but not answered rejects with a {@link
   * BatchOutcomeUnknownError} whose cause is a `ClosedError`.
   */
  close(): void;
}
