import { annotate, BatchAlreadyInProgressError } from "../../core/errors/index.js";
import { Attempts } from "../attempts.js";
import { callWithRetry } from "../call.js";
import type { SyncConfiguration } from "../configuration.js";
import type { OnProgress } from "../progress.js";
import type { CallContext, SyncTransport } from "../transport.js";
import { GhostLocks } from "./ghost-locks.js";

/** How long a start is on its way at least, in milliseconds, also where nobody waits so long: its answer may hold a lock. */
const LEAST_ANSWER_MS = 100_000;

type Started = { readonly batchId: string };

/** How one start is made. */
interface StartContext {
  readonly signal: AbortSignal;
  /** Time of the start, where it is not the client's. */
  readonly timeoutMs: number | undefined;
  readonly onProgress: OnProgress | undefined;
}

/**
 * Starts batches so that none is lost: a caller who gives up, or whose time is up, gets an answer at once. A request
 * that was sent by then goes on, and a batch that it still starts is aborted, so that the lock is not left held.
 */
export class BatchStarter {
  readonly #transport: SyncTransport;
  readonly #configuration: SyncConfiguration;
  readonly #ghosts: GhostLocks;
  /** Starts that nobody waits for any more, and the aborts of their batches. */
  readonly #cleanups = new Set<Promise<void>>();
  /** Ends the cleanups. */
  readonly #givenUp = new AbortController();

  constructor(transport: SyncTransport, configuration: SyncConfiguration) {
    this.#transport = transport;
    this.#configuration = configuration;
    this.#ghosts = new GhostLocks(configuration.clock);
  }

  /** Starts a batch and returns its id. */
  async start(installationId: string, { signal, timeoutMs, onProgress }: StartContext): Promise<string> {
    const configuration =
      timeoutMs === undefined ? this.#configuration : { ...this.#configuration, timeoutMs };
    const attempt = (call: CallContext) => this.#attempt(installationId, call);
    try {
      const { batchId } = await callWithRetry(configuration, "StartSyncBatch", signal, attempt, onProgress);
      this.#ghosts.clear(installationId);
      return batchId;
    } catch (error) {
      if (error instanceof BatchAlreadyInProgressError && this.#ghosts.has(installationId))
        throw ghost(error);
      throw error;
    }
  }

  /** Resolves when every batch that nobody waits for is aborted, or could not be. */
  async settled(): Promise<void> {
    await Promise.all(this.#cleanups);
  }

  /** No batch is aborted any more: one that nobody waits for keeps its lock until its lease ends. */
  giveUp(reason: unknown): void {
    this.#givenUp.abort(reason);
  }

  /** One attempt. Once sent, the request is not bound to the caller's signal: its answer may hold a lock. */
  #attempt(installationId: string, call: CallContext): Promise<Started> {
    const { signal: callerSignal } = call;
    const attempts = new Attempts();
    const unbound = {
      ...call,
      signal: new AbortController().signal,
      unlessSent: callerSignal,
      answerMs: Math.max(call.timeoutMs, LEAST_ANSWER_MS),
    };
    const answer = attempts.make(unbound, (context) => this.#transport.startBatch(installationId, context));
    return new Promise((resolve, reject) => {
      const abandon = () => {
        reject(callerSignal.reason);
        this.#cleanUp(installationId, answer, attempts);
      };
      callerSignal.addEventListener("abort", abandon, { once: true });
      answer
        .then(resolve, (error: unknown) => {
          if (attempts.mayBeDone && !callerSignal.aborted) this.#ghosts.add(installationId);
          reject(error);
        })
        .finally(() => callerSignal.removeEventListener("abort", abandon));
    });
  }

  /** Nobody waits for this start any more. */
  #cleanUp(installationId: string, answer: Promise<Started>, attempts: Attempts): void {
    const cleanup = this.#abortWhenStarted(installationId, answer, attempts).finally(() =>
      this.#cleanups.delete(cleanup),
    );
    this.#cleanups.add(cleanup);
  }

  async #abortWhenStarted(
    installationId: string,
    answer: Promise<Started>,
    attempts: Attempts,
  ): Promise<void> {
    const forget = this.#ghosts.add(installationId);
    let started = false;
    try {
      const { batchId } = await answer;
      started = true;
      await callWithRetry(this.#configuration, "AbortSyncBatch", this.#givenUp.signal, (call) =>
        this.#transport.abortBatch(batchId, call),
      );
      forget();
    } catch (error) {
      if (!started && !attempts.mayBeDone) return forget();
      this.#configuration.logger.warn(
        "saas-management: a batch that nobody waits for could not be aborted; its lock ends with the lease",
        { error },
      );
    }
  }
}

/** A lock that is held after a start whose answer was lost. */
function ghost(held: BatchAlreadyInProgressError): BatchAlreadyInProgressError {
  const { installationId, serverMessage } = held;
  const error = new BatchAlreadyInProgressError(
    "A batch of this installation is in progress. It may be this client's own: the answer to an earlier start was lost. A lock that nobody uses ends 15 minutes after it was acquired.",
    { installationId, serverMessage, mayBeOwn: true },
  );
  return annotate(error, held);
}
