import { annotate, BatchInProgressError } from "../../core/errors/index.js";
import { hasEnded } from "../call.js";

export type AbortBatch = (batchId: string, signal: AbortSignal) => Promise<void>;

/** Aborts a batch that may have ended already. @returns its state, as far as the service tells it */
export async function endBatch(abort: AbortBatch, batchId: string, signal: AbortSignal): Promise<string> {
  try {
    await abort(batchId, signal);
    return "aborted";
  } catch (error) {
    if (hasEnded(error)) return error.batchState ?? "unknown";
    throw error;
  }
}

/**
 * Batches of failed attempts of a run that could not be aborted. Each may still hold the lock that the next attempt
 * needs, so they are aborted before it and while the run waits for the lock.
 */
export class UnreleasedBatches {
  readonly #abort: AbortBatch;
  readonly #failures = new Map<string, unknown>();
  #releasing: Promise<void> | undefined;

  constructor(abort: AbortBatch) {
    this.#abort = abort;
  }

  add(batchId: string, failure: unknown): void {
    this.#failures.set(batchId, failure);
  }

  /** Aborts the batches; those that cannot be aborted stay. Never rejects. */
  release(signal: AbortSignal): Promise<void> {
    this.#releasing ??= this.#release(signal).finally(() => {
      this.#releasing = undefined;
    });
    return this.#releasing;
  }

  /** Returns an error that tells if one of these batches may hold the lock; otherwise the same error. */
  explain(error: unknown): unknown {
    const [first] = this.#failures;
    if (first === undefined || !(error instanceof BatchInProgressError)) return error;
    const [batchId, cause] = first;
    const { installationId, serverMessage, waitedMs } = error;
    const own = new BatchInProgressError(
      `A batch of this installation is in progress. It may be batch ${batchId} of an earlier attempt of this run, which failed and could not be aborted. Its lock ends 15 minutes after its last accepted message.`,
      { installationId, serverMessage, waitedMs, mayBeOwn: true, cause },
    );
    return annotate(own, error);
  }

  async #release(signal: AbortSignal): Promise<void> {
    for (const batchId of [...this.#failures.keys()]) {
      try {
        await endBatch(this.#abort, batchId, signal);
        this.#failures.delete(batchId);
      } catch {
        // Tried again while the run waits for the lock.
      }
    }
  }
}
