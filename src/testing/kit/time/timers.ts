import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { promisify } from "node:util";
import { type VirtualTime, virtualTime } from "./context.js";
import type { Patches } from "./patch.js";
import { delayOf, VirtualTimer, virtualTimerOf } from "./virtual-timer.js";

type Callback = (...args: unknown[]) => void;

/** Replaces the timers of Node: those of connectors become virtual, all others stay as they are. */
export function patchTimers(patches: Patches): void {
  const start = (
    real: (callback: Callback, delay?: number, ...args: unknown[]) => unknown,
    repeats: boolean,
  ) => {
    return (callback: Callback, delay?: number, ...args: unknown[]): unknown => {
      const time = virtualTime();
      if (time === undefined || typeof callback !== "function") return real(callback, delay, ...args);
      return new VirtualTimer(time, () => callback(...args), delay, repeats);
    };
  };
  const clear = (real: (timer: unknown) => void) => (timer: unknown) => {
    const virtual = virtualTimerOf(timer);
    if (virtual === undefined) real(timer);
    else virtual.close();
  };
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const { setTimeout: sleep, setInterval: repeat, scheduler } = timersPromises;
  const pause = (delay?: number, value?: unknown, options: PauseOptions = {}): Promise<unknown> => {
    const time = virtualTime();
    return time === undefined ? sleep(delay, value, options) : pauseFor(time, delay, value, options.signal);
  };
  const replaced = {
    setTimeout: start((...args) => Reflect.apply(setTimeout, globalThis, args), false),
    setInterval: start((...args) => Reflect.apply(setInterval, globalThis, args), true),
    clearTimeout: clear((timer) => Reflect.apply(clearTimeout, globalThis, [timer])),
    clearInterval: clear((timer) => Reflect.apply(clearInterval, globalThis, [timer])),
  };
  Object.defineProperty(replaced.setTimeout, promisify.custom, { value: pause });
  for (const target of [globalThis, timers])
    for (const name of ["setTimeout", "setInterval", "clearTimeout", "clearInterval"] as const)
      patches.set(target, name, replaced[name]);
  patches.set(timersPromises, "setTimeout", pause);
  patches.set(
    timersPromises,
    "setInterval",
    (delay?: number, value?: unknown, options: PauseOptions = {}) => {
      const time = virtualTime();
      return time === undefined
        ? repeat(delay ?? 1, value, options)
        : ticks(time, delay, value, options.signal);
    },
  );
  const wait = scheduler.wait.bind(scheduler);
  patches.set(scheduler, "wait", (delay?: number, options: PauseOptions = {}) =>
    virtualTime() === undefined ? wait(delay ?? 1, options) : pause(delay, undefined, options),
  );
}

interface PauseOptions {
  readonly signal?: AbortSignal;
}

function pauseFor(time: VirtualTime, delay: unknown, value: unknown, signal?: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(abortError(signal));
    };
    if (signal?.aborted === true) return reject(abortError(signal));
    const cancel = time.after(delayOf(delay), () => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}

async function* ticks(time: VirtualTime, delay: unknown, value: unknown, signal?: AbortSignal) {
  for (;;) {
    await pauseFor(time, delay, undefined, signal);
    yield value;
  }
}

/** As Node rejects. */
function abortError(signal: AbortSignal | undefined): Error {
  const error = new Error("The operation was aborted", { cause: signal?.reason });
  return Object.assign(error, { name: "AbortError", code: "ABORT_ERR" });
}
