import { connect, type Socket } from "node:net";
import { PassThrough, Transform } from "node:stream";
import { listenTcp, type Peer } from "./tcp-peers.js";

/** To the server, or from the server. */
type Direction = "request" | "answer";

/** A fault of a connection. Bytes are counted from its beginning, in the given direction. */
export type ConnectionFaultKind =
  /** Accepted, but nothing is ever sent. */
  | { readonly type: "silent" }
  /** Reset (TCP RST) after some bytes. */
  | { readonly type: "reset"; readonly direction: Direction; readonly afterBytes: number }
  /** After some bytes everything is dropped in both directions, and the connection stays open. */
  | { readonly type: "half-open"; readonly direction: Direction; readonly afterBytes: number };

/** A proxy that passes connections on to a server, and breaks them. */
export interface FaultProxy extends Peer {
  /** Keeps the current connections open but drops their bytes. */
  forget(): void;
  /** Number of bytes that were dropped so. */
  swallowed(): number;
  /** Faults for the next connections, one each. */
  planNext(...kinds: readonly ConnectionFaultKind[]): void;
  /** Number of connections that were struck. */
  firings(): number;
}

/** A proxy in front of a port of this machine. @param at port to listen on; any free one by default */
export async function relayTo(port: number, at?: number): Promise<FaultProxy> {
  let swallowed = 0;
  const sockets: Socket[] = [];
  const faults: ConnectionFaultKind[] = [];
  let firings = 0;
  const struck = () => {
    firings += 1;
  };
  const peer = await listenTcp((near) => {
    const kind = faults.shift();
    if (kind?.type === "silent") {
      near.once("data", struck).resume();
      return;
    }
    const far = connect(port, "127.0.0.1");
    sockets.push(near, far);
    far.on("error", () => near.destroy());
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
    // Without this, Nagle's algorithm delays every call.
    near.setNoDelay();
    far.setNoDelay();
    const through = (direction: Direction) =>
      kind?.direction === direction ? struckDirection(kind, near, far, struck) : new PassThrough();
    near.pipe(through("request")).pipe(far);
    far.pipe(through("answer")).pipe(near);
  }, at);
  const forget = () => {
    for (const socket of sockets.splice(0)) {
      socket.unpipe().resume();
      socket.on("data", ({ length }: Buffer) => {
        swallowed += length;
      });
    }
  };
  return {
    ...peer,
    forget,
    swallowed: () => swallowed,
    planNext: (...kinds) => void faults.push(...kinds),
    firings: () => firings,
  };
}

type DirectedKind = Exclude<ConnectionFaultKind, { readonly type: "silent" }>;

/** Passes one direction of a connection on until the fault strikes; nothing after it. */
function struckDirection({ type, afterBytes }: DirectedKind, near: Socket, far: Socket, struck: () => void) {
  let left = afterBytes;
  let isStruck = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const safe = chunk.subarray(0, left);
      left -= safe.length;
      if (safe.length > 0) this.push(safe);
      if (safe.length < chunk.length && !isStruck) {
        isStruck = true;
        struck();
        // Bytes before the fault are sent first.
        if (type === "reset") setImmediate(() => near.resetAndDestroy());
        else for (const socket of [near, far]) socket.unpipe().resume();
      }
      done();
    },
  });
}
