import { drive, SPINNING_TURNS } from "./drive.js";
import { InvalidInputError } from "./errors/index.js";
import { readOptions } from "./validate.js";

/** Time as the SDK sees it. Injectable, so that tests and simulations need no real waiting. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never jump back; only differences mean anything. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds, at once for zero or less. Rejects with the signal's reason if it aborts first; no
   * timer or listener is left behind.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls back after `ms` milliseconds. Unlike a sleep it keeps the process alive only with `keepAlive`.
   * @returns a function that cancels it
   */
  after(ms: number, callback: () => void, options?: { readonly keepAlive?: boolean | undefined }): () => void;
}

export type TimerOptions = Parameters<Clock["after"]>[2];

/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The clock of an option: one that tells only the time gets the system's timers. */
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
    // Timers of browsers are numbers.
    if (typeof timer === "object" && options?.keepAlive !== true) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Turns of the event loop: about 25 ms and about a second. */
const MOMENT = SPINNING_TURNS + 25;
const LONG_MOMENT = SPINNING_TURNS + 1000;

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
  /** Restarts the system timer for the time left. */
  readonly startTimer: () => void;
}

/**
 * A clock for tests that can be advanced.
 *
 * - Without `startAt` it shows the system time plus what it was advanced by.
 * - With `startAt` it stands still until it is advanced.
 */
export class TestClock {
  readonly #frozenAt: number | undefined;
  #offset = 0;
  #changes = 0;
  #pausing = 0;
  readonly #sleepers = new Set<Sleeper>();

  /** @throws {InvalidInputError} `startAt` is not a valid date, or an option is unknown */
  constructor(options: { readonly startAt?: Date | undefined } = {}) {
    const { startAt } = readOptions("TestClock", options, { startAt: true });
    this.#frozenAt = startAt === undefined ? undefined : Number(startAt);
    if (startAt !== undefined && !Number.isFinite(this.#frozenAt))
      throw new InvalidInputError("startAt must be a valid Date.");
  }

  /** The clock's time in milliseconds since the epoch. */
  now(): number {
    return (this.#frozenAt ?? Date.now()) + this.#offset;
  }

  /** @internal */
  monotonic(): number {
    return (this.#frozenAt === undefined ? performance.now() : 0) + this.#offset;
  }

  /** @internal Number of pending sleeps and callbacks: a test waits for it before it advances. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** @internal Grows with each sleep or callback that is added, cancelled or woken. */
  get changes(): number {
    return this.#changes;
  }

  /** @internal Milliseconds until the next sleep ends or callback is due; undefined if there is none. */
  get dueInMs(): number | undefined {
    if (this.#sleepers.size === 0) return undefined;
    const next = Math.min(...[...this.#sleepers].map(({ until }) => until));
    return Math.max(0, next - this.monotonic());
  }

  /**
   * Lets time pass for `work`: whenever nothing has happened for a moment, moves the time forward to the next sleep or
   * timeout, until `work` settles. Twenty minutes of waiting take milliseconds.
   *
   * ```ts
   * const clock = new TestClock({ startAt: new Date("2026-01-01T00:00:00Z") });
   * await using server = await startReferenceServer({ clock });
   * const client = new SaasManagementClient({ syncUrl: server.syncUrl, apiKey: server.apiKey, clock });
   * const receipt = await clock.drive(client.sync.run(connector, options));
   * ```
   *
   * A moment is about 25 milliseconds if something sleeps, such as a pause before a retry; otherwise about a second,
   * because work that only has timeouts waits for something real. Both are counted in turns of the event loop, and last
   * longer on a busy machine. Longer waits for real things may meet their timeouts.
   * @returns what `work` resolves with
   * @throws what `work` rejects with
   */
  drive<T>(work: Promise<T>): Promise<T> {
    return drive(this, work, {
      activity: () => this.#changes,
      patience: () => (this.#pausing > 0 ? MOMENT : LONG_MOMENT),
    });
  }

  /**
   * Moves the time forward and wakes every sleep that is due, the earliest first.
   * @throws {InvalidInputError} `ms` is not a number, or less than zero
   */
  advance(ms: number): void {
    if (!Number.isFinite(ms) || ms < 0)
      throw new InvalidInputError("TestClock.advance takes a number of milliseconds, 0 or more.");
    this.#offset += ms;
    const now = this.monotonic();
    const sleepers = [...this.#sleepers].sort((a, b) => a.until - b.until);
    const due = sleepers.filter(({ until }) => until <= now);
    for (const sleeper of sleepers.slice(due.length)) sleeper.startTimer();
    for (const sleeper of due) sleeper.wake();
  }

  /** @internal Number of pending sleeps alone: waits on purpose, unlike timeouts. */
  get pausing(): number {
    return this.#pausing;
  }

  /** @internal */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.#pausing += 1;
    try {
      await sleepWith(this, ms, signal);
    } finally {
      this.#pausing -= 1;
    }
  }

  /** @internal */
  after(ms: number, callback: () => void, options?: TimerOptions): () => void {
    let stopTimer = () => {};
    const cancel = () => {
      if (this.#sleepers.delete(sleeper)) this.#changes += 1;
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
        stopTimer = systemClock.after(sleeper.until - this.monotonic(), sleeper.wake, options);
      },
    };
    this.#sleepers.add(sleeper);
    this.#changes += 1;
    sleeper.startTimer();
    return cancel;
  }
}

function sleepWith(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    if (ms <= 0) return resolve();
    const abort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(
      ms,
      () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      },
      { keepAlive: true },
    );
    signal?.addEventListener("abort", abort, { once: true });
  });
}
