import { raceAbort } from "../core/abort.js";
import { withCallSite } from "../core/operation.js";
import type { BatchOptions, StartBatchOptions } from "./batch/start.js";
import type { SyncBatch } from "./batch/sync-batch.js";
import type { SnapshotCollection } from "./collections.js";
import { SyncEngine } from "./engine.js";
import { resolveSyncOptions, type SyncClientOptions, type SyncConfiguration } from "./options.js";
import type { PreviewOptions } from "./preview/options.js";
import type { RunPreview } from "./preview/report.js";
import type { Connector } from "./run/connector.js";
import type { RunOptions } from "./run/options.js";
import type { RunReceipt } from "./run/receipt.js";
import type { CallContext, SyncTransport } from "./transport.js";

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
    this.#engine = new SyncEngine(configuration, lazyGrpc(configuration));
  }

  /**
   * Acquires the installation's lock and starts a batch.
   *
   * If the caller gives up or the time is up, the call rejects at once. The request itself goes on, and a batch that it
   * still starts is aborted, so that no lock is left.
   * @throws {InvalidInputError} no installation id, or another option is wrong
   * @throws {BatchInProgressError} another batch of the installation is in progress, and was for `waitForLockMs`
   * @throws {AuthenticationError | PermissionDeniedError | TransportError | TimeoutError | ClosedError}
   */
  async startBatch(options: StartBatchOptions): Promise<SyncBatch> {
    // Without types, the options may be anything.
    return withCallSite(options?.signal, () => this.#engine.startBatch(options));
  }

  /**
   * Pushes everything in one call: starts a batch, calls the connector to write, completes the batch when `run` returns,
   * and aborts it when it throws (service description, rule 8).
   *
   * - `connector.snapshots` declares the snapshot collections of the run. Each is written exactly once, in full; the
   *   batch is not completed if one is missing, undeclared or written twice.
   * - If the batch itself fails transiently (a window, the lease, the completion; not an exception of the connector), it
   *   is aborted and the connector is called again with a new one, up to `restarts` times. Snapshots are sent again in
   *   full; events that an earlier attempt got accepted are left out, each as often as it was accepted.
   * - An exception of the connector and the signal's reason are rethrown unchanged.
   *
   * @example
   * ```ts
   * const ledger = fileLedger("ledger");
   * await client.sync.run(
   *   { snapshots: ["accounts"], run: (batch) => batch.write("accounts", accounts) },
   *   { installationId, ledger },
   * );
   * ```
   * @throws {InvalidInputError} an option is wrong, or the connector did not keep to its `snapshots`
   * @throws everything that `startBatch`, `write` and `complete` throw, when the restarts are used up
   */
  async run<const S extends SnapshotCollection = never>(
    connector: Connector<S>,
    options: RunOptions,
  ): Promise<RunReceipt> {
    return withCallSite(options?.signal, () => this.#engine.run(connector, options));
  }

  /**
   * Calls the connector of a run without sending anything, and reports what the run would do: what it would send, add
   * and remove, whether the guard would hold it, and which records have problems. It needs no credential.
   *
   * The records are checked, encoded and compared as in a run, and then dropped. Invalid records and duplicate ids, which
   * would end a run, are noted, and the preview continues. The ledger is read and never changed. Memory is bounded as in
   * a run: two windows, and up to about 75 bytes per id.
   * @throws {InvalidInputError} an option is invalid, the connector did not write its `snapshots`, or an `expectedCount`
   *   differs
   * @throws {BatchStateError} a write failed, and the connector continued
   * @throws errors of the connector and of sources, and the signal's reason, unchanged
   */
  async preview<const S extends SnapshotCollection = never>(
    connector: Connector<S>,
    options: PreviewOptions,
  ): Promise<RunPreview> {
    return this.#engine.preview(connector, options);
  }

  /**
   * Returns a handle on a batch that another process started, to continue or to abort it. Nothing is sent: the first
   * call shows whether the batch is active. Its lease is counted from now, so it may end earlier than it says.
   * `complete()` needs `{ unverified: true }`.
   * @throws {InvalidInputError} no batch id, or another option is wrong
   * @throws {ClosedError} the client was closed
   */
  openBatch(batchId: string, options: BatchOptions = {}): SyncBatch {
    return this.#engine.openBatch(batchId, options);
  }

  /**
   * Refuses new calls, cancels what is under way and releases the connection. Open batches are neither completed nor
   * aborted. A completion that was sent and not answered rejects with a {@link BatchOutcomeUnknownError}, everything else
   * with a {@link ClosedError}. Waits up to 5 seconds until batches whose start was cancelled are aborted.
   */
  close(): Promise<void> {
    return this.#engine.close();
  }

  /** Closes the client, as `close()` does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Loads gRPC with the first call, so that importing the package stays cheap. */
function lazyGrpc(configuration: SyncConfiguration): SyncTransport {
  let loading: Promise<SyncTransport> | undefined;
  let closed = false;
  const load = async (): Promise<SyncTransport> => {
    const { GrpcTransport } = await import("./grpc/transport.js");
    const transport = new GrpcTransport(configuration);
    if (closed) transport.close();
    return transport;
  };
  const ready = async ({ signal, unlessSent, onUnsent }: CallContext): Promise<SyncTransport> => {
    try {
      loading ??= load();
      return await raceAbort(loading, signal, unlessSent);
    } catch (error) {
      onUnsent?.();
      throw error;
    }
  };
  return {
    startBatch: async (installationId, call) => (await ready(call)).startBatch(installationId, call),
    syncRecords: async (messages, call) => (await ready(call)).syncRecords(messages, call),
    completeBatch: async (batchId, call) => (await ready(call)).completeBatch(batchId, call),
    abortBatch: async (batchId, call) => (await ready(call)).abortBatch(batchId, call),
    close: () => {
      closed = true;
      loading?.then(
        (transport) => transport.close(),
        () => {},
      );
    },
  };
}
