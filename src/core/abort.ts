import { type Rule, withMethods } from "./validate.js";

// Looked up rather than imported, because browsers have no `node:util`.
const util = globalThis.process?.getBuiltinModule?.("node:util");

/** The platform's own class: the platform's fetch refuses signals of other classes, such as jsdom's. */
const Platform: unknown = util?.transferableAbortController?.().constructor;

function createController(): AbortController {
  return util === undefined || Platform === undefined || Platform === AbortController
    ? new AbortController()
    : util.transferableAbortController();
}

export interface LinkedController {
  readonly controller: AbortController;
  /** Removes the listeners. Always call `unlink`, because the signals may live much longer than the controller. */
  unlink(): void;
}

/**
 * Creates a controller that aborts when the first of `signals` does, with the same reason. The link can be removed,
 * unlike that of `AbortSignal.any`.
 */
export function linkAbort(...signals: readonly (AbortSignal | undefined)[]): LinkedController {
  const controller = createController();
  const unlinks = signals.filter(isDefined).map((signal) => follow(signal, controller));
  return {
    controller,
    unlink: () => {
      for (const unlink of unlinks) unlink();
    },
  };
}

/** Aborts a controller when a signal does. @returns a function that removes the listener */
export function follow(signal: AbortSignal, controller: AbortController): () => void {
  return onAbort(signal, () => controller.abort(signal.reason));
}

/**
 * Settles like `promise`, or rejects with the reason of the first signal that aborts. Meant for the caller's
 * functions, which may ignore the signal that the SDK passes to them.
 */
export async function raceAbort<T>(
  promise: Promise<T>,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<T> {
  let unlinks: readonly (() => void)[] = [];
  const aborted = new Promise<never>((_, reject) => {
    unlinks = signals
      .map((signal) => signal && onAbort(signal, () => reject(signal.reason)))
      .filter(isDefined);
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    for (const unlink of unlinks) unlink();
  }
}

/** The callbacks of one signal share one listener, because Node warns of a leak at more than ten listeners. */
interface Listener {
  readonly callbacks: Set<() => void>;
  stop(): void;
}

const LISTENERS = new WeakMap<AbortSignal, Listener>();

/** Calls back when a signal aborts, or at once if it already has. @returns a function that removes the listener */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const listener = LISTENERS.get(signal) ?? listen(signal);
  listener.callbacks.add(callback);
  return () => {
    if (listener.callbacks.delete(callback) && listener.callbacks.size === 0) listener.stop();
  };
}

function listen(signal: AbortSignal): Listener {
  const callbacks = new Set<() => void>();
  const fire = () => {
    for (const callback of callbacks) callback();
  };
  const listener = {
    callbacks,
    stop: () => {
      signal.removeEventListener("abort", fire);
      LISTENERS.delete(signal);
    },
  };
  signal.addEventListener("abort", fire, { once: true });
  LISTENERS.set(signal, listener);
  return listener;
}

/** A caller's signal; polyfills are accepted. */
export const SIGNAL: Rule = {
  ...withMethods("addEventListener", "removeEventListener", "throwIfAborted"),
  expected: "an AbortSignal",
};

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}
