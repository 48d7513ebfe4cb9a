import type { FaultProxy } from "./fault-proxy.js";

/** Turns of the event loop without a byte and without a new connection, after which nothing more is under way. */
const QUIET_TURNS = 30;

/** What passes then: less than a client waits for anything. */
const STEP_MS = 5000;

/** For {@link settleOn}: how long connections have hung while nothing else was under way, in milliseconds. */
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
