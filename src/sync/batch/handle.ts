import { setImmediate as nextTurn } from "node:timers/promises";
import { linkAbort } from "../../core/abort.js";
import {
  annotate,
  BatchOutcomeUnknownError,
  type BatchState,
  BatchStateError,
  InvalidInputError,
  SaasManagementError,
  SyncProtocolError,
} from "../../core/errors/index.js";
import { handled, withCallSite } from "../../core/operation.js";
import { FLAG, type OptionTable, readOptions } from "../../core/validate.js";
import { Attempts } from "../call.js";
import { COLLECTIONS, type Collection, isSnapshot, type RecordOf } from "../collections.js";
import { COUNTS } from "../generated/collections.js";
import type { CallContext, CompletionCounts } from "../transport.js";
import type { CollectionWriter } from "../write/collection-writer.js";
import type { WriteOptions, WriteStats } from "../write/options.js";
import type { RecordSource } from "../write/source.js";
import type { BatchSession } from "./session.js";
import type { BatchStates } from "./states.js";
import type { Lease, SyncBatch } from "./sync-batch.js";
import { WriteQueue } from "./write-queue.js";

const COMPLETE_OPTIONS = { unverified: FLAG } satisfies OptionTable<
  NonNullable<Parameters<SyncBatch["complete"]>[0]>
>;

export class BatchHandle implements SyncBatch {
  readonly id: string;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  readonly #session: BatchSession;
  readonly #states: BatchStates;
  readonly #writes: WriteQueue;
  #completion: Promise<CompletionCounts> | undefined;
  #abortion: Promise<void> | undefined;
  readonly #closed = new AbortController();

  constructor(session: BatchSession) {
    const { id, lease, signal, states } = session;
    this.id = id;
    this.lease = lease;
    this.signal = signal;
    this.#session = session;
    this.#states = states;
    this.#writes = new WriteQueue(session);
  }

  get state(): BatchState {
    return this.#session.state;
  }

  get stats(): Partial<Record<Collection, WriteStats>> {
    return this.#session.stats;
  }

  /**
   * The first failure of a window, the lease or the completion; undefined if there was none. Failing sources and
   * invalid records don't count.
   */
  get failure(): unknown {
    return this.#session.failure;
  }

  /** Runs a part of the batch's work in its tracing context. */
  within<T>(work: () => T): T {
    const { trace } = this.#session;
    return trace === undefined ? work() : trace.run(work);
  }

  /** Opens a collection whose messages already exist, as in a run. @param total Number of records in the messages. */
  openCollection(collection: Collection, total: number) {
    const report = this.#session.newReport(collection);
    report.expectedCount = total;
    const opened = { collection: COLLECTIONS[collection], report, options: {}, trace: undefined };
    return { report, ...this.#session.openSink(opened) };
  }

  write<C extends Collection>(
    collection: C,
    records: RecordSource<RecordOf<C>>,
    options?: WriteOptions,
  ): Promise<WriteStats> {
    const refused = this.#session.refusal("write");
    if (refused === undefined) return handled(this.#writes.write(collection, records, options));
    this.#writes.markIncomplete(collection, refused);
    return handled(Promise.reject(refused));
  }

  writer<C extends Collection>(collection: C, options: WriteOptions = {}): CollectionWriter<C> {
    const refused = this.#session.refusal("writer");
    if (refused === undefined) return this.#writes.writer(collection, options);
    this.#writes.markIncomplete(collection, refused);
    throw refused;
  }

  complete(options: Parameters<SyncBatch["complete"]>[0] = {}): Promise<CompletionCounts> {
    return withCallSite(undefined, async () => {
      const refused = this.#session.refusal("complete");
      if (refused !== undefined) throw refused;
      const { unverified } = readOptions("complete", options, COMPLETE_OPTIONS);
      if (Object.keys(this.stats).length === 0 && unverified !== true)
        throw new InvalidInputError(
          "Nothing was written to the batch with this handle, so the handle can't tell whether its snapshots are complete. Call complete({ unverified: true }) if they are.",
        );
      this.#session.move("completing");
      this.#completion = this.#complete();
      return this.#completion;
    });
  }

  abort(): Promise<void> {
    return withCallSite(undefined, async () => {
      const refused = this.#session.refusal("abort");
      if (refused !== undefined) throw refused;
      this.#abortion ??= this.#abort().finally(() => {
        this.#abortion = undefined;
      });
      return this.#abortion;
    });
  }

  close(): void {
    this.#session.move("closed");
    this.#closed.abort(this.#states.refusal("close"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  async #complete(): Promise<CompletionCounts> {
    const session = this.#session;
    try {
      await this.#writes.settled();
      this.#requireComplete();
      const counts = await session.onWire(async () => {
        // A write that nobody awaits can begin now, so that the check below notices it.
        await nextTurn();
        this.#requireComplete();
        return this.#sendCompletion();
      });
      session.move("completed");
      const { id: batchId, attempt } = session;
      session.notify?.({ type: "completed", attempt, batchId });
      return counts;
    } catch (error) {
      const isMissed = error instanceof BatchStateError && error.reason === "incomplete";
      // If the batch has ended, the error is about its end, not about the completion.
      if (!isMissed && !this.signal.aborted) session.fail(error);
      if (error instanceof BatchOutcomeUnknownError) session.move("unknown", error);
      else session.move("open");
      throw error;
    }
  }

  #requireComplete(): void {
    this.signal.throwIfAborted();
    this.#writes.requireComplete("complete");
  }

  /**
   * Sends CompleteSyncBatch, and sends it again if the response was lost. While no attempt is in flight, a write may
   * still fail and prevent the completion.
   * @throws {BatchOutcomeUnknownError} the completion was sent, but its outcome is unknown
   * @throws any other error if the service certainly didn't complete the batch
   */
  async #sendCompletion(): Promise<CompletionCounts> {
    const { id, transport, clientClosed } = this.#session;
    const attempts = new Attempts();
    // Once a completion is sent, only close() interrupts it.
    const closed = linkAbort(this.#closed.signal, clientClosed);
    const unsent = linkAbort(this.signal, this.#states.incomplete);
    const attempt = async (call: CallContext) => {
      const answerWasLost = attempts.mayBeDone;
      try {
        return await attempts.make({ ...call, unlessSent: unsent.controller.signal }, async (made) =>
          this.#checked(await transport.completeBatch(id, made)),
        );
      } catch (error) {
        // Only the service itself can confirm a completion whose response was lost.
        if (answerWasLost && error instanceof SyncProtocolError && error.batchState === "completed")
          return {};
        throw error;
      }
    };
    try {
      return await this.#session.call("CompleteSyncBatch", closed.controller, attempt);
    } catch (error) {
      throw attempts.mayBeDone ? outcomeUnknown(id, error) : error;
    } finally {
      closed.unlink();
      unsent.unlink();
    }
  }

  /**
   * @throws {SyncProtocolError} the response lacks a collection that was sent, so it's from another server or about
   *   another batch
   */
  #checked(counts: CompletionCounts): CompletionCounts {
    for (const collection of this.#session.included) {
      const isCounted = isSnapshot(collection) ? COUNTS.snapshots : COUNTS.events;
      if (isCounted && counts[collection] === undefined)
        throw new SyncProtocolError(
          `CompleteSyncBatch: the answer has no count for ${collection}, which was sent.`,
        );
    }
    return counts;
  }

  async #abort(): Promise<void> {
    const { id, transport, clientClosed } = this.#session;
    this.#session.move("aborting");
    // A completion that wasn't sent ends at once; one that was sent ends with the service's response.
    await this.#completion?.catch(() => {});
    const refused = this.#session.refusal("abort");
    if (refused !== undefined) throw refused;
    try {
      // The call isn't bound to the handle, so that the lock is released even if the caller gives up.
      await this.#session.call("AbortSyncBatch", clientClosed, (call) => transport.abortBatch(id, call));
    } catch (error) {
      // The batch was completed, by another process or by a completion whose response was lost.
      if (error instanceof BatchStateError && error.reason === "completed") this.#session.move("completed");
      throw error;
    }
    this.#session.move(this.state === "unknown" ? "released" : "aborted");
  }
}

function outcomeUnknown(batchId: string, failure: unknown): BatchOutcomeUnknownError {
  const error = new BatchOutcomeUnknownError(
    "CompleteSyncBatch was sent, but its answer was lost: removals may or may not have happened. Send every snapshot in full in a new batch or run. If the lock is still held, it ends 15 minutes after the last accepted message.",
    { batchId, cause: failure, requestId: requestIdOf(failure) },
  );
  return failure instanceof SaasManagementError ? annotate(error, failure) : error;
}

/** The server's id of the request that failed last; after a timeout, of the last request that got a response. */
function requestIdOf(error: unknown): string | undefined {
  if (!(error instanceof SaasManagementError)) return undefined;
  return error.requestId ?? requestIdOf(error.cause);
}
