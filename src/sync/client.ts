import { ClosedError, InvalidInputError } from "../errors.js";
import { linkedController } from "../signals.js";
import { SyncBatch } from "./batch.js";
import { callWithRetry } from "./call.js";
import type { SnapshotCollection } from "./collections.js";
import { resolveSyncOptions, type SyncClientOptions, type SyncConfiguration } from "./configuration.js";
import { checkKeepAlive, type KeepAliveOptions, startKeepAlive } from "./keep-alive.js";
import { lazyTransport } from "./lazy-transport.js";
import { type Moment, momentOf } from "./lease.js";
import { waitForLock } from "./lock.js";
import { guardProgress, type OnProgress } from "./progress.js";
import type { SyncReceipt } from "./receipt.js";
import { SyncRun } from "./run.js";
import type { RunFunction, RunOptions } from "./run-options.js";
import { BatchSession, type BatchWatch } from "./session.js";
import { BatchStarter } from "./start.js";
import type { SyncTransport } from "./transport.js";

/** How long `close()` waits for aborts that are under way. */
const CLOSE_GRACE_MS = 5000;

/** What goes on beside a batch that is on its own. */
const UNWATCHED: BatchWatch = { acceptedEvents: undefined, observerOf: undefined, beforeComplete: undefined };

/** Options of a batch handle. */
export interface BatchOptions {
  /** Called with everything that happens to the batch. */
  readonly onProgress?: OnProgress | undefined;
  /** Keeps the lease alive while the source is silent. @default it runs out after 15 minutes */
  readonly keepAlive?: KeepAliveOptions | undefined;
}

/** Options of {@link SyncClient.startBatch}. */
export interface StartBatchOptions extends BatchOptions {
  /** Id of the direct integration installation of the workspace. */
  readonly installationId: string;
  /**
   * How long to wait for a lock that another batch holds, in milliseconds. The lock of an owner that died ends 15
   * minutes after its last accepted message. @default 0
   */
  readonly waitForLockMs?: number | undefined;
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
  readonly #transport: SyncTransport;
  readonly #starter: BatchStarter;
  readonly #batches = new Set<SyncBatch>();
  readonly #closed = new AbortController();

  /** @throws {ConfigurationError} an option is missing or not usable; nothing is connected yet */
  constructor(options: SyncClientOptions, transport?: SyncTransport) {
    const configuration = resolveSyncOptions(options);
    this.#configuration = configuration;
    this.#transport =
      transport ??
      lazyTransport(async () => {
        const { GrpcTransport } = await import("./channel.js");
        return new GrpcTransport(configuration);
      });
    this.#starter = new BatchStarter(this.#transport, configuration);
  }

  static over(transport: SyncTransport, options: SyncClientOptions): SyncClient {
    return new SyncClient(options, transport);
  }

  /**
   * Acquires the installation's lock and starts a batch.
   *
   * A caller who gives up, or whose time is up, gets an answer at once; the call itself goes on, and a batch that it
   * still starts is aborted, so that the lock is not left held.
   * @throws {InvalidInputError} no installation id, or another option is wrong
   * @throws {BatchAlreadyInProgressError} another batch of the installation is in progress, and was for `waitForLockMs`
   * @throws {AuthenticationError | PermissionDeniedError | TransportError | TimeoutError | ClosedError}
   */
  startBatch(options: StartBatchOptions): Promise<SyncBatch> {
    return this.#startBatch(options, UNWATCHED);
  }

  /**
   * Pushes everything in one call: starts a batch, calls `fn` to write, completes the batch when it returns, and aborts
   * it when it throws (service description, rule 8).
   *
   * - `snapshots` declares the snapshot collections of the run. Each is written exactly once, as a whole; one that is
   *   missing, undeclared or written twice keeps the batch from being completed.
   * - When the batch itself fails transiently (a window, the lease, the completion; not whatever `fn` threw), it is
   *   aborted and `fn` is called again with a new one, up to `restarts` times. Snapshots go again in full; events that
   *   an earlier attempt got accepted are left out, each as often as it was accepted.
   * - An exception of `fn` and the signal's reason come back unchanged.
   * @throws {InvalidInputError} an option is wrong, or `fn` did not keep to `snapshots`
   * @throws everything that `startBatch`, `write` and `complete` throw, when the restarts are used up
   */
  async run<const Snapshots extends SnapshotCollection>(
    options: RunOptions<Snapshots>,
    fn: RunFunction<Snapshots>,
  ): Promise<SyncReceipt> {
    const start = (wanted: StartBatchOptions, watch: BatchWatch) => this.#startBatch(wanted, watch);
    const abort = (batchId: string, signal: AbortSignal) =>
      callWithRetry(this.#configuration, "AbortSyncBatch", signal, (call) =>
        this.#transport.abortBatch(batchId, call),
      );
    return new SyncRun(options, fn, { configuration: this.#configuration, start, abort }).execute();
  }

  async #startBatch(options: StartBatchOptions, watch: BatchWatch): Promise<SyncBatch> {
    this.#closed.signal.throwIfAborted();
    const { installationId, signal, waitForLockMs = 0 } = options;
    const onProgress = guardProgress(options.onProgress, this.#configuration.logger);
    requireId("installationId", installationId, "a direct integration installation");
    if (!(waitForLockMs >= 0))
      throw new InvalidInputError("waitForLockMs must be a number of milliseconds, 0 or more.");
    checkKeepAlive(options.keepAlive);
    signal?.throwIfAborted();
    const { controller, unlink } = linkedController(this.#closed.signal, signal);
    let startedAt = momentOf(this.#configuration.clock);
    try {
      const start = () => {
        startedAt = momentOf(this.#configuration.clock);
        return this.#starter.start(installationId, controller.signal, onProgress);
      };
      const id = await waitForLock(start, this.#configuration, waitForLockMs, controller.signal, onProgress);
      return this.#handle(id, startedAt, options, watch, { unverified: false });
    } finally {
      unlink();
    }
  }

  /**
   * A handle on a batch that another process started: to go on with it, or to abort it. Nothing is sent; whether the
   * batch is active shows with the first call. Its lease is counted from now, so it may end earlier than it says.
   * `complete()` needs `{ unverified: true }`.
   * @throws {InvalidInputError} no batch id, or another option is wrong
   * @throws {ClosedError} the client was closed
   */
  openBatch(batchId: string, options: BatchOptions = {}): SyncBatch {
    this.#closed.signal.throwIfAborted();
    requireId("batchId", batchId, "a batch");
    checkKeepAlive(options.keepAlive);
    const openedAt = momentOf(this.#configuration.clock);
    return this.#handle(batchId, openedAt, options, UNWATCHED, { unverified: true });
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
      this.#starter.settled(),
      this.#configuration.clock.sleep(CLOSE_GRACE_MS, waited.signal).catch(() => {}),
    ]);
    waited.abort();
    this.#transport.close();
  }

  /** Closes the client, as `close()` does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #handle(
    id: string,
    startedAt: Moment,
    { onProgress, keepAlive }: BatchOptions,
    watch: BatchWatch,
    { unverified }: { readonly unverified: boolean },
  ): SyncBatch {
    const session = new BatchSession({
      id,
      transport: this.#transport,
      configuration: this.#configuration,
      startedAt,
      onProgress,
      ...watch,
    });
    const batch = new SyncBatch({ session, unverified, onEnd: (ended) => this.#batches.delete(ended) });
    this.#batches.add(batch);
    if (keepAlive !== undefined) startKeepAlive(session, keepAlive);
    return batch;
  }
}

function requireId(name: string, value: unknown, of: string): void {
  if (typeof value === "string" && value !== "") return;
  throw new InvalidInputError(`${name} must be the id of ${of}.`);
}
