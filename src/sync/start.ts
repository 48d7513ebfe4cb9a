import { BatchAlreadyInProgressError, TransportError } from "../errors.js";
import { callWithRetry } from "./call.js";
import type { SyncConfiguration } from "./configuration.js";
import type { OnProgress } from "./progress.js";
import type { CallContext, SyncTransport } from "./transport.js";

/**
 * Starts batches so that none is lost: a caller who gives up, or whose time is up, gets an answer at once; the request
 * itself goes on, and a batch that it still starts is aborted, so that the lock is not left held.
 */
export class BatchStarter {
  readonly #transport: SyncTransport;
  readonly #configuration: SyncConfiguration;
  /** Aborts of batches that nobody waits for any more. */
  readonly #cleanups = new Set<Promise<void>>();

  constructor(transport: SyncTransport, configuration: SyncConfiguration) {
    this.#transport = transport;
    this.#configuration = configuration;
  }

  /** Starts a batch and returns its id. */
  async start(
    installationId: string,
    signal: AbortSignal,
    onProgress: OnProgress | undefined,
  ): Promise<string> {
    let lost = false;
    const attempt = async (call: CallContext) => {
      try {
        return await this.#attempt(installationId, call);
      } catch (error) {
        if (lost && error instanceof BatchAlreadyInProgressError) throw ghost(error);
        lost ||= error instanceof TransportError;
        throw error;
      }
    };
    const { batchId } = await callWithRetry(
      this.#configuration,
      "StartSyncBatch",
      signal,
      attempt,
      onProgress,
    );
    return batchId;
  }

  /** Resolves when every batch that nobody waits for is aborted, or could not be. */
  async settled(): Promise<void> {
    await Promise.all(this.#cleanups);
  }

  /** One attempt. The request itself is not bound to the caller's signal: its answer may hold a lock. */
  #attempt(installationId: string, call: CallContext): Promise<{ readonly batchId: string }> {
    const answer = this.#transport.startBatch(installationId, {
      ...call,
      signal: new AbortController().signal,
    });
    return new Promise((resolve, reject) => {
      const abandon = () => {
        reject(call.signal.reason);
        this.#abortWhenStarted(answer);
      };
      call.signal.addEventListener("abort", abandon, { once: true });
      answer.then(resolve, reject).finally(() => call.signal.removeEventListener("abort", abandon));
    });
  }

  #abortWhenStarted(answer: Promise<{ readonly batchId: string }>): void {
    const cleanup = answer
      .then(
        ({ batchId }) =>
          callWithRetry(this.#configuration, "AbortSyncBatch", undefined, (call) =>
            this.#transport.abortBatch(batchId, call),
          ),
        // Nothing was started.
        () => {},
      )
      .catch((error: unknown) => {
        this.#configuration.logger.warn(
          "saas-management: a batch that nobody waits for could not be aborted; its lock ends with the lease",
          { error },
        );
      })
      .finally(() => this.#cleanups.delete(cleanup));
    this.#cleanups.add(cleanup);
  }
}

/** A lock that is held after a start whose answer was lost. */
function ghost({ installationId, serverMessage }: BatchAlreadyInProgressError): BatchAlreadyInProgressError {
  return new BatchAlreadyInProgressError(
    "A batch of this installation is in progress. It may be this call's own: the answer to an earlier attempt was lost. A lock that nobody uses ends 15 minutes after it was acquired.",
    { installationId, serverMessage },
  );
}
