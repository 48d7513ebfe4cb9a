import type { Server, Socket } from "node:net";

/** How a connection ends: in order, or with TCP RST. */
export type ConnectionEnd = "drop" | "reset";

/** The peer of a connection, by a name that no other one has. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}

/**
 * The TCP connections that a server has, by peer. Where it speaks TLS, they are the ones below it: only those can be
 * reset.
 */
export class Connections {
  readonly #sockets = new Map<string, Socket>();

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      const peer = peerOf(socket);
      this.#sockets.set(peer, socket);
      socket.once("close", () => this.#sockets.delete(peer));
      // A peer that resets its connection is no failure of the server.
      socket.on("error", () => {});
    });
  }

  /** Ends the connection of a peer, named `address:port`. */
  end(peer: string, how: ConnectionEnd): void {
    const socket = this.#sockets.get(peer);
    if (how === "drop") socket?.destroy();
    else socket?.resetAndDestroy();
  }

  destroyAll(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}
