import { setMaxListeners } from "node:events";
import { linkAbort, raceAbort } from "../core/abort.js";
import { ClosedError, InvalidInputError } from "../core/errors/index.js";
import { safeCallback } from "../core/hooks.js";
import { withCallSite } from "../core/operation.js";
import { type OptionTable, readOptions } from "../core/validate.js";
import { BatchHandle } from "./batch/handle.js";
import { BatchSession } from "./batch/session.js";
import {
  ABORT_OPTIONS,
  type AbortOptions,
  BATCH_OPTIONS,
  type BatchOptions,
  BatchStarter,
  type BatchWatch,
  requireInstallation,
} from "./batch/start.js";
import { meaningOf } from "./batch/states.js";
import { callWithRetry, withinGrace } from "./call.js";
import { type CallOptions, configurationOfCall, readMetadata, type SyncConfiguration } from "./options.js";
import type { CallContext, SyncTransport } from "./transport.js";

/** Starts batches of the Sync API over any transport. */
export class BatchClient {
  readonly #configuration: SyncConfiguration;
  readonly #transport: SyncTransport;
  readonly #installationId: string | undefined;
  readonly #starter: BatchStarter;
  readonly #closed = new AbortController();
  /** Aborts once nothing more may be sent; until then, runs can still abort their batches. */
  readonly #over = new AbortController();
  readonly #runs = new Set<Promise<unknown>>();

  /** Closing the client closes the transport. */
  constructor(configuration: SyncConfiguration, transport: SyncTransport, installationId?: string) {
    this.#configuration = configuration;
    this.#transport = transport;
    this.#installationId = installationId;
    this.#starter = new BatchStarter(transport, configuration);
    // Each running start and each open batch adds a listener.
    setMaxListeners(0, this.#closed.signal, this.#over.signal);
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

  async close(): Promise<void> {
    if (!this.#closed.signal.aborted) this.#closed.abort(clientClosed());
    const ending = () => Promise.allSettled([this.#starter.settled(), ...this.#runs]);
    await withinGrace(this.#configuration.clock, ending).catch(() => {});
    this.#over.abort(this.#closed.signal.reason);
    this.#starter.giveUp(this.#closed.signal.reason);
    this.#transport.close();
  }

  /** @param closed Cancels the batch's requests. */
  async start(options: BatchOptions, watch: BatchWatch, closed = this.#closed.signal): Promise<BatchHandle> {
    this.requireOpen();
    const installationId = this.installationOf(options);
    const { waitForLockMs = 0, onProgress } = options;
    options.signal?.throwIfAborted();
    const { controller, unlink } = linkAbort(this.#closed.signal, options.signal);
    try {
      const { attempt } = watch;
      const { signal } = controller;
      const configuration = configurationOfCall(this.#configuration, options);
      const shared = { ...watch, configuration, onProgress };
      const started = await this.#starter.start({ ...shared, installationId, signal, waitForLockMs });
      const subject = { installationId, batchId: started.id };
      const transport = this.#transport;
      const session = new BatchSession({ ...shared, ...started, subject, transport, clientClosed: closed });
      const handle = new BatchHandle(session);
      onProgress?.({ type: attempt === 1 ? "started" : "restarted", attempt, batchId: started.id });
      return handle;
    } finally {
      unlink();
    }
  }

  abortBatch(batchId: string, options: AbortOptions = {}): Promise<void> {
    return withCallSite(options?.signal, async () => {
      const given = this.readOptions("abortBatch", options, ABORT_OPTIONS);
      this.requireOpen();
      if (typeof batchId !== "string" || batchId === "")
        throw new InvalidInputError("batchId must be the id of a batch.");
      const { controller, unlink } = linkAbort(this.#closed.signal, given.signal);
      try {
        await this.abort(batchId, controller.signal, given);
      } catch (error) {
        throw meaningOf("abortBatch", error);
      } finally {
        unlink();
      }
    });
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

  /**
   * Makes a run; `close` waits until it has ended.
   * @param run Receives the function that starts the run's batches; these may outlive the client.
   */
  async whileRunning<T>(run: (start: BatchClient["start"]) => Promise<T>): Promise<T> {
    const running = run((options, watch) => this.start(options, watch, this.#over.signal));
    this.#runs.add(running);
    try {
      return await running;
    } finally {
      this.#runs.delete(running);
    }
  }

  requireOpen(): void {
    // Each caller gets a new error, because the call site is added to its stack.
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
}

/** Loads gRPC on the first call, to keep importing the package cheap. */
export function lazyGrpc(configuration: SyncConfiguration): SyncTransport {
  let loading: Promise<SyncTransport> | undefined;
  let closed = false;
  const load = async (): Promise<SyncTransport> => {
    const { GrpcTransport } = await import("./grpc/transport.js");
    const loaded = new GrpcTransport(configuration);
    if (closed) loaded.close();
    // Later calls go straight to the loaded transport.
    return Object.assign(lazy, {
      startBatch: loaded.startBatch.bind(loaded),
      syncRecords: loaded.syncRecords.bind(loaded),
      completeBatch: loaded.completeBatch.bind(loaded),
      abortBatch: loaded.abortBatch.bind(loaded),
      close: loaded.close.bind(loaded),
    });
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
  const lazy: SyncTransport = {
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
  return lazy;
}

function clientClosed(): ClosedError {
  return new ClosedError("The client is closed. Create a new one.");
}
