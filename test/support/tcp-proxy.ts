import { connect, type Socket } from "node:net";
import { PassThrough, Transform } from "node:stream";
import { listenTcp, type Peer } from "./tcp-peers.js";

/** The direction of bytes: to the server, or from the server. */
type Direction = "request" | "answer";

/** A fault of a connection. `afterBytes` counts the bytes of one direction from the connection's beginning. */
export type ConnectionFaultKind =
  /** The connection is accepted, but nothing is ever sent. */
  | { readonly type: "silent" }
  /** The connection is reset (TCP RST) after some bytes. */
  | { readonly type: "reset"; readonly direction: Direction; readonly afterBytes: number }
  /** The proxy stops reading after some bytes, like a link that is too slow. */
  | { readonly type: "slow"; readonly direction: Direction; readonly afterBytes: number }
  /** The connection stays open, but after some bytes everything is dropped in both directions. */
  | { readonly type: "half-open"; readonly direction: Direction; readonly afterBytes: number };

/** A proxy that passes connections on to a server, and breaks them. */
export interface FaultProxy extends Peer {
  /** Keeps the current connections open but drops their bytes. */
  forget(): void;
  /** Number of bytes dropped this way. */
  swallowed(): number;
  /** Answers the next bytes on the current connections with an HTTP/2 GOAWAY, instead of the server. */
  goAway(lastStream: number): void;
  /** Faults for the next connections, one each. */
  planNext(...kinds: readonly ConnectionFaultKind[]): void;
  /** Number of connections that a fault struck. */
  firings(): number;
}

/** A proxy in front of a port of this machine. @param at port to listen on; any free one by default */
export async function relayTo(port: number, at?: number): Promise<FaultProxy> {
  let swallowed = 0;
  const sockets: Socket[] = [];
  const clients: Socket[] = [];
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
    clients.push(near);
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
    goAway: (lastStream) => {
      for (const near of clients.splice(0)) {
        near.unpipe().once("data", () => near.write(goAwayFrame(lastStream)));
        near.resume();
      }
    },
    planNext: (...kinds) => void faults.push(...kinds),
    firings: () => firings,
  };
}

/** With the code NO_ERROR (RFC 9113, section 6.8). */
function goAwayFrame(lastStream: number): Buffer {
  const frame = Buffer.alloc(17);
  frame.set([0, 0, 8, 7]);
  frame.writeUInt32BE(lastStream, 9);
  return frame;
}

type DirectedKind = Exclude<ConnectionFaultKind, { readonly type: "silent" }>;

/** Forwards one direction of a connection until the fault strikes, and nothing after that. */
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
        if (type === "slow") return;
        if (type === "reset") setImmediate(() => near.resetAndDestroy());
        else for (const socket of [near, far]) socket.unpipe().resume();
      }
      done();
    },
  });
}
