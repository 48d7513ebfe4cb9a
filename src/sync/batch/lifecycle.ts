import { setImmediate as nextTurn } from "node:timers/promises";
import { linkAbort } from "../../core/abort.js";
import { BatchOutcomeUnknownError, type BatchState, BatchStateError } from "../../core/errors/index.js";
import type { CompletionCounts } from "../transport.js";
import { sendCompletion } from "./completion.js";
import type { BatchSession } from "./session.js";
import { closedError, meaningOf, refusal, stateError } from "./state.js";
import type { BatchWrites } from "./writes.js";

/** What a client does with the batches that it closes together with itself. */
export interface BatchKeeper<Batch> {
  /** Keeps one of which something goes on; where the client is closed already, closes it at once. */
  readonly keep: (batch: Batch) => void;
  /** Nothing of the batch goes on any more: nothing of it is left to close. */
  readonly letGo: (batch: Batch) => void;
}

/** The states of one handle, and the three ways to its end: it is completed, aborted or closed. */
export class BatchLifecycle {
  readonly #session: BatchSession;
  readonly #writes: BatchWrites;
  readonly #keeper: BatchKeeper<void>;
  #state: Exclude<BatchState, "expired"> = "active";
  #completion: Promise<CompletionCounts> | undefined;
  #abortion: Promise<void> | undefined;
  /** Whether a completion was sent of which nobody knows whether it was done. */
  #unclear = false;
  /** Completions and aborts that go on. */
  #underWay = 0;
  /** Fires when the handle is closed: nothing else cuts a completion off once it was sent. */
  readonly #closing = new AbortController();

  constructor(session: BatchSession, writes: BatchWrites, keeper: BatchKeeper<void>) {
    this.#session = session;
    this.#writes = writes;
    this.#keeper = keeper;
    // Whoever dropped a batch whose lease then ended never calls it again.
    session.signal.addEventListener("abort", () => this.#letGo(), { once: true });
  }

  get state(): BatchState {
    return this.#state === "active" && this.#session.lease.remainingMs === 0 ? "expired" : this.#state;
  }

  /** The error with which the batch refuses a write or a completion; undefined where it takes it. */
  refusal(call: string) {
    const { state } = this;
    // What is refused now is missing: a lease that is renewed after all must not make the batch active again.
    if (state === "expired") this.#session.expire();
    return state === "active" && this.#writes.failed ? this.#writes.refusal(call) : refusal(call, state);
  }

  /** Completes a batch that does not refuse it. */
  complete(): Promise<CompletionCounts> {
    this.#state = "completing";
    this.#completion = this.#kept(() => this.#complete());
    return this.#completion;
  }

  abort(): Promise<void> {
    if (this.#state === "closed") return Promise.reject(closedError());
    this.#abortion ??= this.#kept(() => this.#abort());
    return this.#abortion;
  }

  close(): void {
    if (this.#state !== "completed" && this.#state !== "aborted") this.#state = "closed";
    this.#closing.abort(closedError());
    this.#end();
  }

  async #complete(): Promise<CompletionCounts> {
    try {
      await this.#writes.settled();
      this.#session.signal.throwIfAborted();
      if (!this.#writes.whole) throw this.#writes.refusal("complete");
      await this.#session.beforeComplete();
      // A message that keeps the lease alive may be on its way, and none may set out beside the completion.
      const counts = await this.#session.onWire(async () => {
        // Whoever forgot to await a write goes on now, and what is missing then shows.
        await nextTurn();
        this.#session.signal.throwIfAborted();
        if (!this.#writes.whole) throw this.#writes.refusal("complete");
        return this.#send();
      });
      this.#state = "completed";
      this.#writes.completed();
      this.#end();
      this.#session.notify({ type: "completed", ...counts });
      return counts;
    } catch (error) {
      this.#unclear = error instanceof BatchOutcomeUnknownError;
      // Whoever aborts or closed the handle meanwhile says what it is now.
      if (this.#state !== "completing" || this.#abortion !== undefined) throw error;
      this.#state = this.#unclear ? "unknown" : "active";
      if (!(error instanceof BatchStateError && error.reason === "incomplete")) this.#session.fail(error);
      // A batch that may be completed takes nothing more in, and one that is not must not be kept alive.
      if (error instanceof BatchOutcomeUnknownError) this.#session.end(error);
      throw error;
    }
  }

  /** Sends the completion. As long as it is not on its way, also between two attempts, a write may still fail. */
  async #send(): Promise<CompletionCounts> {
    const { controller, unlink } = linkAbort(this.#session.signal, this.#writes.spoiled);
    try {
      return await sendCompletion(this.#session, this.#closing.signal, controller.signal);
    } finally {
      unlink();
    }
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
    if (this.#closing.signal.aborted) throw closedError();
    this.#state = "aborting";
    try {
      // No signal but the deadline of its own: whatever made the caller give up must not keep the lock held.
      await this.#session.call("AbortSyncBatch", undefined, (call) => this.#session.abort(call));
    } catch (error) {
      // The next call asks the server again.
      this.#abortion = undefined;
      const meaning = meaningOf("abort", error);
      if (meaning instanceof BatchStateError && meaning.reason === "completed") this.#foundCompleted();
      throw meaning;
    }
    this.#aborted();
  }

  /** The service says that the batch is completed: by a completion whose answer was lost, or by somebody else. */
  #foundCompleted(): void {
    if (this.#state === "aborting") this.#state = "completed";
    if (this.#unclear) this.#writes.completed();
    this.#end();
  }

  #aborted(): void {
    // A handle that was closed meanwhile stays closed.
    if (this.#state === "aborting") this.#state = "aborted";
    this.#end();
  }

  /** Ends whatever is still under way. */
  #end(): void {
    this.#session.end(refusal("The call", this.#state) ?? closedError());
  }

  /** Makes a call that the client cuts off when it is closed, also one of a batch that it has let go. */
  async #kept<T>(call: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    this.#keeper.keep();
    try {
      return await call();
    } finally {
      this.#underWay -= 1;
      this.#letGo();
    }
  }

  /** Lets the client forget a batch that takes nothing more in, and of which nothing goes on. */
  #letGo(): void {
    if (this.#underWay === 0 && this.#session.signal.aborted) this.#keeper.letGo();
  }
}
