import { setMaxListeners } from "node:events";
import { checkSignal, linkAbort } from "../core/abort.js";
import { ClosedError, InvalidInputError } from "../core/errors/index.js";
import { type KeysOf, readOptions, requirePositive } from "../core/validate.js";
import { readKeepAlive, startKeepAlive } from "./batch/keep-alive.js";
import { BatchSession, type BatchWatch } from "./batch/session.js";
import {
  BATCH_KEYS,
  type BatchOptions,
  BatchStarter,
  START_BATCH_KEYS,
  type StartBatchOptions,
} from "./batch/start.js";
import { BatchHandle } from "./batch/sync-batch.js";
import { callWithRetry } from "./call.js";
import { CLEANUP_GRACE_MS } from "./cleanup-grace.js";
import type { SnapshotCollection } from "./collections.js";
import { type Moment, momentOf } from "./lease.js";
import type { SyncConfiguration } from "./options.js";
import { PREVIEW_KEYS, type PreviewOptions } from "./preview/options.js";
import type { RunPreview } from "./preview/report.js";
import { guardProgress } from "./progress.js";
import { type Connector, readConnector } from "./run/connector.js";
import { checkRunOptions, RUN_KEYS, type RunOptions } from "./run/options.js";
import type { RunReceipt } from "./run/receipt.js";
import type { SyncTransport } from "./transport.js";

const UNWATCHED: BatchWatch = { acceptedEvents: undefined, observerOf: undefined, beforeComplete: undefined };

let runs: typeof import("./run/sync-run.js") | undefined;

/** Loads what runs need and batches do not. */
export async function loadRuns(): Promise<typeof import("./run/sync-run.js")> {
  runs ??= await import("./run/sync-run.js");
  return runs;
}

/** Batches and runs over any transport: what `SyncClient` does, without knowing how the service is reached. */
export class SyncEngine {
  readonly #configuration: SyncConfiguration;
  readonly #transport: SyncTransport;
  readonly #starter: BatchStarter;
  readonly #closed = new AbortController();

  /** The transport is closed with the engine. */
  constructor(configuration: SyncConfiguration, transport: SyncTransport) {
    this.#configuration = configuration;
    this.#transport = transport;
    this.#starter = new BatchStarter(transport, configuration);
    // One listener for each start under way and each batch that is open.
    setMaxListeners(0, this.#closed.signal);
  }

  async startBatch(given: StartBatchOptions, watch: BatchWatch = UNWATCHED): Promise<BatchHandle> {
    const options = this.#read("startBatch", given, START_BATCH_KEYS);
    const { installationId, signal, waitForLockMs = 0, timeoutMs, onProgress } = options;
    this.#requireOpen();
    requireId("installationId", installationId, "a direct integration installation");
    if (typeof waitForLockMs !== "number" || !(waitForLockMs >= 0))
      throw new InvalidInputError("waitForLockMs must be a number of milliseconds, 0 or more.");
    if (timeoutMs !== undefined) requirePositive("timeoutMs", timeoutMs, InvalidInputError);
    checkSignal(signal);
    signal?.throwIfAborted();
    const { controller, unlink } = linkAbort(this.#closed.signal, signal);
    try {
      const { id, startedAt } = await this.#starter.start(installationId, {
        signal: controller.signal,
        timeoutMs,
        waitForLockMs,
        onProgress,
      });
      return this.#handle({ id, startedAt, unverified: false }, options, watch);
    } finally {
      unlink();
    }
  }

  /** Returns a handle on a batch that another process started. */
  openBatch(batchId: string, given: BatchOptions): BatchHandle {
    const options = this.#read("openBatch", given, BATCH_KEYS);
    this.#requireOpen();
    requireId("batchId", batchId, "a batch");
    const startedAt = momentOf(this.#configuration.clock);
    return this.#handle({ id: batchId, startedAt, unverified: true }, options, UNWATCHED);
  }

  async run<Snapshots extends SnapshotCollection>(
    connector: Connector<Snapshots>,
    options: RunOptions,
  ): Promise<RunReceipt> {
    const read = readConnector("run", connector);
    const given = this.#read("run", options, RUN_KEYS);
    checkRunOptions(given);
    const { clock } = this.#configuration;
    const begunAt = clock.monotonic();
    const { SyncRun } = await loadRuns();
    const start = (wanted: StartBatchOptions, watch: BatchWatch) => this.startBatch(wanted, watch);
    const abort = (batchId: string, signal: AbortSignal) =>
      callWithRetry(this.#configuration, { rpc: "AbortSyncBatch", batchId }, signal, (call) =>
        this.#transport.abortBatch(batchId, call),
      );
    const parts = { configuration: this.#configuration, start, abort, begunAt, closed: this.#closed.signal };
    return new SyncRun(read, given, parts).execute();
  }

  /** Calls the connector over a transport that keeps nothing. */
  async preview<Snapshots extends SnapshotCollection>(
    connector: Connector<Snapshots>,
    options: PreviewOptions,
  ): Promise<RunPreview> {
    const read = readConnector("preview", connector);
    const given = this.#read("preview", options, PREVIEW_KEYS);
    checkSignal(given.signal);
    const { previewRun } = await import("./preview/preview-run.js");
    return previewRun(read, given, this.#configuration);
  }

  /** Refuses new calls, cancels what is under way, and closes the transport. */
  async close(): Promise<void> {
    if (!this.#closed.signal.aborted) this.#closed.abort(clientClosed());
    const waited = new AbortController();
    await Promise.race([
      this.#starter.settled(),
      this.#configuration.clock.sleep(CLEANUP_GRACE_MS, waited.signal).catch(() => {}),
    ]);
    waited.abort();
    this.#starter.giveUp(this.#closed.signal.reason);
    this.#transport.close();
  }

  #requireOpen(): void {
    // A new error for each caller, whose call site is added to its stack.
    if (this.#closed.signal.aborted) throw clientClosed();
  }

  /** Reads the options of a call, with those that all of them share. */
  #read<Options extends BatchOptions>(
    call: string,
    given: Options,
    known: KeysOf<NoInfer<Options>>,
  ): Options {
    const options = readOptions(call, given, known);
    const onProgress = guardProgress(options.onProgress, this.#configuration.logger);
    return { ...options, onProgress, keepAlive: readKeepAlive(options.keepAlive) };
  }

  #handle(
    batch: { readonly id: string; readonly startedAt: Moment; readonly unverified: boolean },
    { onProgress, keepAlive }: BatchOptions,
    watch: BatchWatch,
  ): BatchHandle {
    const { id, startedAt, unverified } = batch;
    const session = new BatchSession({
      id,
      transport: this.#transport,
      configuration: this.#configuration,
      startedAt,
      onProgress,
      clientClosed: this.#closed.signal,
      ...watch,
    });
    const handle = new BatchHandle({ session, unverified });
    if (keepAlive !== undefined) startKeepAlive(session, keepAlive);
    return handle;
  }
}

function clientClosed(): ClosedError {
  return new ClosedError("The client is closed. Create a new one.");
}

function requireId(name: string, value: unknown, of: string): void {
  if (typeof value === "string" && value !== "") return;
  throw new InvalidInputError(`${name} must be the id of ${of}.`);
}
