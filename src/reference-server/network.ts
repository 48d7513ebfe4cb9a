import type { Server, Socket } from "node:net";
import type { TlsIdentity } from "./options.js";

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly tls?: TlsIdentity | undefined;
}

export function tlsSettings({ cert, key }: TlsIdentity) {
  return { cert, key, minVersion: "TLSv1.2" } as const;
}

export async function listen(server: Server, { host, port }: ListenOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    // Keep the listener: a connection that can't be accepted must not end the process.
    server.on("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (typeof address === "object" && address !== null) return address.port;
  throw new TypeError("The server does not listen on a port.");
}

/** Reports a bug in this server, or in a bundle that contains this server; the service wouldn't have that bug. */
export function reportDefect(error: unknown): void {
  process.emitWarning(`The reference server failed: ${error instanceof Error ? error.stack : error}`);
}

/** How a connection ends: in order, or with TCP RST. */
export type ConnectionEnd = "drop" | "reset";

export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}

/** The open TCP connections of a server by peer, even with TLS, because TLS sockets can't be reset. */
export class Connections {
  readonly #sockets = new Map<string, Socket>();

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      const peer = peerOf(socket);
      this.#sockets.set(peer, socket);
      socket.once("close", () => this.#sockets.delete(peer));
      // A peer that resets its connection must not end the process.
      socket.on("error", () => {});
    });
  }

  end(peer: string, how: ConnectionEnd): void {
    const socket = this.#sockets.get(peer);
    if (how === "drop") socket?.destroy();
    else socket?.resetAndDestroy();
  }

  destroyAll(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}
