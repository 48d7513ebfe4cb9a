import { createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { Connections, type ListenOptions, listen, tlsSettings } from "../network.js";
import type { SyncServiceParts } from "./faults.js";
import { CallStreams, raiseWindows } from "./faults.js";
import { createSyncHandlers, rawSyncService } from "./service.js";

export interface SyncServer {
  readonly port: number;
  /** Stops within `graceMs`, whatever clients do. @param graceMs {@link CLOSE_GRACE_MS} */
  close(graceMs?: number): Promise<void>;
}

/** A message must be smaller than 16 MiB (service description, "Limits"). */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024 - 1;

/** How long running calls may continue after `close()`. */
const CLOSE_GRACE_MS = 500;

/**
 * Starts the Sync API. A separate listener accepts connections for gRPC: it refuses TLS below 1.2, lets faults end a
 * single connection, and lets `close()` end connections that gRPC waits for.
 */
export async function startSyncServer(
  options: ListenOptions,
  parts: Omit<SyncServiceParts, "endConnection" | "streams">,
): Promise<SyncServer> {
  const server = new Server({
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.enable_channelz": 0,
  });
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  raiseWindows(server);
  const streams = new CallStreams(server);
  const accept = (connection: Socket): void => injector.injectConnection(connection);
  const listener =
    options.tls === undefined
      ? createServer({ noDelay: true }, accept)
      : createTlsServer({ ...tlsSettings(options.tls), ALPNProtocols: ["h2"], noDelay: true }, accept);
  const connections = new Connections(listener);
  const { handlers, cancelAll } = createSyncHandlers({
    ...parts,
    endConnection: (peer, how) => connections.end(peer, how),
    streams,
  });
  server.addService(rawSyncService, { ...handlers });
  const port = await listen(listener, options);

  async function close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
    const graceOver = new AbortController();
    // The callback isn't used, because Node 24 calls it too early: when an HTTP/2 server closes, Node marks its
    // sessions as closed too.
    server.tryShutdown(() => {});
    // The grace period is real time, because a test clock that stands still must not keep a server open.
    const grace = delay(graceMs, undefined, { signal: graceOver.signal }).catch(() => {});
    await Promise.race([closed, grace]);
    graceOver.abort();
    server.forceShutdown();
    connections.destroyAll();
    cancelAll();
    await closed;
  }

  return { port, close };
}
