import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";

/** The owner of the sockets that the current work opens. */
const owner = new AsyncLocalStorage<(socket: Socket) => void>();

/**
 * Owners whose work may still open sockets. If there are none, we stop tracking: before Node 24, tracking slows down
 * every promise in the process, and an asynchronous source makes a promise for each record.
 */
const opening = new Set<OwnedSockets>();

subscribe("net.client.socket", (message) => {
  if (hasSocket(message)) owner.getStore()?.(message.socket);
});

/**
 * Tracks the sockets that some work opens, so that we can destroy them when the work ends.
 *
 * grpc-js only closes connections that are established and have nothing to send. One that stalls while connecting
 * outlives its client and keeps the process alive. If the peer stops reading, the unsent data stays in memory.
 */
export class OwnedSockets {
  readonly #sockets = new Set<Socket>();
  #destroyed = false;

  get connected(): boolean {
    return [...this.#sockets].some((socket) => !socket.connecting);
  }

  /** Owns every socket that `work` opens, even after it returns. */
  during<T>(work: () => T): T {
    opening.add(this);
    return owner.run((socket) => this.#add(socket), work);
  }

  settled(): void {
    opening.delete(this);
    if (opening.size === 0) owner.disable();
  }

  /** Destroys all sockets, including any opened later. */
  destroy(): void {
    this.#destroyed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    // Node announces a socket before connecting it, and can't destroy the socket until then.
    if (this.#destroyed) process.nextTick(() => socket.destroy());
  }
}

function hasSocket(message: unknown): message is { readonly socket: Socket } {
  return (
    typeof message === "object" && message !== null && "socket" in message && message.socket instanceof Socket
  );
}
