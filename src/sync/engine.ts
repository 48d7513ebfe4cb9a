import { setMaxListeners } from "node:events";
import { linkAbort, raceAbort } from "../core/abort.js";
import { ClosedError, InvalidInputError } from "../core/errors/index.js";
import { safeCallback } from "../core/hooks.js";
import { withCallSite } from "../core/operation.js";
import { FLAG, type OptionTable, readOptions } from "../core/validate.js";
import { takenOverError } from "./batch/batch-errors.js";
import { startKeepAlive } from "./batch/keep-alive.js";
import { OpenedBatch } from "./batch/opened-batch.js";
import { BatchSession } from "./batch/session.js";
import {
  BATCH_OPTIONS,
  type BatchOptions,
  BatchStarter,
  type BatchWatch,
  requireInstallation,
  type StartedBatch,
} from "./batch/start.js";
import { BatchHandle } from "./batch/sync-batch.js";
import { callWithRetry, openSyncTrace, withinGrace } from "./call.js";
import type { SnapshotCollection } from "./collections.js";
import { momentOf } from "./lease.js";
import { fileLedger, type Ledger, openLedger } from "./ledger/ledger.js";
import type { SyncConfiguration, SyncTuning } from "./options.js";
import type { RunPreview } from "./preview/report.js";
import { type OnProgress, withHeartbeat } from "./progress.js";
import { type Connector, readConnector } from "./run/connector.js";
import type { RunHistory } from "./run/history.js";
import {
  HISTORY_OPTIONS,
  type HistoryOptions,
  PREVIEW_OPTIONS,
  type PreviewOptions,
  RUN_OPTIONS,
  type RunOptions,
} from "./run/options.js";
import type { RunReceipt } from "./run/receipt.js";
import type { SyncClient, SyncDefaults } from "./sync-client.js";
import type { CallContext, SyncTransport } from "./transport.js";
import { Acknowledgements } from "./write/window-sender.js";

/** Kept, because each import() waits for the loader. */
let runs: typeof import("./run/run.js") | undefined;

/** The Sync API over any transport, without knowing how the service is reached. */
export class SyncEngine implements SyncClient {
  readonly #configuration: SyncConfiguration;
  readonly #transport: SyncTransport;
  readonly #defaults: Omit<SyncDefaults, keyof SyncTuning>;
  readonly #starter: BatchStarter;
  readonly #closed = new AbortController();
  #ledger: Ledger | undefined;
  /** The handles that may write, by the ids of their batches. */
  readonly #writers = new Map<string, BatchSession>();
  /** What the answers of the service have told of it. */
  readonly #service = { counts: false };

  /** The transport is closed with the engine. */
  constructor(
    configuration: SyncConfiguration,
    transport: SyncTransport,
    defaults: Omit<SyncDefaults, keyof SyncTuning> = {},
  ) {
    this.#configuration = configuration;
    this.#transport = transport;
    this.#defaults = defaults;
    this.#starter = new BatchStarter(transport, configuration);
    // One listener for each start under way and each batch that is open.
    setMaxListeners(0, this.#closed.signal);
  }

  run<const S extends SnapshotCollection = never>(
    connector: Connector<S>,
    options: RunOptions = {},
  ): Promise<RunReceipt> {
    return withCallSite(options?.signal, async () => {
      const read = readConnector("run", connector);
      this.#requireOpen();
      const given = this.#judged(this.#read("run", options, RUN_OPTIONS));
      runs ??= await import("./run/run.js");
      return runs.runConnector(read, given, {
        configuration: this.#configuration,
        start: this.start.bind(this),
        abort: this.#abort.bind(this),
        closed: this.#closed.signal,
      });
    });
  }

  preview<const S extends SnapshotCollection = never>(
    connector: Connector<S>,
    options: PreviewOptions = {},
  ): Promise<RunPreview> {
    return withCallSite(options?.signal, async () => {
      const read = readConnector("preview", connector);
      const given = this.#read<PreviewOptions & RunOptions>("preview", options, PREVIEW_OPTIONS);
      const { ledger = this.#defaults.ledger, installationId = this.#defaults.installationId } = given;
      // Without a ledger, the id is of no use.
      const fallback = ledger === "none" ? "preview" : undefined;
      const judged = this.#judged({ ...given, installationId: installationId ?? fallback });
      const { previewRun } = await import("./preview/preview.js");
      return previewRun(read, judged, this.#configuration, this.#closed.signal);
    });
  }

  history(options: HistoryOptions = {}): Promise<RunHistory> {
    return withCallSite(options?.signal, async () => {
      const { signal, ledger } = this.#judged(readOptions("history", options, HISTORY_OPTIONS));
      const { readHistory } = await import("./run/history.js");
      return raceAbort(readHistory(ledger), signal, this.#closed.signal);
    });
  }

  startBatch(options: BatchOptions = {}): Promise<BatchHandle> {
    return withCallSite(options?.signal, async () =>
      this.start(this.#read("startBatch", options, BATCH_OPTIONS), { attempt: 1 }),
    );
  }

  openBatch(batchId: string, options: BatchOptions & { readonly takeOver: true }): BatchHandle;
  openBatch(batchId: string, options?: BatchOptions): OpenedBatch;
  openBatch(
    batchId: string,
    options: BatchOptions & { readonly takeOver?: boolean } = {},
  ): BatchHandle | OpenedBatch {
    const given = this.#read("openBatch", options, { ...BATCH_OPTIONS, takeOver: FLAG });
    this.#requireOpen();
    if (typeof batchId !== "string" || batchId === "")
      throw new InvalidInputError("batchId must be the id of a batch.");
    if (given.takeOver !== true) {
      if (given.maxIdleMs !== undefined)
        throw new InvalidInputError("maxIdleMs renews the lease with writes: it needs takeOver: true.");
      const abort = (signal: AbortSignal) => this.#abort(batchId, signal, given.onProgress);
      return new OpenedBatch(batchId, abort, this.#closed.signal);
    }
    this.#writers.get(batchId)?.fail(takenOverError());
    const startedAt = momentOf(this.#configuration.clock);
    const trace = openSyncTrace(this.#configuration, "sync.batch", { batchId, attempt: 1 });
    return this.#handle({ id: batchId, startedAt, trace, unverified: true }, given, 1);
  }

  async close(): Promise<void> {
    if (!this.#closed.signal.aborted) this.#closed.abort(clientClosed());
    await withinGrace(this.#configuration.clock, () => this.#starter.settled()).catch(() => {});
    this.#starter.giveUp(this.#closed.signal.reason);
    this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async start(options: BatchOptions, watch: BatchWatch): Promise<BatchHandle> {
    this.#requireOpen();
    const installationId = this.#installationId(options);
    const { waitForLockMs = 0 } = options;
    options.signal?.throwIfAborted();
    const { onProgress, end } = withHeartbeat(options, this.#configuration.clock);
    const { controller, unlink } = linkAbort(this.#closed.signal, options.signal);
    try {
      const { attempt } = watch;
      const { signal } = controller;
      const started = await this.#starter.start({
        ...watch,
        installationId,
        signal,
        waitForLockMs,
        onProgress,
      });
      const handle = this.#handle({ ...started, unverified: false }, options, attempt, installationId);
      const type = attempt === 1 ? "started" : "restarted";
      onProgress?.({ type, attempt, batchId: started.id });
      return handle;
    } finally {
      end();
      unlink();
    }
  }

  #abort(batchId: string, signal: AbortSignal, onProgress?: OnProgress): Promise<void> {
    const attempt = (call: CallContext) => this.#transport.abortBatch(batchId, call);
    const operation = { rpc: "AbortSyncBatch", batchId } as const;
    return callWithRetry(this.#configuration, operation, signal, attempt, onProgress);
  }

  #requireOpen(): void {
    // A new error for each caller, whose call site is added to its stack.
    if (this.#closed.signal.aborted) throw clientClosed();
  }

  #read<Options extends BatchOptions>(
    call: string,
    given: Options,
    table: OptionTable<NoInfer<Options>>,
  ): Options {
    const options = readOptions(call, given, table);
    const { onProgress } = options;
    const { logger } = this.#configuration;
    return { ...options, onProgress: onProgress && safeCallback("onProgress", onProgress, logger) };
  }

  /** Fills in the client's defaults of a run. */
  #judged<Options extends RunOptions>(options: Options) {
    const defaults = this.#defaults;
    const { guard = defaults.guard, onHeld = defaults.onHeld, spool = defaults.spool } = options;
    const installationId = this.#installationId(options);
    const scope = { endpoint: this.#configuration.endpoint.origin, installationId };
    const chosen = options.ledger ?? defaults.ledger ?? this.#defaultLedger();
    const ledger = chosen === "none" ? undefined : openLedger(chosen, scope);
    return { ...options, installationId, ledger, guard, onHeld, spool };
  }

  #defaultLedger(): Ledger {
    this.#ledger ??= fileLedger();
    return this.#ledger;
  }

  #installationId({ installationId = this.#defaults.installationId }: BatchOptions): string {
    return requireInstallation(installationId);
  }

  #handle(
    batch: StartedBatch & { readonly unverified: boolean },
    options: BatchOptions,
    attempt: number,
    installationId?: string,
  ): BatchHandle {
    const { id, startedAt, trace, unverified } = batch;
    const session = new BatchSession({
      id,
      attempt,
      subject: { ...(installationId !== undefined && { installationId }), batchId: id },
      trace,
      transport: this.#transport,
      configuration: this.#configuration,
      startedAt,
      onProgress: options.onProgress,
      clientClosed: this.#closed.signal,
      acknowledgements: new Acknowledgements(this.#service),
    });
    const handle = new BatchHandle({ session, unverified });
    this.#writers.set(id, session);
    if (options.maxIdleMs !== undefined) startKeepAlive(session, options.maxIdleMs);
    const { onProgress, end } = withHeartbeat(options, this.#configuration.clock);
    session.notify = onProgress;
    const forget = () => {
      end();
      if (this.#writers.get(id) === session) this.#writers.delete(id);
    };
    if (session.signal.aborted) forget();
    else session.signal.addEventListener("abort", forget, { once: true });
    return handle;
  }
}

function clientClosed(): ClosedError {
  return new ClosedError("The client is closed. Create a new one.");
}
