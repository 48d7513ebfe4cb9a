import { InvalidInputError } from "./errors/index.js";
import { rejectUnknownKeys } from "./validate.js";

/** Time as the SDK sees it. Injectable, so that tests and simulations need no real waiting. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never jump back; only differences mean anything. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds, at once for zero or less.
   * Rejects with the signal's reason when `signal` fires first; no timer or listener is left behind.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls back after `ms` milliseconds. Unlike a sleep it keeps the process alive only with `keepAlive`.
   * @returns a function that cancels it
   */
  after(ms: number, callback: () => void, options?: { readonly keepAlive?: boolean | undefined }): () => void;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => abortable(signal, (done) => startTimer(ms, done, { keepAlive: true })),
  after: (ms, callback, options) => startTimer(ms, callback, options),
};

interface Sleeper {
  /** When it ends, by `monotonic()`. */
  readonly until: number;
  readonly wake: () => void;
  /** Starts the machine's timer for what is left, instead of the one that runs. */
  readonly startTimer: () => void;
}

/**
 * A clock that can be moved by hand.
 *
 * - Without `startAt` it shows the machine's time, which goes on by itself, plus whatever it was advanced by.
 * - With `startAt` it stands still at that moment until it is advanced.
 */
export class TestClock implements Clock {
  readonly #frozenAt: number | undefined;
  #offset = 0;
  readonly #sleepers = new Set<Sleeper>();

  /** @throws {InvalidInputError} `startAt` is no moment, or an option's name is not known */
  constructor(options: { readonly startAt?: number | Date | undefined } = {}) {
    rejectUnknownKeys("The options of TestClock", options, { startAt: true });
    const { startAt } = options;
    this.#frozenAt = startAt === undefined ? undefined : startOf(startAt);
  }

  /** The clock's time in milliseconds since the epoch. */
  now(): number {
    return (this.#frozenAt ?? Date.now()) + this.#offset;
  }

  /** Milliseconds that never jump back; only differences mean anything. */
  monotonic(): number {
    return (this.#frozenAt === undefined ? performance.now() : 0) + this.#offset;
  }

  /** Number of sleeps and callbacks that are still to come: a test waits for it before it advances. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /**
   * Moves the time forward and wakes every sleep that is over by then, the earliest first.
   * @throws {InvalidInputError} `ms` is no number, or less than zero
   */
  advance(ms: number): void {
    if (!Number.isFinite(ms) || ms < 0)
      throw new InvalidInputError("A TestClock advances by a number of milliseconds, 0 or more.");
    this.#offset += ms;
    const now = this.monotonic();
    const sleepers = [...this.#sleepers].sort((a, b) => a.until - b.until);
    const due = sleepers.filter(({ until }) => until <= now);
    for (const sleeper of sleepers.slice(due.length)) sleeper.startTimer();
    for (const sleeper of due) sleeper.wake();
  }

  /** Resolves when the clock has moved on by `ms` milliseconds; rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return abortable(signal, (done) => {
      if (ms > 0) return this.#wake(ms, done, { keepAlive: true });
      done();
      return () => {};
    });
  }

  /** Calls back when the clock has moved on by `ms` milliseconds, unless the returned function cancels it. */
  after(ms: number, callback: () => void, options?: TimerOptions): () => void {
    return this.#wake(ms, callback, options);
  }

  #wake(ms: number, callback: () => void, options: TimerOptions | undefined): () => void {
    let stopTimer = () => {};
    const cancel = () => {
      this.#sleepers.delete(sleeper);
      stopTimer();
    };
    const sleeper: Sleeper = {
      until: this.monotonic() + ms,
      wake: () => {
        cancel();
        callback();
      },
      startTimer: () => {
        if (this.#frozenAt !== undefined) return;
        stopTimer();
        stopTimer = startTimer(sleeper.until - this.monotonic(), sleeper.wake, options);
      },
    };
    this.#sleepers.add(sleeper);
    sleeper.startTimer();
    return cancel;
  }
}

/** A clock that showed no time would never let anything run out. */
function startOf(startAt: unknown): number {
  // Not instanceof: where a test runner gives each test file a realm of its own, there is more than one Date.
  const isTime = typeof startAt === "number" || Object.prototype.toString.call(startAt) === "[object Date]";
  const time = isTime ? Number(startAt) : Number.NaN;
  if (Number.isFinite(time)) return time;
  throw new InvalidInputError("startAt must be a Date, or milliseconds since the epoch.");
}

type Timer = ReturnType<typeof setTimeout>;

/** Options of a timer: whether it keeps the process running. */
export type TimerOptions = Parameters<Clock["after"]>[2];

/** Lets the process end although the timer runs; browsers' timers are numbers and need no such thing. */
function adjust(timer: Timer, options: TimerOptions): Timer {
  if (typeof timer === "object" && options?.keepAlive !== true) timer.unref();
  return timer;
}

/** The longest time that a timer takes; it fires at once where it is given a longer one. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls back after a time of any length. @returns a function that cancels it */
function startTimer(ms: number, callback: () => void, options: TimerOptions): () => void {
  let timer: Timer;
  const wait = (left: number): void => {
    const part = Math.min(left, MAX_TIMER_MS);
    timer = adjust(
      setTimeout(() => (left > part ? wait(left - part) : callback()), part),
      options,
    );
  };
  wait(Math.max(0, ms));
  return () => clearTimeout(timer);
}

/** Runs `begin` until it calls back or the signal fires, and undoes it in both cases. */
function abortable(signal: AbortSignal | undefined, begin: (done: () => void) => () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    let undo: (() => void) | undefined;
    let ended = false;
    const end = () => {
      ended = true;
      undo?.();
      signal?.removeEventListener("abort", abort);
    };
    const abort = () => {
      end();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    undo = begin(() => {
      end();
      resolve();
    });
    if (ended) undo();
  });
}
