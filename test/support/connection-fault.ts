/** To the server, or from it. */
export type Direction = "request" | "answer";

/** What happens to a connection. Bytes are counted from its beginning, in the given direction. */
export type ConnectionFaultKind =
  /** Accepted, and nothing is ever sent: no SETTINGS, no answer, no end. */
  | { readonly type: "silent" }
  /** After so many bytes it is reset (TCP RST), in the place of the next one. */
  | { readonly type: "reset"; readonly direction: Direction; readonly afterBytes: number }
  /** From so many bytes on, everything is swallowed, in both directions, and the connection stands: half-open. */
  | { readonly type: "half-open"; readonly direction: Direction; readonly afterBytes: number }
  /** From so many bytes on, everything comes later by so many milliseconds of the clock. */
  | {
      readonly type: "delay";
      readonly direction: Direction;
      /** @default 0 */
      readonly afterBytes?: number;
      readonly ms: number;
    }
  /** From so many bytes on, not more than so many go by in a second of the clock. */
  | {
      readonly type: "bandwidth";
      readonly direction: Direction;
      /** @default 0 */
      readonly afterBytes?: number;
      readonly bytesPerSecond: number;
    };

/** A fault of a connection: plain data, which survives JSON. */
export interface ConnectionFault {
  /**
   * The first connection that is struck, counted from 1 since the fault was planned. One that comes to no harm, such as
   * one that carries too few bytes, leaves the fault to the next.
   * @default 1
   */
  readonly nth?: number;
  /**
   * How many connections are struck.
   * @default 1
   */
  readonly times?: number;
  /**
   * How many connections it must have struck when `assertFired()` is called: 0 to `times`.
   * @default 1
   */
  readonly atLeast?: number;
  readonly kind: ConnectionFaultKind;
}

/** A list of faults, of which each connection gets one: the first that is due. Plain data, which survives JSON. */
export interface ConnectionSchedule {
  /** What the list was drawn from; undefined where it was written by hand. */
  readonly seed?: number;
  readonly faults: readonly ConnectionFault[];
}

/** @throws TypeError where a fault could never strike, so that its test would be worth nothing */
export function checkConnectionFault({ nth = 1, times = 1, atLeast = 1, kind }: ConnectionFault): void {
  requireInteger("nth", nth, 1);
  requireInteger("times", times, 1);
  requireInteger("atLeast", atLeast, 0);
  if (atLeast > times) throw new TypeError("`atLeast` must not be more than `times`.");
  if (kind.type === "silent") return;
  requireInteger("afterBytes", kind.afterBytes ?? 0, 0);
  if (kind.type === "delay") requireInteger("ms", kind.ms, 1);
  if (kind.type === "bandwidth") requireInteger("bytesPerSecond", kind.bytesPerSecond, 1);
}

function requireInteger(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new TypeError(`\`${name}\` must be a whole number, ${least} or more.`);
}
