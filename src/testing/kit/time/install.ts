import { syncBuiltinESMExports } from "node:module";
import { virtualTime } from "./context.js";
import { Patches } from "./patch.js";
import { patchTimers } from "./timers.js";

/**
 * Makes time virtual for connectors: timers, `Date`, `performance.now` and `AbortSignal.timeout`. All other code of the
 * process keeps the real ones. `process.hrtime` stays real.
 * @returns puts everything back, when the last of its users has called it
 */
export function installVirtualTime(): () => void {
  users += 1;
  if (users === 1) restore = install();
  let used = true;
  return () => {
    if (used) users -= 1;
    used = false;
    if (users === 0) restore();
  };
}

let users = 0;
let restore = () => {};

function install(): () => void {
  const patches = new Patches();
  patchTimers(patches);
  patchDate(patches);
  patchPerformance(patches);
  patchAbortSignal(patches);
  // Imported names such as those of node:timers/promises follow.
  syncBuiltinESMExports();
  return () => {
    patches.restore();
    syncBuiltinESMExports();
  };
}

function patchDate(patches: Patches): void {
  const { now } = Date;
  patches.set(Date, "now", () => virtualTime()?.now() ?? now());
  const VirtualDate = new Proxy(Date, {
    construct: (target, args, newTarget) => {
      const time = virtualTime();
      const value = args.length > 0 || time === undefined ? args : [time.now()];
      return Reflect.construct(target, value, newTarget);
    },
    apply: () => new VirtualDate().toString(),
  });
  patches.set(globalThis, "Date", VirtualDate);
}

function patchPerformance(patches: Patches): void {
  const now = performance.now.bind(performance);
  patches.set(performance, "now", () => {
    const time = virtualTime();
    return time === undefined ? now() : time.monotonic();
  });
}

function patchAbortSignal(patches: Patches): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  patches.set(AbortSignal, "timeout", (ms: number) => {
    const time = virtualTime();
    if (time === undefined) return timeout(ms);
    const controller = new AbortController();
    time.after(ms, () =>
      controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")),
    );
    return controller.signal;
  });
}
