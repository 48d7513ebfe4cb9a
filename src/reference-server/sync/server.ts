import { setTimeout as delay } from "node:timers/promises";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { TlsIdentity } from "../options.js";
import { CallStreams } from "./call-streams.js";
import { listen } from "./listener.js";
import { createSyncHandlers, rawSyncService, type SyncServiceParts } from "./service.js";
import { unreadWithoutKey } from "./unread-call.js";
import { raiseWindows } from "./windows.js";

/** The Sync API, listening. */
export interface SyncServer {
  readonly port: number;
  /** Stops within `graceMs`, whatever clients do, and leaves nothing behind. @param graceMs {@link CLOSE_GRACE_MS} */
  close(graceMs?: number): Promise<void>;
}

/** A message of 16 MiB or more is refused (service description, "Limits"). */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024 - 1;

/** Calls that one connection may have under way; writes of a batch are sequential, so clients need few. */
const MAX_CONCURRENT_STREAMS = 100;

/** A connection that is silent this long is asked for a sign of life, and closed if there is none. */
const KEEPALIVE_TIME_MS = 60_000;
const KEEPALIVE_TIMEOUT_MS = 20_000;

/** How long calls that are under way may go on after `close()`. */
const CLOSE_GRACE_MS = 500;

/**
 * Starts the Sync API.
 *
 * The sockets are ours and are handed to the gRPC server one by one, so that a single connection can be destroyed, TLS
 * has a floor of 1.2, and `close()` can end what the library waits for.
 * @throws Error of the operating system where the address cannot be bound.
 */
export async function startSyncServer(
  options: { readonly host: string; readonly port: number; readonly tls?: TlsIdentity | undefined },
  parts: Omit<SyncServiceParts, "endConnection" | "streams">,
): Promise<SyncServer> {
  const server = new Server({
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_concurrent_streams": MAX_CONCURRENT_STREAMS,
    "grpc.keepalive_time_ms": KEEPALIVE_TIME_MS,
    "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MS,
    "grpc.enable_channelz": 0,
    interceptors: [unreadWithoutKey(parts.keys)],
  });
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  raiseWindows(server);
  const listener = await listen(options, (connection) => injector.injectConnection(connection));
  const streams = new CallStreams(server);
  const { endConnection } = listener;
  const { handlers, letGo } = createSyncHandlers({ ...parts, endConnection, streams });
  server.addService(rawSyncService, { ...handlers });

  async function close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    const closed = listener.close();
    const graceOver = new AbortController();
    const ended = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    // The grace is real time: a test clock that stands still must not keep a server open.
    const grace = delay(graceMs, undefined, { signal: graceOver.signal }).catch(() => {});
    await Promise.race([ended, grace]);
    graceOver.abort();
    server.forceShutdown();
    listener.destroyConnections();
    letGo();
    await closed;
  }

  return { port: listener.port, close };
}
