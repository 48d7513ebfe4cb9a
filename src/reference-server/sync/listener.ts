import { createServer, type Server as NetServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type ConnectionEnd, Connections } from "../connections.js";
import { listenAt, tlsSettings } from "../listening.js";
import type { TlsIdentity } from "../options.js";

/** A listening socket that knows its connections. */
export interface Listener {
  readonly port: number;
  /** Ends the connection of a peer, named `address:port`. */
  endConnection(peer: string, how: ConnectionEnd): void;
  /** Accepts no more connections. Resolves when the last one is gone. */
  close(): Promise<void>;
  destroyConnections(): void;
}

/**
 * Listens, and hands each connection over once it is ready for HTTP/2.
 * @throws Error of the operating system where the address cannot be bound.
 */
export async function listen(
  options: { readonly host: string; readonly port: number; readonly tls?: TlsIdentity | undefined },
  accept: (connection: Socket) => void,
): Promise<Listener> {
  const server: NetServer =
    options.tls === undefined
      ? createServer({ noDelay: true }, accept)
      : createTlsServer({ ...tlsSettings(options.tls), ALPNProtocols: ["h2"], noDelay: true }, accept);
  const connections = new Connections(server);
  const port = await listenAt(server, options.host, options.port);
  return {
    port,
    endConnection: (peer, how) => connections.end(peer, how),
    close: () => new Promise((resolve) => server.close(() => resolve())),
    destroyConnections: () => connections.destroyAll(),
  };
}
