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
import { momentOf } from "./lease.js";
import { type CallOptions, configurationOfCall, readMetadata, type SyncConfiguration } from "./options.js";
import { withHeartbeat } from "./progress.js";
import type { CallContext, SyncTransport } from "./transport.js";

/** The batches of the Sync API over any transport, without knowing how the service is reached. */
export class BatchClient {
  readonly #configuration: SyncConfiguration;
  readonly #transport: SyncTransport;
  readonly #installationId: string | undefined;
  readonly #starter: BatchStarter;
  readonly #closed = new AbortController();
  /** The handles that may write, by the ids of their batches. */
  readonly #writers = new Map<string, BatchSession>();

  /** The transport is closed with the client. */
  constructor(configuration: SyncConfiguration, transport: SyncTransport, installationId?: string) {
    this.#configuration = configuration;
    this.#transport = transport;
    this.#installationId = installationId;
    this.#starter = new BatchStarter(transport, configuration);
    // One listener for each start under way and each batch that is open.
    setMaxListeners(0, this.#closed.signal);
  }

  /** Aborts when the client is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  startBatch(options: BatchOptions = {}): Promise<BatchHandle> {
    return withCallSite(options?.signal, async () =>
      this.start(this.readOptions("startBatch", options, BATCH_OPTIONS), { attempt: 1 }),
    );
  }

  openBatch(batchId: string, options: BatchOptions & { readonly takeOver: true }): BatchHandle;
  openBatch(batchId: string, options?: BatchOptions): OpenedBatch;
  openBatch(
    batchId: string,
    options: BatchOptions & { readonly takeOver?: boolean } = {},
  ): BatchHandle | OpenedBatch {
    const given = this.readOptions("openBatch", options, { ...BATCH_OPTIONS, takeOver: FLAG });
    this.requireOpen();
    if (typeof batchId !== "string" || batchId === "")
      throw new InvalidInputError("batchId must be the id of a batch.");
    if (given.takeOver !== true) {
      if (given.maxIdleMs !== undefined)
        throw new InvalidInputError("maxIdleMs renews the lease with writes: it needs takeOver: true.");
      const abort = (signal: AbortSignal) => this.abort(batchId, signal, given);
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

  async start(options: BatchOptions, watch: BatchWatch): Promise<BatchHandle> {
    this.requireOpen();
    const installationId = this.installationOf(options);
    const { waitForLockMs = 0 } = options;
    options.signal?.throwIfAborted();
    const { onProgress, end } = withHeartbeat(options, this.#configuration.clock);
    const { controller, unlink } = linkAbort(this.#closed.signal, options.signal);
    try {
      const { attempt } = watch;
      const { signal } = controller;
      const configuration = configurationOfCall(this.#configuration, options);
      const started = await this.#starter.start({
        ...watch,
        configuration,
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

  abort(
    batchId: string,
    signal: AbortSignal,
    options: CallOptions & Pick<BatchOptions, "onProgress">,
  ): Promise<void> {
    const configuration = configurationOfCall(this.#configuration, options);
    const attempt = (call: CallContext) => this.#transport.abortBatch(batchId, call);
    const operation = { rpc: "AbortSyncBatch", batchId } as const;
    return callWithRetry(configuration, operation, signal, attempt, options.onProgress);
  }

  requireOpen(): void {
    // A new error for each caller, whose call site is added to its stack.
    if (this.#closed.signal.aborted) throw clientClosed();
  }

  readOptions<Options extends BatchOptions>(
    call: string,
    given: Options,
    table: OptionTable<NoInfer<Options>>,
  ): Options {
    const options = readOptions(call, given, table);
    const { onProgress } = options;
    const { logger } = this.#configuration;
    return {
      ...options,
      headers: readMetadata(options.headers, InvalidInputError),
      onProgress: onProgress && safeCallback("onProgress", onProgress, logger),
    };
  }

  installationOf({ installationId = this.#installationId }: BatchOptions): string {
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
      configuration: configurationOfCall(this.#configuration, options),
      startedAt,
      onProgress: options.onProgress,
      clientClosed: this.#closed.signal,
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

/** Loads gRPC with the first call, so that importing the package stays cheap. */
export function lazyGrpc(configuration: SyncConfiguration): SyncTransport {
  let loading: Promise<SyncTransport> | undefined;
  let loaded: SyncTransport | undefined;
  let closed = false;
  const load = async (): Promise<SyncTransport> => {
    const { GrpcTransport } = await import("./grpc/transport.js");
    loaded = new GrpcTransport(configuration);
    if (closed) loaded.close();
    return loaded;
  };
  const ready = async ({ signal, unlessSent, onUnsent }: CallContext): Promise<SyncTransport> => {
    if (loaded !== undefined) return loaded;
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

function clientClosed(): ClosedError {
  return new ClosedError("The client is closed. Create a new one.");
}
