import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { TestClock } from "@saas-management/sdk/testing";
import {
  type ConnectionFaultKind,
  type ConnectionSchedule,
  type Direction,
  type PlannedConnectionFault,
  PlannedConnectionFaults,
  struckDirection,
} from "./connection-faults.js";
import { listenTcp, type Peer } from "./tcp-peers.js";

/** A proxy that passes connections on to a server, and breaks them. */
export interface FaultProxy extends Peer {
  /** Keeps the current connections open but drops their bytes. */
  forget(): void;
  /** Number of bytes that were dropped so. */
  swallowed(): number;
  plan(schedule: ConnectionSchedule): readonly PlannedConnectionFault[];
  /** Plans faults for the next connections, one each. */
  planNext(...kinds: ConnectionFaultKind[]): void;
  /** Number of connections that were struck. */
  firings(): number;
  /** The faults that struck fewer connections than their `atLeast`. */
  unfired(): readonly PlannedConnectionFault[];
  /** @throws Error listing the unfired faults */
  assertFired(): void;
  /** Number of connections that will never answer and that the client has not closed. */
  hanging(): number;
  /** Number of bytes in a direction, by connection. */
  carried(direction: Direction): readonly number[];
}

/** A proxy without faults. @param at port to listen on; any free one by default */
export function relayTo(port: number, at?: number): Promise<FaultProxy> {
  return startFaultProxy(port, new TestClock(), at);
}

/** @param clock measures delays and bandwidths */
export async function startFaultProxy(port: number, clock: TestClock, at?: number): Promise<FaultProxy> {
  let swallowed = 0;
  const sockets: Socket[] = [];
  const faults = new PlannedConnectionFaults();
  const hanging = new Set<Socket>();
  const carried: Record<Direction, number>[] = [];
  const peer = await listenTcp((near) => {
    const bytes = { request: 0, answer: 0 };
    carried.push(bytes);
    near.on("data", ({ length }: Buffer) => (bytes.request += length));
    const due = faults.take();
    const strikes = (): boolean => {
      const does = due?.strikes() ?? false;
      const hangs = due?.kind.type === "silent" || due?.kind.type === "half-open";
      if (does && hangs && !near.destroyed) {
        hanging.add(near);
        near.once("close", () => hanging.delete(near));
      }
      return does;
    };
    const kind = due?.kind;
    if (kind?.type === "silent") {
      near.once("data", strikes).resume();
      return;
    }
    const far = connect(port, "127.0.0.1");
    sockets.push(near, far);
    far.on("data", ({ length }: Buffer) => (bytes.answer += length));
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
      kind?.direction === direction ? struckDirection(kind, connection, strikes) : new PassThrough();
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
    plan: (schedule) => faults.plan(schedule),
    planNext: (...kinds) => void faults.plan({ faults: kinds.map((kind) => ({ kind })) }),
    firings: () => faults.firings,
    unfired: () => faults.unfired,
    assertFired: () => faults.assertFired(),
    hanging: () => hanging.size,
    carried: (direction) => carried.map((bytes) => bytes[direction]),
  };
}

/** Turns of the event loop without any traffic, after which nothing more is under way. */
const QUIET_TURNS = 30;

/** Less than any timeout of a client. */
const STEP_MS = 5000;

/** For `settleOn`: how long connections have hung while nothing else was under way, in milliseconds. */
export function hungMs(proxy: FaultProxy): () => number {
  let ms = 0;
  let seen = 0;
  let quietTurns = 0;
  return () => {
    const sum = (bytes: readonly number[]) => bytes.reduce((total, some) => total + some, 0);
    const now = proxy.accepted() + sum(proxy.carried("request")) + sum(proxy.carried("answer"));
    quietTurns = now === seen && proxy.hanging() > 0 ? quietTurns + 1 : 0;
    seen = now;
    if (quietTurns < QUIET_TURNS) return ms;
    quietTurns = 0;
    ms += STEP_MS;
    return ms;
  };
}
