import { BatchAlreadyInProgressError, ClosedError, InvalidInputError, TransportError } from "../errors.js";
import { linkedController } from "../signals.js";
import { SyncBatch } from "./batch.js";
import { callWithRetry } from "./call.js";
import { resolveSyncOptions, type SyncClientOptions, type SyncConfiguration } from "./configuration.js";
import type { CallContext, SyncTransport } from "./transport.js";

/** How long `close()` waits for aborts that are under way. */
const CLOSE_GRACE_MS = 5000;

/** Options of {@link SyncClient.startBatch}. */
export interface StartBatchOptions {
  /** Id of the direct integration installation of the workspace. */
  readonly installationId: string;
  /** Ends the call; it rejects with the signal's reason. A batch that was started nevertheless is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Pushes the data of custom connectors over the Sync API.
 *
 * @example
 * ```ts
 * const sync = new SyncClient({ endpoint: "https://sync.example.com", apiKey });
 * await using batch = await sync.startBatch({ installationId });
 * await batch.write("accounts", accounts);
 * await batch.complete();
 * ```
 */
export class SyncClient {
  readonly #configuration: SyncConfiguration;
  #transport: Promise<SyncTransport> | undefined;
  readonly #batches = new Set<SyncBatch>();
  readonly #closed = new AbortController();
  /** Aborts of batches that nobody waits for any more. */
  readonly #cleanups = new Set<Promise<void>>();

  /** @throws {ConfigurationError} an option is missing or not usable; nothing is connected yet */
  constructor(options: SyncClientOptions) {
    this.#configuration = resolveSyncOptions(options);
  }

  /**
   * Acquires the installation's lock and starts a batch.
   *
   * A caller who gives up, or whose time is up, gets an answer at once; the call itself goes on, and a batch that it
   * still starts is aborted, so that the lock is not left held.
   * @throws {InvalidInputError} no installation id
   * @throws {BatchAlreadyInProgressError} another batch of the installation is in progress
   * @throws {AuthenticationError | PermissionDeniedError | TransportError | TimeoutError | ClosedError}
   */
  async startBatch(options: StartBatchOptions): Promise<SyncBatch> {
    this.#closed.signal.throwIfAborted();
    const { installationId, signal } = options;
    if (typeof installationId !== "string" || installationId === "") {
      throw new InvalidInputError("installationId must be the id of a direct integration installation.");
    }
    signal?.throwIfAborted();
    const transport = await this.#connect();
    const { controller, unlink } = linkedController(this.#closed.signal, signal);
    const startedAt = this.#configuration.clock.monotonic();
    let lost = false;
    try {
      const { batchId } = await callWithRetry(
        this.#configuration,
        "StartSyncBatch",
        controller.signal,
        async (call) => {
          try {
            return await this.#start(transport, installationId, call);
          } catch (error) {
            if (lost && error instanceof BatchAlreadyInProgressError) throw ghost(installationId);
            lost ||= error instanceof TransportError;
            throw error;
          }
        },
      );
      const batch = new SyncBatch({
        id: batchId,
        transport,
        configuration: this.#configuration,
        startedAt,
        onEnd: (ended) => this.#batches.delete(ended),
      });
      this.#batches.add(batch);
      return batch;
    } finally {
      unlink();
    }
  }

  /**
   * Refuses new calls, cancels what is under way and releases the connection. Open batches are neither completed nor
   * aborted. Waits, at most 5 seconds, until batches that were started for a caller who gave up are aborted.
   */
  async close(): Promise<void> {
    if (!this.#closed.signal.aborted) {
      this.#closed.abort(new ClosedError("The client is closed. Make a new one."));
      for (const batch of [...this.#batches]) batch.close();
    }
    const waited = new AbortController();
    await Promise.race([
      Promise.all(this.#cleanups),
      this.#configuration.clock.sleep(CLOSE_GRACE_MS, waited.signal).catch(() => {}),
    ]);
    waited.abort();
    const transport = await this.#transport?.catch(() => undefined);
    transport?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** One attempt. The request itself is not bound to the caller's signal: its answer may hold a lock. */
  #start(
    transport: SyncTransport,
    installationId: string,
    call: CallContext,
  ): Promise<{ readonly batchId: string }> {
    const answer = transport.startBatch(installationId, { ...call, signal: new AbortController().signal });
    return new Promise((resolve, reject) => {
      const abandon = () => {
        reject(call.signal.reason);
        this.#abortWhenStarted(transport, answer);
      };
      call.signal.addEventListener("abort", abandon, { once: true });
      answer.then(resolve, reject).finally(() => call.signal.removeEventListener("abort", abandon));
    });
  }

  #abortWhenStarted(transport: SyncTransport, answer: Promise<{ readonly batchId: string }>): void {
    const { logger } = this.#configuration;
    const cleanup = answer
      .then(
        ({ batchId }) =>
          callWithRetry(this.#configuration, "AbortSyncBatch", undefined, (call) =>
            transport.abortBatch(batchId, call),
          ),
        // Nothing was started.
        () => {},
      )
      .catch((error: unknown) => {
        logger.warn(
          "saas-management: a batch that nobody waits for could not be aborted; its lock ends with the lease",
          {
            error,
          },
        );
      })
      .finally(() => this.#cleanups.delete(cleanup));
    this.#cleanups.add(cleanup);
  }

  /** gRPC is loaded with the first call. */
  #connect(): Promise<SyncTransport> {
    this.#transport ??= import("./channel.js").then(
      ({ GrpcTransport }) => new GrpcTransport(this.#configuration),
    );
    return this.#transport;
  }
}

/** A lock that is held after a start whose answer was lost. */
function ghost(installationId: string): BatchAlreadyInProgressError {
  return new BatchAlreadyInProgressError(
    "A batch of this installation is in progress. It may be this call's own: the answer to an earlier attempt was lost. A lock that nobody uses ends 15 minutes after it was acquired.",
    { installationId },
  );
}
