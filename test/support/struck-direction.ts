import type { Socket } from "node:net";
import { Transform } from "node:stream";
import type { TestClock } from "@saas-management/sdk/reference-server";
import type { ConnectionFaultKind } from "./connection-fault.js";

/** A connection through the proxy. */
export interface ProxiedConnection {
  /** To the client. */
  readonly near: Socket;
  /** To the server. */
  readonly far: Socket;
  /** Fires when the connection is gone. */
  readonly gone: AbortSignal;
  /** What delays and bandwidths are counted on. */
  readonly clock: TestClock;
}

type DirectedKind = Exclude<ConnectionFaultKind, { readonly type: "silent" }>;

/** Does with a piece what the fault does. Resolves with what goes on from it, when the next piece may come. */
type Strike = (piece: Buffer) => Promise<Buffer | undefined>;

/** One direction of a connection: passed on as it is, until the fault strikes in the place of its byte. */
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
        // The connection is gone, and nobody waits for the rest.
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
      // What was let through is on its way before the rest is lost.
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
