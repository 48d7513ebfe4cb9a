import { onAbort } from "./abort.js";

/** The SDK's only source of time. Tests and simulations inject their own, so they never have to wait. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never jumps back. Only the difference of two readings is meaningful. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds, or at once if `ms` is zero or less. Rejects with the signal's reason if it aborts
   * first; no timer or listener is left behind.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls back after `ms` milliseconds. Unlike a sleep, the timer doesn't keep the process alive unless `keepAlive` is
   * set.
   * @returns a function that cancels the timer
   */
  after(ms: number, callback: () => void, options?: { readonly keepAlive?: boolean | undefined }): () => void;
}

/** A point in time on both of a clock's scales. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** Milliseconds since a moment. Reads both clocks, because the monotonic one may stop while a machine is suspended. */
export function elapsedSince(clock: Clock, { monotonic, wall }: Moment): number {
  return Math.max(clock.monotonic() - monotonic, clock.now() - wall);
}

export type TimerOptions = Parameters<Clock["after"]>[2];

/** Node fires timers at once if they're longer than this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Completes the clock from an option: if it has only `now`, it gets the system's timers. */
export function completeClock(clock: { now(): number } = systemClock): Clock {
  if ("monotonic" in clock && "sleep" in clock && "after" in clock) return clock as Clock;
  return { ...systemClock, now: () => clock.now() };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleepWith(systemClock, ms, signal),
  after: (ms, callback, options) => {
    const timer: ReturnType<typeof setTimeout> = setTimeout(callback, Math.min(ms, MAX_TIMER_MS));
    // In browsers, timers are numbers.
    if (typeof timer === "object" && options?.keepAlive !== true) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Implements `sleep` with the clock's own timers. */
export function sleepWith(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    if (ms <= 0) return resolve();
    const wake = () => {
      unlink?.();
      resolve();
    };
    const cancel = clock.after(ms, wake, { keepAlive: true });
    const unlink =
      signal &&
      onAbort(signal, () => {
        cancel();
        reject(signal.reason);
      });
  });
}
