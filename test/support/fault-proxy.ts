import { connect, type Socket } from "node:net";
import { Transform } from "node:stream";
import type { TestClock } from "@saas-management/sdk/reference-server";
import { listenTcp, type Peer } from "./tcp-peers.js";

/** What happens to a connection. Bytes are counted from its beginning, in the given direction. */
export type ConnectionFault =
  /** Passed on as it is. */
  | { readonly type: "relay" }
  /** Accepted, and nothing is ever sent: no SETTINGS, no answer, no end. */
  | { readonly type: "silent" }
  /** Reset (TCP RST) once so many bytes went by. */
  | { readonly type: "reset"; readonly direction: Direction; readonly afterBytes: number }
  /** From so many bytes on, everything is swallowed, in both directions, and the connection stands: half-open. */
  | { readonly type: "half-open"; readonly direction: Direction; readonly afterBytes: number }
  /** Each piece comes later by so many milliseconds of the clock. */
  | { readonly type: "delay"; readonly direction: Direction; readonly ms: number }
  /** Not faster than so many bytes in a second of the clock. */
  | { readonly type: "bandwidth"; readonly direction: Direction; readonly bytesPerSecond: number };

/** To the server, or from it. */
export type Direction = "request" | "answer";

/** A proxy between client and server, for what a server cannot do to itself. */
export interface FaultProxy extends Peer {
  /** What happens to the next connections, one each; those after them are relayed. */
  plan(...faults: ConnectionFault[]): void;
  /** Number of planned faults that have happened. Delay and bandwidth count with their first bytes. */
  firings(): number;
}

/** @param clock What delays and bandwidths are counted on. */
export async function startFaultProxy(port: number, clock: TestClock): Promise<FaultProxy> {
  const planned: ConnectionFault[] = [];
  let firings = 0;
  const peer = await listenTcp((near) => {
    const fault = planned.shift() ?? { type: "relay" };
    if (fault.type === "silent") {
      near.once("data", () => firings++).resume();
      return;
    }
    const far = connect(port, "127.0.0.1");
    far.on("error", () => near.destroy());
    near.on("error", () => far.destroy());
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
    const fire = (): void => void firings++;
    const through = (direction: Direction) => {
      const isStruck = "direction" in fault && fault.direction === direction;
      return isStruck ? transformOf(fault, { near, far, clock, fire }) : new Transform(RELAY);
    };
    near.pipe(through("request")).pipe(far);
    far.pipe(through("answer")).pipe(near);
  });
  return { ...peer, plan: (...faults) => void planned.push(...faults), firings: () => firings };
}

const RELAY = {
  transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void) {
    done(null, chunk);
  },
};

interface Struck {
  readonly near: Socket;
  readonly far: Socket;
  readonly clock: TestClock;
  readonly fire: () => void;
}

function transformOf(
  fault: Extract<ConnectionFault, { readonly direction: Direction }>,
  { near, far, clock, fire }: Struck,
): Transform {
  let bytes = 0;
  let fired = false;
  const fireOnce = (): void => {
    if (!fired) fire();
    fired = true;
  };
  const gone = new AbortController();
  near.once("close", () => gone.abort());
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const before = bytes;
      bytes += chunk.length;
      if (fault.type === "delay" || fault.type === "bandwidth") {
        fireOnce();
        const ms = fault.type === "delay" ? fault.ms : (chunk.length / fault.bytesPerSecond) * 1000;
        clock.sleep(ms, gone.signal).then(
          () => done(null, chunk),
          () => {},
        );
        return;
      }
      const rest = chunk.subarray(0, Math.max(0, fault.afterBytes - before));
      if (bytes < fault.afterBytes) return done(null, chunk);
      if (!fired) this.push(rest);
      fireOnce();
      // What was let through is on its way before the rest is lost.
      if (fault.type === "half-open") near.unpipe().resume();
      if (fault.type === "half-open") far.unpipe().resume();
      else setImmediate(() => near.resetAndDestroy());
      done();
    },
  });
}
