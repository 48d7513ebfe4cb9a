import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";

/** Who owns the sockets that the current work opens. */
const owner = new AsyncLocalStorage<(socket: Socket) => void>();

/**
 * Those whose work may still open sockets. Nothing is tracked while there are none: before Node 24 the tracking slows
 * down every promise of the process, and an asynchronous source has one for each record.
 */
const opening = new Set<OwnedSockets>();

subscribe("net.client.socket", (message) => {
  if (hasSocket(message)) owner.getStore()?.(message.socket);
});

/**
 * The sockets that are opened in the course of some work, so that they can be ended with it.
 *
 * grpc-js can only close a connection that is established and has nothing to send. One that stalls before outlives its
 * client and keeps the process alive, and one whose peer does not read keeps what was not sent in memory.
 */
export class OwnedSockets {
  readonly #sockets = new Set<Socket>();
  #destroyed = false;

  get connected(): boolean {
    return [...this.#sockets].some((socket) => !socket.connecting);
  }

  /** Owns whatever `work` opens, also later. */
  during<T>(work: () => T): T {
    opening.add(this);
    return owner.run((socket) => this.#add(socket), work);
  }

  /** The work opens no more sockets. */
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
    // It is announced before it begins to connect, and cannot be destroyed yet.
    if (this.#destroyed) process.nextTick(() => socket.destroy());
  }
}

function hasSocket(message: unknown): message is { readonly socket: Socket } {
  return (
    typeof message === "object" && message !== null && "socket" in message && message.socket instanceof Socket
  );
}
