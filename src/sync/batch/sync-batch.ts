import { withCallSite } from "../../core/call-site.js";
import { type BatchState, InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import { readOptions } from "../../core/validate.js";
import type { CollectionName, RecordOf } from "../collections.js";
import type { Lease } from "../lease.js";
import type { CompletionCounts } from "../transport.js";
import type { CollectionWriter } from "../write/collection-writer.js";
import type { WriteFigures, WriteReport, WriteResult } from "../write/outcomes.js";
import type { RecordSource } from "../write/source.js";
import type { WriteOptions } from "../write/write-options.js";
import { type BatchKeeper, BatchLifecycle } from "./lifecycle.js";
import type { BatchSession } from "./session.js";
import { BatchWrites } from "./writes.js";

/** Options of a completion. */
export interface CompleteOptions {
  /**
   * Must be `true` for a batch of `openBatch`: what another process wrote to it, and whether that was whole, this one
   * cannot know.
   * @default false
   */
  readonly unverified?: boolean | undefined;
}

const COMPLETE_NAMES = { unverified: true } satisfies KeysOf<CompleteOptions>;

/**
 * A batch that was started on the server (service description, "Sync batch"; all states in docs/sync.md).
 *
 * - Writes queue up: each finishes before the next starts, whoever calls.
 * - Any failed write makes the batch incomplete: `complete()` then refuses, because a snapshot that was sent in part
 *   would mark everything that it lacks as removed. The way on is `abort()` and a new batch.
 * - After `complete()` every call is refused; after `abort()` too, except that `abort()` may be repeated.
 * - `close()`, `using` and `await using` release local resources only: the server's batch lives on until its lease
 *   ends.
 */
export class SyncBatch {
  readonly #session: BatchSession;
  readonly #writes: BatchWrites;
  readonly #lifecycle: BatchLifecycle;
  readonly #unverified: boolean;

  /** @internal Made by `SyncClient.startBatch` and `openBatch`. */
  constructor(options: {
    readonly session: BatchSession;
    /** Whether another process may have written to the batch. */
    readonly unverified: boolean;
    /** Closes the handle together with its client, for as long as there is something to close. */
    readonly keeper: BatchKeeper<SyncBatch>;
  }) {
    this.#session = options.session;
    this.#writes = new BatchWrites(options.session);
    this.#lifecycle = new BatchLifecycle(options.session, this.#writes, {
      keep: () => options.keeper.keep(this),
      letGo: () => options.keeper.letGo(this),
    });
    this.#unverified = options.unverified;
  }

  /** Id of the batch on the server. */
  get id(): string {
    return this.#session.id;
  }

  /** State of the batch. `expired`: by this machine's clocks the lease is over. */
  get state(): BatchState {
    return this.#lifecycle.state;
  }

  /** How long the server keeps the batch without a further accepted message. */
  get lease(): Lease {
    return this.#session.lease;
  }

  /**
   * Fires when the batch takes nothing more in: it was completed, aborted or closed, its lease is lost, or the outcome
   * of its completion is unknown. For whatever feeds it.
   */
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
   *
   * The source and its records must stay as they are until the write has resolved. Records are not copied: each is sent
   * as it is when its turn comes, so one that is overwritten before that arrives with its new contents, and no check
   * notices it. Await the write first, or make a new object for each record.
   * @throws {InvalidInputError} unknown collection, no source, an iterator or a stream that was read before, an array
   *   that changed meanwhile, invalid or too large records; a source that calls its own batch
   * @throws {BatchStateError} the batch is not active, or an earlier write failed
   * @throws {ClosedError} the handle or its client was closed
   * @throws {SyncProtocolError} the service refused records; also every error of the connection and the credential.
   *   `outcomes` of the error tells which records were accepted, rejected, unsent or unknown
   * @throws the source's own exception or the signal's reason, unchanged
   */
  write<C extends CollectionName>(
    collection: C,
    source: RecordSource<RecordOf<C>>,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    const refused = this.#lifecycle.refusal("write") ?? this.#withinSource();
    if (refused !== undefined) {
      this.#writes.miss(collection, refused);
      return handled(Promise.reject(refused));
    }
    return handled(this.#writes.write(collection, source, options));
  }

  /**
   * Opens a collection that is written piece by piece. Several may be open at a time, and beside queued writes: for a
   * source that interleaves collections. A call that is refused makes the batch incomplete, as a refused write does.
   * @throws {BatchStateError | ClosedError} the batch is not active, or an earlier write failed
   * @throws {InvalidInputError} there is no such collection, it is open already, or an option is wrong
   */
  open<C extends CollectionName>(collection: C, options: WriteOptions = {}): CollectionWriter<C> {
    const refused = this.#lifecycle.refusal("open");
    if (refused !== undefined) {
      this.#writes.miss(collection, refused);
      throw refused;
    }
    return this.#writes.open(collection, options);
  }

  /**
   * Completes the batch: the service marks every record that a snapshot collection of the batch lacks as removed.
   * Waits for queued writes and for seals under way. An answer that was lost is asked for again.
   * @returns what the service says it did
   * @throws {BatchStateError} a write failed, a collection is open, or the batch is not active
   * @throws {InvalidInputError} the batch was opened by its id, or an option is wrong
   * @throws {BatchOutcomeUnknownError} complete was sent, and whether the service did it is not known; also where the
   *   handle or its client was closed before the answer came
   * @throws {ClosedError} the handle or its client was closed before complete was sent
   */
  complete(options: CompleteOptions = {}): Promise<CompletionCounts> {
    const refused =
      this.#lifecycle.refusal("complete") ?? this.#withinSource() ?? unfitOptions(options, this.#unverified);
    if (refused !== undefined) return Promise.reject(refused);
    return withCallSite(undefined, () => this.#lifecycle.complete());
  }

  /**
   * Aborts the batch: cancels what is in flight, rejects what is queued, and releases the lock. Removes nothing, and
   * rolls nothing back. May be repeated. While the batch is being completed, it waits for the outcome.
   * @throws {BatchStateError} the batch was completed
   * @throws {ClosedError} the handle was closed
   */
  abort(): Promise<void> {
    return withCallSite(undefined, () => this.#lifecycle.abort());
  }

  /**
   * Releases local resources. What is under way rejects with a {@link ClosedError}; the server is told nothing. A
   * completion that was sent and not answered yet rejects with a {@link BatchOutcomeUnknownError}, whose cause that is.
   */
  close(): void {
    this.#lifecycle.close();
  }

  /** Releases local resources, as `close()` does: the batch is neither completed nor aborted. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Releases local resources, as `close()` does: the batch is neither completed nor aborted. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** A source that waits for the queue it stands at the head of would wait for ever. */
  #withinSource(): InvalidInputError | undefined {
    if (!this.#session.sources.isWithin()) return undefined;
    return new InvalidInputError(
      "A source called its own batch while it was read: it would wait for itself. Use batch.open, push and seal for a source that feeds several collections.",
    );
  }
}

/** A write that nobody awaits is no unhandled rejection: the failure stands in `complete()`'s way. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Why a batch is not completed with these options; one that was opened by its id asks for one of them. */
function unfitOptions(given: CompleteOptions, unverified: boolean): unknown {
  try {
    const options = readOptions("The options of complete", given, COMPLETE_NAMES);
    if (!unverified || options.unverified === true) return undefined;
  } catch (error) {
    return error;
  }
  return new InvalidInputError(
    "The batch was opened by its id: whether its snapshots are whole is not known here. Say complete({ unverified: true }) if you know it.",
  );
}
