import { withCallSite } from "../core/call-site.js";
import { type BatchOptions, START_BATCH_NAMES, type StartBatchOptions } from "./batch/start.js";
import type { SyncBatch } from "./batch/sync-batch.js";
import { requireOptions } from "./call-options.js";
import type { SnapshotCollection } from "./collections.js";
import { readBatchOptions, SyncEngine } from "./engine.js";
import { lazyTransport } from "./lazy-transport.js";
import { resolveSyncOptions, type SyncClientOptions } from "./options.js";
import { RUN_NAMES, type RunFunction, type RunOptions } from "./run/options.js";
import type { SyncReceipt } from "./run/receipt.js";

/**
 * Pushes the data of custom connectors over the Sync API (service description, "Sync API").
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
  readonly #engine: SyncEngine;

  /** @throws {ConfigurationError} an option is missing or not usable; nothing is connected yet */
  constructor(options: SyncClientOptions) {
    const configuration = resolveSyncOptions(options);
    const transport = lazyTransport(async () => {
      const { GrpcTransport } = await import("./grpc/transport.js");
      return new GrpcTransport(configuration);
    });
    this.#engine = new SyncEngine(configuration, transport);
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
  async startBatch(options: StartBatchOptions): Promise<SyncBatch> {
    requireOptions('startBatch({ installationId: "…" })', options);
    const own = readBatchOptions("startBatch", options, START_BATCH_NAMES);
    return withCallSite(own.signal, () => this.#engine.startBatch(own));
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
   * @throws {ConfigurationError} no memory is left to remember accepted events in, which `restarts: 0` does without
   * @throws everything that `startBatch`, `write` and `complete` throw, when the restarts are used up
   */
  async run<const Snapshots extends SnapshotCollection>(
    options: RunOptions<Snapshots>,
    fn: RunFunction<Snapshots>,
  ): Promise<SyncReceipt> {
    requireOptions("run({ installationId, snapshots, ledger }, (batch) => …)", options);
    const own = readBatchOptions("run", options, RUN_NAMES);
    return withCallSite(own.signal, () => this.#engine.run(own, fn));
  }

  /**
   * A handle on a batch that another process started: to go on with it, or to abort it. Nothing is sent; whether the
   * batch is active shows with the first call. Its lease is counted from now, so it may end earlier than it says.
   * `complete()` needs `{ unverified: true }`.
   * @throws {InvalidInputError} no batch id, or another option is wrong
   * @throws {ClosedError} the client was closed
   */
  openBatch(batchId: string, options: BatchOptions = {}): SyncBatch {
    return this.#engine.openBatch(batchId, options);
  }

  /**
   * Refuses new calls, cancels what is under way and releases the connection. Open batches are neither completed nor
   * aborted. No answer to a completion that was sent is waited for: `batch.complete()` and `run` then reject with a
   * {@link BatchOutcomeUnknownError}, and everything else that is cancelled with a {@link ClosedError}. Waits, at most
   * 5 seconds, until batches that were started for a caller who gave up are aborted.
   */
  close(): Promise<void> {
    return this.#engine.close();
  }

  /** Closes the client, as `close()` does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
