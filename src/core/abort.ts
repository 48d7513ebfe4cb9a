import { InvalidInputError } from "./errors/index.js";

/** A controller that fires together with other signals. */
export interface LinkedController {
  readonly controller: AbortController;
  /** Takes the listeners off the other signals. Must be called: those may outlive the controller by far. */
  unlink(): void;
}

/**
 * Makes a controller that fires, with the same reason, when any of `signals` does.
 *
 * `AbortSignal.any` would do the same but cannot be taken off again.
 */
export function linkedController(...signals: readonly (AbortSignal | undefined)[]): LinkedController {
  const controller = new AbortController();
  for (const signal of signals) checkSignal(signal);
  const listeners = signals.flatMap((signal) => (signal === undefined ? [] : [follow(signal, controller)]));
  return {
    controller,
    unlink: () => {
      for (const remove of listeners) remove();
    },
  };
}

/**
 * Lets a controller fire, with the same reason, when a signal does.
 * @returns takes the listener off the signal
 */
export function follow(signal: AbortSignal, controller: AbortController): () => void {
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) {
    abort();
    return () => {};
  }
  const followers = FOLLOWERS.get(signal) ?? listen(signal);
  followers.calls.add(abort);
  return () => {
    followers.calls.delete(abort);
    if (followers.calls.size === 0) followers.stop();
  };
}

/** What is called when a signal fires. */
interface Followers {
  readonly calls: Set<() => void>;
  /** Takes their listener off the signal. */
  stop(): void;
}

/** One listener a signal, however many follow it: Node warns of a leak where there are more than ten. */
const FOLLOWERS = new WeakMap<AbortSignal, Followers>();

function listen(signal: AbortSignal): Followers {
  const calls = new Set<() => void>();
  const fired = () => {
    for (const call of calls) call();
  };
  const followers = {
    calls,
    stop: () => {
      signal.removeEventListener("abort", fired);
      if (FOLLOWERS.get(signal) === followers) FOLLOWERS.delete(signal);
    },
  };
  signal.addEventListener("abort", fired, { once: true });
  FOLLOWERS.set(signal, followers);
  return followers;
}

/** Checks a caller's signal. @throws {InvalidInputError} it is none */
export function checkSignal(signal: unknown): void {
  if (!isSignal(signal)) throw new InvalidInputError("signal must be an AbortSignal.");
}

/** What the SDK calls of a signal. */
const SIGNAL_METHODS = ["addEventListener", "removeEventListener", "throwIfAborted"] as const;

/** Whatever behaves like a signal will do: there are others than the engine's own. */
function isSignal(signal: unknown): boolean {
  try {
    if (signal === undefined || signal instanceof AbortSignal) return true;
    if (typeof signal !== "object" || signal === null) return false;
    return SIGNAL_METHODS.every((method) => typeof Reflect.get(signal, method) === "function");
  } catch {
    return false;
  }
}
