import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";

/** Whom a new socket is handed to: whoever set going what opened it. */
const owner = new AsyncLocalStorage<(socket: Socket) => void>();

/**
 * Those whose work may still open sockets. While there are none, nothing is tracked: to track the course of work makes
 * every promise of the process much dearer in Node before 24, and an asynchronous source has one a record.
 */
const opening = new Set<OwnedSockets>();

subscribe("net.client.socket", (message) => {
  if (hasSocket(message)) owner.getStore()?.(message.socket);
});

/**
 * The sockets that are opened in the course of some work, so that they can be ended with it.
 *
 * grpc-js ends a connection only once it stands. One that stalls before (no answer to the first packet, to the TLS
 * handshake, or no HTTP/2 settings) outlives its client and keeps the process alive. Where a runtime does not tell of
 * its sockets, as Node does, none is known, and they end as grpc-js ends them.
 */
export class OwnedSockets {
  readonly #sockets = new Set<Socket>();
  #destroyed = false;

  /** Whether one of them was accepted by the other side. */
  get connected(): boolean {
    return [...this.#sockets].some((socket) => !socket.connecting);
  }

  /** Owns whatever `work` opens, also later, in what it set going. */
  during<T>(work: () => T): T {
    opening.add(this);
    return owner.run((socket) => this.#add(socket), work);
  }

  /** What was set going opens no more. */
  settled(): void {
    opening.delete(this);
    if (opening.size === 0) owner.disable();
  }

  /** Ends all of them, and those that are still to come. */
  destroy(): void {
    this.#destroyed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    // It is announced before it begins to connect, and cannot be ended yet.
    if (this.#destroyed) process.nextTick(() => socket.destroy());
  }
}

function hasSocket(message: unknown): message is { readonly socket: Socket } {
  return (
    typeof message === "object" && message !== null && "socket" in message && message.socket instanceof Socket
  );
}
