import { raceAbort } from "../core/abort.js";
import { ConfigurationError } from "../core/errors/index.js";
import { withCallSite } from "../core/operation.js";
import { readOptions } from "../core/validate.js";
import type { BatchHandle } from "../sync/batch/handle.js";
import type { AbortOptions, BatchOptions } from "../sync/batch/start.js";
import { BatchClient, lazyGrpc } from "../sync/client.js";
import type { SnapshotCollection } from "../sync/collections.js";
import {
  configurationOfCall,
  resolveSyncOptions,
  type SyncClientOptions,
  type SyncConfiguration,
  type SyncTuning,
} from "../sync/options.js";
import type { SyncTransport } from "../sync/transport.js";
import { type Connector, readConnector } from "./connector.js";
import type { RunHistory } from "./history.js";
import { fileLedger, type Ledger, openLedger } from "./ledger/ledger.js";
import {
  HISTORY_OPTIONS,
  type HistoryOptions,
  PREVIEW_OPTIONS,
  type PreviewOptions,
  RUN_OPTIONS,
  type RunOptions,
} from "./options.js";
import type { RunPreview } from "./preview/report.js";
import type { RunReceipt } from "./receipt.js";
import { readSpoolOptions } from "./spool.js";
import type { SyncClient, SyncDefaults } from "./sync-client.js";

/** Caches the module, because each import() waits for the loader. */
let runs: typeof import("./run.js") | undefined;

/** The Sync API over any transport: batches, and the runs on top of them. */
export class SyncEngine implements SyncClient {
  readonly #configuration: SyncConfiguration;
  readonly #batches: BatchClient;
  readonly #defaults: Omit<SyncDefaults, keyof SyncTuning>;
  #ledger: Ledger | undefined;

  /** The transport is closed with the engine. */
  constructor(
    configuration: SyncConfiguration,
    transport: SyncTransport,
    defaults: Omit<SyncDefaults, keyof SyncTuning> = {},
  ) {
    this.#configuration = configuration;
    this.#batches = new BatchClient(configuration, transport, defaults.installationId);
    this.#defaults = defaults;
  }

  run<const S extends SnapshotCollection = never>(
    connector: Connector<S>,
    options: RunOptions = {},
  ): Promise<RunReceipt> {
    return withCallSite(options?.signal, async () => {
      const read = readConnector("run", connector);
      this.#batches.requireOpen();
      const given = this.#judged(this.#batches.readOptions("run", options, RUN_OPTIONS));
      const { headers, timeoutMs } = given;
      const configuration = configurationOfCall(this.#configuration, { headers, timeoutMs });
      runs ??= await import("../runs/run.js");
      const { runConnector } = runs;
      return this.#batches.whileRunning((start) =>
        runConnector(read, given, {
          configuration,
          start: (started, watch) => start({ ...started, headers, timeoutMs }, watch),
          abort: (batchId, signal) => this.#batches.abort(batchId, signal, { headers, timeoutMs }),
          closed: this.#batches.closed,
        }),
      );
    });
  }

  preview<const S extends SnapshotCollection = never>(
    connector: Connector<S>,
    options: PreviewOptions = {},
  ): Promise<RunPreview> {
    return withCallSite(options?.signal, async () => {
      const read = readConnector("preview", connector);
      const given = this.#batches.readOptions<PreviewOptions & RunOptions>(
        "preview",
        options,
        PREVIEW_OPTIONS,
      );
      const { ledger = this.#defaults.ledger, installationId = this.#defaults.installationId } = given;
      // Without a ledger, the id is of no use.
      const fallback = ledger === "none" ? "preview" : undefined;
      const judged = this.#judged({ ...given, installationId: installationId ?? fallback });
      const { previewRun } = await import("../runs/preview/preview.js");
      const configuration = configurationOfCall(this.#configuration, given);
      return previewRun(read, judged, configuration, this.#batches.closed);
    });
  }

  history(options: HistoryOptions = {}): Promise<RunHistory> {
    return withCallSite(options?.signal, async () => {
      const { signal, ledger } = this.#judged(readOptions("history", options, HISTORY_OPTIONS));
      const { readHistory } = await import("../runs/history.js");
      return raceAbort(readHistory(ledger), signal, this.#batches.closed);
    });
  }

  startBatch(options?: BatchOptions): Promise<BatchHandle> {
    return this.#batches.startBatch(options);
  }

  abortBatch(batchId: string, options?: AbortOptions): Promise<void> {
    return this.#batches.abortBatch(batchId, options);
  }

  close(): Promise<void> {
    return this.#batches.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Adds the client's defaults to the options of a run. */
  #judged<Options extends RunOptions>(options: Options) {
    const defaults = this.#defaults;
    const { guard = defaults.guard, onHeld = defaults.onHeld, spool = defaults.spool } = options;
    const installationId = this.#batches.installationOf(options);
    const scope = { endpoint: this.#configuration.endpoint.origin, installationId };
    const chosen = options.ledger ?? defaults.ledger ?? this.#defaultLedger();
    const ledger = chosen === "none" ? undefined : openLedger(chosen, scope, this.#configuration);
    return { ...options, installationId, ledger, guard, onHeld, spool };
  }

  #defaultLedger(): Ledger {
    this.#ledger ??= fileLedger();
    return this.#ledger;
  }
}

/**
 * Connects to the service over gRPC.
 * @throws {ConfigurationError} an option is missing or not usable; nothing is connected yet
 */
export function createSyncClient({
  installationId,
  ledger,
  guard,
  onHeld,
  spool,
  ...options
}: SyncClientOptions & SyncDefaults): SyncEngine {
  const configuration = resolveSyncOptions(options);
  if (spool !== undefined) readSpoolOptions("sync.spool", spool, ConfigurationError);
  const defaults = { installationId, ledger, guard, onHeld, spool };
  return new SyncEngine(configuration, lazyGrpc(configuration), defaults);
}
