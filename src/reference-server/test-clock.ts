import { sleepWith, systemClock, type TimerOptions } from "../core/clock.js";
import { InvalidInputError } from "../core/errors/index.js";
import { readOptions } from "../core/validate.js";

/** The loop spins for this many turns; each later turn takes 1 ms and lets other processes run. */
const SPINNING_TURNS = 200;
/** Numbers of quiet turns of the event loop that take about 25 ms and about a second. */
const MOMENT = SPINNING_TURNS + 25;
const LONG_MOMENT = SPINNING_TURNS + 1000;

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
  /** Restarts the system timer for the time left. */
  readonly startTimer: () => void;
}

/**
 * A test clock that you can advance.
 *
 * - Without `startAt`, it shows the system time plus the time by which you advanced it.
 * - With `startAt`, it stands still until you advance it.
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

  /** @internal Number of pending sleeps and callbacks. A test waits for them before it advances the clock. */
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
   * Lets time pass for `work`. Whenever nothing has happened for a moment, moves the time forward to the next sleep or
   * timeout, until `work` settles. Twenty minutes of waiting take milliseconds.
   *
   * ```ts
   * const clock = new TestClock({ startAt: new Date("2026-01-01T00:00:00Z") });
   * await using server = await startReferenceServer({ clock });
   * const { syncUrl, apiKey } = server;
   * const client = new SaasManagementClient({ syncUrl, apiKey, clock });
   * const receipt = await clock.drive(client.sync.run(connector, options));
   * ```
   *
   * A moment is about 25 milliseconds if something sleeps, such as a pause before a retry. With timeouts alone, a
   * moment is about a second, because the work is waiting for something real. Moments are counted in turns of the event
   * loop, so they last longer on a busy machine. Real work that takes longer may time out.
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

  /** @internal Number of pending sleeps, which are deliberate waits. Timeouts don't count. */
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

/** A clock that moves only when advanced. */
interface Driven {
  /** Milliseconds until the next sleep ends; undefined if nothing sleeps. */
  readonly dueInMs: number | undefined;
  advance(ms: number): void;
}

interface Watch {
  /** Changes whenever something happens. */
  readonly activity: () => unknown;
  /** How many quiet turns must pass before time moves. Milliseconds wouldn't work, because a busy machine is slower. */
  readonly patience: () => number;
  /** Called before each step with its length. */
  readonly onStep?: (ms: number) => void;
  /** What counts as a turn. @default one turn of the event loop */
  readonly turn?: () => Promise<void>;
}

/** Until `work` settles, moves a clock to the next sleep whenever nothing happens. */
export async function drive<T>(clock: Driven, work: Promise<T>, watch: Watch): Promise<T> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  work.then(settle, settle);
  let last = watch.activity();
  for (let turns = 1; ; turns += 1) {
    await (watch.turn?.() ?? nextTurn(turns > SPINNING_TURNS));
    if (settled) return work;
    const now = watch.activity();
    if (now !== last) {
      last = now;
      turns = 0;
    } else if (turns >= watch.patience()) {
      const ms = clock.dueInMs;
      if (ms === undefined) continue;
      watch.onStep?.(ms);
      clock.advance(ms);
      turns = 0;
    }
  }
}

function nextTurn(rests: boolean): Promise<void> {
  return new Promise((resolve) => {
    if (rests) setTimeout(resolve, 1);
    else setImmediate(resolve);
  });
}
