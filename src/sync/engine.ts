import { setMaxListeners } from "node:events";
import { checkSignal, linkedController } from "../core/abort.js";
import { ClosedError, InvalidInputError } from "../core/errors/index.js";
import type { NamesOf } from "../core/option-names.js";
import { checkingOptions, readOptions } from "../core/validate.js";
import { checkKeepAlive, KEEP_ALIVE_NAMES, startKeepAlive } from "./batch/keep-alive.js";
import type { BatchKeeper } from "./batch/lifecycle.js";
import { waitForLock } from "./batch/lock.js";
import {
  BATCH_NAMES,
  type BatchOptions,
  START_BATCH_NAMES,
  type StartBatchOptions,
} from "./batch/options.js";
import { BatchSession } from "./batch/session.js";
import type { BatchWatch } from "./batch/session-options.js";
import { BatchStarter } from "./batch/start.js";
import { SyncBatch } from "./batch/sync-batch.js";
import { callWithRetry } from "./call.js";
import { CLEANUP_GRACE_MS } from "./cleanup-grace.js";
import type { SnapshotCollection } from "./collections.js";
import type { SyncConfiguration } from "./configuration.js";
import { type Moment, momentOf } from "./lease.js";
import { guardProgress } from "./progress.js";
import { RUN_NAMES, type RunFunction, type RunOptions } from "./run/options.js";
import type { SyncReceipt } from "./run/receipt.js";
import type { SyncTransport } from "./transport.js";

/** What goes on beside a batch that is on its own. */
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
  /** Batches of which something may go on: those that have ended leave by themselves. */
  readonly #batches = new Set<SyncBatch>();
  readonly #keeper: BatchKeeper<SyncBatch> = {
    keep: (batch) => {
      if (this.#closed.signal.aborted) batch.close();
      else this.#batches.add(batch);
    },
    letGo: (batch) => void this.#batches.delete(batch),
  };
  readonly #closed = new AbortController();

  /** The transport is closed with the engine. */
  constructor(configuration: SyncConfiguration, transport: SyncTransport) {
    this.#configuration = configuration;
    this.#transport = transport;
    this.#starter = new BatchStarter(transport, configuration);
    // Every start listens: as many as are under way at once are no leak.
    setMaxListeners(0, this.#closed.signal);
  }

  /** Starts a batch, and has it watched where somebody wants to. */
  async startBatch(given: StartBatchOptions, watch: BatchWatch = UNWATCHED): Promise<SyncBatch> {
    const options = readBatchOptions("startBatch", given, START_BATCH_NAMES);
    this.#requireOpen();
    const { installationId, signal, waitForLockMs = 0, timeoutMs } = options;
    const onProgress = guardProgress(options.onProgress, this.#configuration.logger);
    requireId("installationId", installationId, "a direct integration installation");
    if (typeof waitForLockMs !== "number" || !(waitForLockMs >= 0))
      throw new InvalidInputError("waitForLockMs must be a number of milliseconds, 0 or more.");
    if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0))
      throw new InvalidInputError("timeoutMs must be a positive, finite number of milliseconds.");
    checkKeepAlive(options.keepAlive);
    checkSignal(signal);
    signal?.throwIfAborted();
    const { controller, unlink } = linkedController(this.#closed.signal, signal);
    let startedAt = momentOf(this.#configuration.clock);
    try {
      const start = () => {
        startedAt = momentOf(this.#configuration.clock);
        return this.#starter.start(installationId, { signal: controller.signal, timeoutMs, onProgress });
      };
      const id = await waitForLock(start, this.#configuration, waitForLockMs, controller.signal, onProgress);
      return this.#handle(id, startedAt, options, watch, { unverified: false });
    } finally {
      unlink();
    }
  }

  /** A handle on a batch that another process started. */
  openBatch(batchId: string, given: BatchOptions): SyncBatch {
    const options = readBatchOptions("openBatch", given, BATCH_NAMES);
    this.#requireOpen();
    requireId("batchId", batchId, "a batch");
    checkKeepAlive(options.keepAlive);
    const openedAt = momentOf(this.#configuration.clock);
    return this.#handle(batchId, openedAt, options, UNWATCHED, { unverified: true });
  }

  /** Starts a batch, has it written, and completes it; again where it failed transiently. */
  async run<Snapshots extends SnapshotCollection>(
    options: RunOptions<Snapshots>,
    fn: RunFunction<Snapshots>,
  ): Promise<SyncReceipt> {
    // Read before anything is waited for: what the caller sets in them meanwhile is not heeded.
    const given = readBatchOptions("run", options, RUN_NAMES);
    const { clock } = this.#configuration;
    const begunAt = clock.monotonic();
    const { SyncRun } = await loadRuns();
    const start = (wanted: StartBatchOptions, watch: BatchWatch) => this.startBatch(wanted, watch);
    const abort = (batchId: string, signal: AbortSignal) =>
      callWithRetry(this.#configuration, "AbortSyncBatch", signal, (call) =>
        this.#transport.abortBatch(batchId, call),
      );
    const parts = { configuration: this.#configuration, start, abort, begunAt, closed: this.#closed.signal };
    return checkingOptions("The options of run", given, () => new SyncRun(given, fn, parts)).execute();
  }

  /** Refuses new calls, cancels what is under way, and closes the transport. */
  async close(): Promise<void> {
    if (!this.#closed.signal.aborted) {
      this.#closed.abort(clientClosed());
      for (const batch of [...this.#batches]) batch.close();
    }
    const waited = new AbortController();
    await Promise.race([
      this.#starter.settled(),
      this.#configuration.clock.sleep(CLEANUP_GRACE_MS, waited.signal).catch(() => {}),
    ]);
    waited.abort();
    this.#starter.giveUp(this.#closed.signal.reason);
    this.#transport.close();
  }

  /** An error for each caller: its stack leads to one. */
  #requireOpen(): void {
    if (this.#closed.signal.aborted) throw clientClosed();
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
    const batch = new SyncBatch({ session, unverified, keeper: this.#keeper });
    if (keepAlive !== undefined) startKeepAlive(session, keepAlive);
    // The client may have been closed right after the answer to a start, and the lease may be over.
    this.#keeper.keep(batch);
    if (batch.signal.aborted) this.#keeper.letGo(batch);
    return batch;
  }
}

/** The options of a call, and those within them, each read once. */
export function readBatchOptions<Options extends BatchOptions>(
  call: string,
  given: Options,
  known: NamesOf<NoInfer<Options>>,
): Options {
  const options = readOptions(`The options of ${call}`, given, known);
  const { keepAlive } = options;
  if (keepAlive === undefined) return options;
  return { ...options, keepAlive: readOptions("keepAlive", keepAlive, KEEP_ALIVE_NAMES) };
}

function clientClosed(): ClosedError {
  return new ClosedError("The client is closed. Make a new one.");
}

function requireId(name: string, value: unknown, of: string): void {
  if (typeof value === "string" && value !== "") return;
  throw new InvalidInputError(`${name} must be the id of ${of}.`);
}
