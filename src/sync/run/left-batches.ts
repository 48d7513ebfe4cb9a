import { annotate, BatchAlreadyInProgressError } from "../../core/errors/index.js";
import { hasEnded } from "../call.js";

/**
 * Batches of one run that could not be aborted when their attempts ended. Each may still hold the lock that the next
 * attempt needs, so it is tried again before that, and while the lock is waited for.
 */
export class LeftBatches {
  readonly #abort: (batchId: string, signal: AbortSignal) => Promise<void>;
  /** What each attempt failed with. */
  readonly #failures = new Map<string, unknown>();
  #releasing: Promise<void> | undefined;

  constructor(abort: (batchId: string, signal: AbortSignal) => Promise<void>) {
    this.#abort = abort;
  }

  /** An attempt failed, and whether its batch has ended is not known. */
  add(batchId: string, failure: unknown): void {
    this.#failures.set(batchId, failure);
  }

  /** Aborts what is left; what cannot be aborted stays. Never rejects. */
  release(signal: AbortSignal): Promise<void> {
    this.#releasing ??= this.#release(signal).finally(() => {
      this.#releasing = undefined;
    });
    return this.#releasing;
  }

  /** The same error; where the lock may be held by what is left, one that says so, with what failed first. */
  explain(error: unknown): unknown {
    const [first] = this.#failures;
    if (first === undefined || !(error instanceof BatchAlreadyInProgressError)) return error;
    const [batchId, cause] = first;
    const { installationId, serverMessage, waitedMs } = error;
    const own = new BatchAlreadyInProgressError(
      `A batch of this installation is in progress. It may be this run's own: the batch ${batchId} of an earlier attempt failed and could not be aborted. Its lock ends 15 minutes after its last accepted message.`,
      { installationId, serverMessage, waitedMs, mayBeOwn: true, cause },
    );
    return annotate(own, error);
  }

  async #release(signal: AbortSignal): Promise<void> {
    for (const batchId of [...this.#failures.keys()]) {
      try {
        await this.#abort(batchId, signal);
        this.#failures.delete(batchId);
      } catch (error) {
        if (hasEnded(error)) this.#failures.delete(batchId);
      }
    }
  }
}
