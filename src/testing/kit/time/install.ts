import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { promisify } from "node:util";
import { delayOf, type VirtualTime, VirtualTimer, virtualTime, virtualTimerOf } from "./context.js";

/**
 * Makes time virtual for connectors: timers, `Date`, `performance.now` and `AbortSignal.timeout`. All other code in the
 * process keeps the real time, and `process.hrtime` stays real.
 * @returns a function that restores everything once the last user has called it
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
  // Updates named imports too, for example from node:timers/promises.
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
  patches.set(performance, "now", () => virtualTime()?.monotonic() ?? now());
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

type Callback = (...args: unknown[]) => void;

/** Replaces Node's timers: connectors get virtual timers, and all other code keeps real ones. */
function patchTimers(patches: Patches): void {
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

/** The error with which Node rejects an aborted timer. */
function abortError(signal: AbortSignal | undefined): Error {
  const error = new Error("The operation was aborted", { cause: signal?.reason });
  return Object.assign(error, { name: "AbortError", code: "ABORT_ERR" });
}

/** Replaces properties temporarily and restores exactly what was there. */
export class Patches {
  readonly #undo: (() => void)[] = [];

  /** Replaces a property and keeps its other attributes. */
  set<Target extends object>(target: Target, key: keyof Target & string, value: unknown): void {
    const own = Object.getOwnPropertyDescriptor(target, key);
    const { configurable = true, enumerable = true } = own ?? {};
    Object.defineProperty(target, key, { configurable, enumerable, writable: true, value });
    this.#undo.push(() => {
      if (own === undefined) Reflect.deleteProperty(target, key);
      else Object.defineProperty(target, key, own);
    });
  }

  /** Undoes everything in reverse order. */
  restore(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }
}

/** Loads the simulated vendor, which loads undici, on first use rather than with `./testing`. */
export async function loadVendor() {
  // Loads Node's own undici first, because otherwise the package would set the global dispatcher.
  void globalThis.Headers;
  return import("../vendor/server.js");
}
