import { createServer, type Server as NetServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type ConnectionEnd, Connections } from "../connections.js";
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

/** How long a client may take for the TLS handshake. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

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
      : createTlsServer(
          {
            ...options.tls,
            minVersion: "TLSv1.2",
            ALPNProtocols: ["h2"],
            handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
            noDelay: true,
          },
          accept,
        );
  const connections = new Connections(server);
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The Sync API has no TCP port.");
  return {
    port: address.port,
    endConnection: (peer, how) => connections.end(peer, how),
    close: () => new Promise((resolve) => server.close(() => resolve())),
    destroyConnections: () => connections.destroyAll(),
  };
}
