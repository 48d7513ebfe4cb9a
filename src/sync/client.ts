import { raceAbort } from "../core/abort.js";
import { ConfigurationError } from "../core/errors/index.js";
import { SyncEngine } from "./engine.js";
import { resolveSyncOptions, type SyncClientOptions, type SyncConfiguration } from "./options.js";
import { readSpoolOptions } from "./run/spool.js";
import type { SyncDefaults } from "./sync-client.js";
import type { CallContext, SyncTransport } from "./transport.js";

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

/** Loads gRPC with the first call, so that importing the package stays cheap. */
function lazyGrpc(configuration: SyncConfiguration): SyncTransport {
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
