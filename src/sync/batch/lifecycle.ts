import { setImmediate as nextTurn } from "node:timers/promises";
import { linkAbort } from "../../core/abort.js";
import {
  annotate,
  BatchOutcomeUnknownError,
  type BatchState,
  BatchStateError,
  type ClosedError,
  SaasManagementError,
  SyncProtocolError,
} from "../../core/errors/index.js";
import { Attempts } from "../call.js";
import { isSnapshot } from "../collections.js";
import { COUNTS } from "../generated/collections.js";
import type { CompletionCounts } from "../transport.js";
import { closedError, meaningOf, refusal, stateError } from "./batch-errors.js";
import type { BatchSession } from "./session.js";
import type { WriteQueue } from "./write-queue.js";

/** The states of one handle, and the three ways to its end: it is completed, aborted or closed. */
export class BatchLifecycle {
  readonly #session: BatchSession;
  readonly #writes: WriteQueue;
  #state: Exclude<BatchState, "expired" | "closed"> = "active";
  #completion: Promise<CompletionCounts> | undefined;
  #abortion: Promise<void> | undefined;
  /** CompleteSyncBatch was sent, and its outcome is not known. An abort that succeeds does not tell it either. */
  #unclear = false;
  #released = false;
  readonly #closed = new AbortController();

  constructor(session: BatchSession, writes: WriteQueue) {
    this.#session = session;
    this.#writes = writes;
  }

  get state(): BatchState {
    const { clientClosed, lease } = this.#session;
    if (this.#state === "completed" || this.#state === "aborted") return this.#state;
    if (clientClosed.aborted || this.#closed.signal.aborted) return "closed";
    if (this.#state !== "active") return this.#state;
    return lease.remainingMs === 0 ? "expired" : "active";
  }

  refusal(call: string): BatchStateError | ClosedError | undefined {
    const { state } = this;
    // The refused write is missing: a lease that is renewed after all must not make the batch active again.
    if (state === "expired") this.#session.expire();
    if (state === "aborting" && this.#abortion === undefined)
      return stateError(call, state, "incomplete", { because: "an abort was requested, and failed" });
    if (state !== "active") return refusal(call, state);
    return this.#writes.failed ? this.#writes.refusal(call) : undefined;
  }

  complete(): Promise<CompletionCounts> {
    this.#state = "completing";
    this.#completion = this.#complete();
    return this.#completion;
  }

  abort(): Promise<void> {
    const { state } = this;
    if (state === "closed") return Promise.reject(closedError());
    if (state === "aborted" || (state === "unknown" && this.#released))
      return Promise.reject(refusal("abort", state));
    this.#abortion ??= this.#abort();
    return this.#abortion;
  }

  close(): void {
    this.#closed.abort(closedError());
    this.#endSession();
  }

  async #complete(): Promise<CompletionCounts> {
    try {
      await this.#writes.settled();
      this.#requireComplete();
      const counts = await this.#session.onWire(async () => {
        // A write that nobody awaits goes on now, and shows what is missing.
        await nextTurn();
        this.#requireComplete();
        return this.#sendCompletion();
      });
      this.#state = "completed";
      this.#writes.completed();
      this.#session.allDone();
      this.#endSession();
      const { id: batchId, attempt } = this.#session;
      this.#session.notify?.({ type: "completed", attempt, batchId });
      return counts;
    } catch (error) {
      this.#unclear = error instanceof BatchOutcomeUnknownError;
      // An abort or close that came meanwhile decides the state.
      if (this.state !== "completing" || this.#abortion !== undefined) throw error;
      this.#state = this.#unclear ? "unknown" : "active";
      if (!(error instanceof BatchStateError && error.reason === "incomplete")) this.#session.fail(error);
      // The batch may be completed: it takes nothing more in, and ends.
      if (error instanceof BatchOutcomeUnknownError) this.#session.end(error);
      throw error;
    }
  }

  #requireComplete(): void {
    this.#session.signal.throwIfAborted();
    if (!this.#writes.isComplete) throw this.#writes.refusal("complete");
  }

  /**
   * Sends CompleteSyncBatch, again if the answer was lost. Until an attempt is on its way, also between two, a write may
   * still fail and cut it off.
   * @throws {BatchOutcomeUnknownError} it was sent, and its outcome is not known
   * @throws everything else if the service certainly did not complete the batch
   */
  async #sendCompletion(): Promise<CompletionCounts> {
    const { id, transport } = this.#session;
    const attempts = new Attempts();
    // Once sent, a completion is cut off by nothing but close().
    const closed = linkAbort(this.#closed.signal, this.#session.clientClosed);
    const unsent = linkAbort(this.#session.signal, this.#writes.incomplete);
    try {
      return await this.#session.call("CompleteSyncBatch", closed.controller, async (call) => {
        const answerWasLost = attempts.mayBeDone;
        try {
          const context = { ...call, unlessSent: unsent.controller.signal };
          return await attempts.make(context, async (made) =>
            this.#checked(await transport.completeBatch(id, made)),
          );
        } catch (error) {
          // Only the service itself can say that a completion whose answer was lost succeeded.
          if (answerWasLost && error instanceof SyncProtocolError && error.batchState === "completed")
            return {};
          throw error;
        }
      });
    } catch (error) {
      if (!attempts.mayBeDone) throw meaningOf("complete", error);
      throw outcomeUnknown(id, error);
    } finally {
      closed.unlink();
      unsent.unlink();
    }
  }

  /** @throws {SyncProtocolError} the answer leaves out what was sent, so it is somebody else's, or of another batch */
  #checked(counts: CompletionCounts): CompletionCounts {
    for (const collection of this.#session.included) {
      const isCounted = isSnapshot(collection) ? COUNTS.snapshots : COUNTS.events;
      if (isCounted && counts[collection] === undefined)
        throw new SyncProtocolError(
          `CompleteSyncBatch: the answer does not count ${collection}, which was sent.`,
        );
    }
    return counts;
  }

  async #abort(): Promise<void> {
    if (this.#state === "completed") throw stateError("abort", "completed", "completed");
    this.#session.end(stateError("The call", "aborted", "aborted"));
    // A completion that was not sent ends with the session; one that was, with the service's answer.
    const completed = await this.#completion?.then(
      () => true,
      () => false,
    );
    if (completed === true) throw stateError("abort", "completed", "completed");
    if (this.state === "closed") throw closedError();
    this.#state = this.#unclear ? "unknown" : "aborting";
    try {
      const { id, transport, clientClosed } = this.#session;
      // Not bound to the handle: a caller who gave up must not leave the lock held.
      await this.#session.call("AbortSyncBatch", clientClosed, (call) => transport.abortBatch(id, call));
    } catch (error) {
      // The next call asks the service again.
      this.#abortion = undefined;
      const meaning = meaningOf("abort", error);
      if (meaning instanceof BatchStateError && meaning.reason === "completed") this.#foundCompleted();
      throw meaning;
    }
    this.#released = true;
    // A handle that was closed meanwhile stays closed.
    if (this.state === "aborting") this.#state = "aborted";
    this.#endSession();
  }

  /** The service says that the batch was completed: by a completion whose answer was lost, or by another process. */
  #foundCompleted(): void {
    if (this.state === "aborting" || this.state === "unknown") this.#state = "completed";
    if (this.#unclear) {
      this.#writes.completed();
      this.#session.allDone();
    }
    this.#endSession();
  }

  #endSession(): void {
    const { state } = this;
    const { failure, trace } = this.#session;
    this.#session.end(state === "active" ? closedError() : refusal("The call", state));
    if (failure === undefined || state === "completed") trace?.ended({ state });
    else trace?.failed(failure, { state });
  }
}

function outcomeUnknown(batchId: string, failure: unknown): BatchOutcomeUnknownError {
  const error = new BatchOutcomeUnknownError(
    "CompleteSyncBatch was sent, but its answer was lost: removals may or may not have happened. Send every snapshot in full in a new batch or run. If the lock is still held, it ends 15 minutes after the last accepted message.",
    { batchId, cause: failure, requestId: requestIdOf(failure) },
  );
  return failure instanceof SaasManagementError ? annotate(error, failure) : error;
}

/** The server's id of the call that failed last; after a timeout, of the last one that was answered. */
function requestIdOf(error: unknown): string | undefined {
  if (!(error instanceof SaasManagementError)) return undefined;
  return error.requestId ?? requestIdOf(error.cause);
}
