import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import type { TestClock } from "@saas-management/sdk/reference-server";
import type { ConnectionFaultKind, ConnectionSchedule, Direction } from "./connection-fault.js";
import { type PlannedConnectionFault, PlannedConnectionFaults } from "./planned-connection-faults.js";
import { struckDirection } from "./struck-direction.js";
import { listenTcp, type Peer } from "./tcp-peers.js";

/** A proxy between client and server, for what a server cannot do to itself. */
export interface FaultProxy extends Peer {
  /**
   * Adds all faults of a schedule, or none.
   * @throws TypeError where one of them makes no sense
   */
  plan(schedule: ConnectionSchedule): readonly PlannedConnectionFault[];
  /** Plans what happens to the next connections, one each; those after them are relayed. */
  planNext(...kinds: ConnectionFaultKind[]): void;
  /** Number of connections that were struck. Delay and bandwidth strike with the first bytes that they hold up. */
  firings(): number;
  /** The faults that have struck fewer connections than their `atLeast`. */
  unfired(): readonly PlannedConnectionFault[];
  /** @throws Error that lists the faults that have struck too few connections */
  assertFired(): void;
  /** Number of connections on which nothing will ever come, and which the client has not given up. */
  hanging(): number;
  /** Number of bytes that have come in a direction over each connection. */
  carried(direction: Direction): readonly number[];
}

/** @param clock What delays and bandwidths are counted on. */
export async function startFaultProxy(port: number, clock: TestClock): Promise<FaultProxy> {
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
    far.on("data", ({ length }: Buffer) => (bytes.answer += length));
    const gone = new AbortController();
    far.on("error", () => near.destroy());
    near.once("close", () => {
      gone.abort();
      far.destroy();
    });
    far.once("close", () => near.destroy());
    // Neither end waits for the other's acknowledgement: it comes late, and each call has several.
    near.setNoDelay();
    far.setNoDelay();
    const connection = { near, far, gone: gone.signal, clock };
    const through = (direction: Direction) =>
      kind?.direction === direction ? struckDirection(kind, connection, strikes) : new PassThrough();
    near.pipe(through("request")).pipe(far);
    far.pipe(through("answer")).pipe(near);
  });
  return {
    ...peer,
    plan: (schedule) => faults.plan(schedule),
    planNext: (...kinds) => void faults.plan({ faults: kinds.map((kind) => ({ kind })) }),
    firings: () => faults.firings,
    unfired: () => faults.unfired,
    assertFired: () => faults.assertFired(),
    hanging: () => hanging.size,
    carried: (direction) => carried.map((bytes) => bytes[direction]),
  };
}
