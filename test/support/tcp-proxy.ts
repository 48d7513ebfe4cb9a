import { connect, type Socket } from "node:net";
import { PassThrough, Transform } from "node:stream";
import { TestClock } from "@saas-management/sdk/testing";
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
  | { readonly type: "half-open"; readonly direction: Direction; readonly afterBytes: number }
  /** After some bytes everything is delayed, by the clock. */
  | {
      readonly type: "delay";
      readonly direction: Direction;
      /** @default 0 */
      readonly afterBytes?: number;
      readonly ms: number;
    }
  /** After some bytes the bandwidth is limited, by the clock. */
  | {
      readonly type: "bandwidth";
      readonly direction: Direction;
      /** @default 0 */
      readonly afterBytes?: number;
      readonly bytesPerSecond: number;
    };

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

/** A proxy without faults. @param at port to listen on; any free one by default */
export function relayTo(port: number, at?: number): Promise<FaultProxy> {
  return startFaultProxy(port, new TestClock(), at);
}

/** @param clock measures delays and bandwidths */
export async function startFaultProxy(port: number, clock: TestClock, at?: number): Promise<FaultProxy> {
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
    const gone = new AbortController();
    far.on("error", () => near.destroy());
    near.once("close", () => {
      gone.abort();
      far.destroy();
    });
    far.once("close", () => near.destroy());
    // Without this, Nagle's algorithm delays every call.
    near.setNoDelay();
    far.setNoDelay();
    const connection = { near, far, gone: gone.signal, clock };
    const through = (direction: Direction) =>
      kind?.direction === direction ? struckDirection(kind, connection, struck) : new PassThrough();
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

interface ProxiedConnection {
  /** To the client. */
  readonly near: Socket;
  /** To the server. */
  readonly far: Socket;
  /** Fires when the connection is gone. */
  readonly gone: AbortSignal;
  /** Measures delays and bandwidths. */
  readonly clock: TestClock;
}

type DirectedKind = Exclude<ConnectionFaultKind, { readonly type: "silent" }>;

/** Applies the fault to a piece. Resolves with what is passed on, when the next piece may follow. */
type Strike = (piece: Buffer) => Promise<Buffer | undefined>;

/** Passes one direction of a connection on until the fault strikes. */
function struckDirection(kind: DirectedKind, connection: ProxiedConnection, struck: () => void): Transform {
  const afterBytes = kind.afterBytes ?? 0;
  let bytes = 0;
  let strike: Strike | undefined;
  let late = Promise.resolve();
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const safe = chunk.subarray(0, Math.max(0, afterBytes - bytes));
      const piece = chunk.subarray(safe.length);
      bytes += chunk.length;
      if (safe.length > 0) this.push(safe);
      if (piece.length === 0) return done();
      if (strike === undefined) struck();
      strike ??= strikeOf(kind, connection);
      const passed = strike(piece).then(
        (rest) => void (rest !== undefined && this.push(rest)),
        // The connection is gone.
        () => {},
      );
      if (kind.type === "delay") {
        late = passed;
        done();
      } else void passed.then(() => done());
    },
    flush(done) {
      void late.then(() => done());
    },
  });
}

const swallow: Strike = async () => undefined;

function strikeOf(kind: DirectedKind, { near, far, gone, clock }: ProxiedConnection): Strike {
  switch (kind.type) {
    case "reset":
      // Bytes before the fault are sent first.
      setImmediate(() => near.resetAndDestroy());
      return swallow;
    case "half-open":
      near.unpipe().resume();
      far.unpipe().resume();
      return swallow;
    case "delay":
      return (piece) => clock.sleep(kind.ms, gone).then(() => piece);
    case "bandwidth":
      return (piece) => clock.sleep((piece.length / kind.bytesPerSecond) * 1000, gone).then(() => piece);
  }
}
