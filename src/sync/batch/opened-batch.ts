import { type BatchState, BatchStateError, InvalidInputError } from "../../core/errors/index.js";
import { withCallSite } from "../../core/operation.js";
import { closedError, meaningOf, refusal } from "./batch-errors.js";
import type { SyncBatch } from "./sync-batch.js";

type Abort = (signal: AbortSignal) => Promise<void>;

/**
 * A handle on a batch that another one writes: it can look and abort. Its calls that write are for callers without types,
 * and always refused.
 */
export class OpenedBatch implements Pick<SyncBatch, "id" | "state" | "abort" | "close">, AsyncDisposable {
  readonly id: string;
  readonly #abort: Abort;
  readonly #clientClosed: AbortSignal;
  /** How the batch ended, when the service has told it. */
  #ended: Extract<BatchState, "completed" | "aborted" | "expired"> | undefined;
  #abortion: Promise<void> | undefined;
  #isClosed = false;

  constructor(id: string, abort: Abort, clientClosed: AbortSignal) {
    this.id = id;
    this.#abort = abort;
    this.#clientClosed = clientClosed;
  }

  get state(): BatchState {
    if (this.#ended !== undefined) return this.#ended;
    if (this.#isClosed || this.#clientClosed.aborted) return "closed";
    return this.#abortion === undefined ? "unknown" : "aborting";
  }

  abort(): Promise<void> {
    return withCallSite(undefined, async () => {
      if (this.#ended !== undefined) throw refusal("abort", this.#ended);
      if (this.state === "closed") throw closedError();
      this.#abortion ??= this.#abortOnce().finally(() => {
        this.#abortion = undefined;
      });
      return this.#abortion;
    });
  }

  close(): void {
    this.#isClosed = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  async write(): Promise<never> {
    throw notTheWriter("write");
  }

  writer(): never {
    throw notTheWriter("writer");
  }

  async complete(): Promise<never> {
    throw notTheWriter("complete");
  }

  async #abortOnce(): Promise<void> {
    try {
      await this.#abort(this.#clientClosed);
      this.#ended = "aborted";
    } catch (error) {
      const meaning = meaningOf("abort", error);
      if (meaning instanceof BatchStateError) {
        const { reason } = meaning;
        if (reason === "completed" || reason === "aborted" || reason === "expired") this.#ended = reason;
      }
      throw meaning;
    }
  }
}

function notTheWriter(call: string): InvalidInputError {
  return new InvalidInputError(
    `${call} was refused: this handle of openBatch can only look and abort. A batch has one writer: to be that one, use openBatch(id, { takeOver: true }).`,
  );
}
