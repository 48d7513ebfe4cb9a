import type { Socket } from "node:net";
import { Transform } from "node:stream";
import type { TestClock } from "@saas-management/sdk/testing";

/** To the server, or from the server. */
export type Direction = "request" | "answer";

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

/** A planned fault, as plain data. */
export interface ConnectionFault {
  /**
   * The first connection to strike, counted from 1 since the fault was planned. A connection that carries too few bytes
   * leaves the fault to the next.
   * @default 1
   */
  readonly nth?: number;
  /** Number of connections to strike. @default 1 */
  readonly times?: number;
  /** Number of connections that `assertFired()` requires. @default 1 */
  readonly atLeast?: number;
  readonly kind: ConnectionFaultKind;
}

/** Each connection gets the first fault that is due. */
export interface ConnectionSchedule {
  readonly seed?: number;
  readonly faults: readonly ConnectionFault[];
}

export interface PlannedConnectionFault {
  readonly fault: ConnectionFault;
  /** Number of connections struck so far. */
  readonly firings: number;
}

export interface DueConnectionFault {
  readonly kind: ConnectionFaultKind;
  /** Counts a strike. @returns false if it has struck often enough on other connections */
  strikes(): boolean;
}

export class PlannedConnectionFaults {
  readonly #entries: { readonly fault: ConnectionFault; connections: number; firings: number }[] = [];

  plan({ faults }: ConnectionSchedule): readonly PlannedConnectionFault[] {
    const added = faults.map((fault) => ({ fault, connections: 0, firings: 0 }));
    this.#entries.push(...added);
    return added;
  }

  /** Counts a connection and returns the first fault that is due. */
  take(): DueConnectionFault | undefined {
    for (const entry of this.#entries) entry.connections++;
    const due = this.#entries.find(
      ({ fault: { nth = 1, times = 1 }, connections, firings }) => connections >= nth && firings < times,
    );
    if (due === undefined) return undefined;
    const strikes = (): boolean => {
      if (due.firings >= (due.fault.times ?? 1)) return false;
      due.firings++;
      return true;
    };
    return { kind: due.fault.kind, strikes };
  }

  get firings(): number {
    return this.#entries.reduce((sum, { firings }) => sum + firings, 0);
  }

  get unfired(): readonly PlannedConnectionFault[] {
    return this.#entries.filter(({ fault, firings }) => firings < (fault.atLeast ?? 1));
  }

  /** @throws Error listing faults that struck too few connections */
  assertFired(): void {
    const lines = this.unfired.map(
      ({ fault, firings }) => `  ${firings} of ${fault.atLeast ?? 1}: ${JSON.stringify(fault)}`,
    );
    if (lines.length === 0) return;
    throw new Error(`Planned faults struck too few connections:\n${lines.join("\n")}`);
  }
}

export interface ProxiedConnection {
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
export function struckDirection(
  kind: DirectedKind,
  connection: ProxiedConnection,
  strikes: () => boolean,
): Transform {
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
      strike ??= strikes() ? strikeOf(kind, connection) : passOn;
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

const passOn: Strike = async (piece) => piece;
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
