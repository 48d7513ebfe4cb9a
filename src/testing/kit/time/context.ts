import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { TestClock } from "../../../reference-server/test-clock.js";

/** Where the requests of one run go. */
export interface VendorRoute {
  readonly port: number;
  /** Tells the runs apart. */
  readonly run: string;
  /** Requests that have begun and have no head of an answer yet. */
  pending: number;
}

/** The time of a connector: that of a clock, from another beginning. Its timers end with it. */
export class VirtualTime {
  /** Where its HTTP requests go; undefined: to their own addresses. */
  route: VendorRoute | undefined;
  /** Grows with each timer that begins or ends. */
  changes = 0;
  /** Whether the run is over, although code of the connector may still go on. */
  #ended = false;
  readonly #offset: number;
  readonly #timers = new Set<() => void>();

  /**
   * @param startedAt What the time is now, in milliseconds since the epoch.
   * @param onError Gets what a callback of a timer throws.
   */
  constructor(
    readonly clock: TestClock,
    startedAt: number,
    readonly onError: (error: unknown) => void,
  ) {
    this.#offset = startedAt - clock.now();
  }

  /** Milliseconds since the epoch. */
  now(): number {
    // A clock that does not stand still asks for the real time.
    return leaveVirtualTime(() => this.clock.now()) + this.#offset;
  }

  /** Number of timers that the connector has started and that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Milliseconds that only differences mean anything of. */
  monotonic(): number {
    return leaveVirtualTime(() => this.clock.monotonic());
  }

  /** Calls back in the async context of the caller. @returns cancels it */
  after(ms: number, callback: () => void): () => void {
    if (this.#ended) return () => {};
    const run = AsyncResource.bind(callback);
    const remove = () => {
      if (this.#timers.delete(cancel)) this.changes += 1;
    };
    const fire = () => {
      remove();
      try {
        run();
      } catch (error) {
        this.onError(error);
      }
    };
    const cancelTimer = leaveVirtualTime(() => this.clock.after(ms, fire));
    const cancel = () => {
      remove();
      cancelTimer();
    };
    this.#timers.add(cancel);
    this.changes += 1;
    return cancel;
  }

  /** Cancels all timers; later ones never fire. */
  end(): void {
    this.#ended = true;
    for (const cancel of [...this.#timers]) cancel();
  }
}

const contexts = new AsyncLocalStorage<VirtualTime | undefined>();

/** The time of the connector whose code is running; undefined for all other code. */
export function virtualTime(): VirtualTime | undefined {
  return contexts.getStore();
}

/** Runs code of a connector. */
export function enterVirtualTime<T>(time: VirtualTime, code: () => T): T {
  return contexts.run(time, code);
}

/** Runs code that is not the connector's, such as the SDK's: timers and dates are real in it. */
export function leaveVirtualTime<T>(code: () => T): T {
  return contexts.run(undefined, code);
}

/** The longest delay of a timer; Node fires longer ones after a millisecond. */
const MAX_DELAY_MS = 2 ** 31 - 1;
/** Ids of Node's own timers stay far below. */
let nextId = 2 ** 40;

const active = new Map<number, VirtualTimer>();

/** What `setTimeout` and `setInterval` return to a connector. */
export class VirtualTimer {
  readonly #id = nextId++;
  readonly #time: VirtualTime;
  readonly #callback: () => void;
  readonly #delayMs: number;
  readonly #repeats: boolean;
  #cancel: () => void = () => {};
  #isReferenced = true;

  constructor(time: VirtualTime, callback: () => void, delay: unknown, repeats: boolean) {
    this.#time = time;
    this.#callback = callback;
    this.#delayMs = delayOf(delay);
    this.#repeats = repeats;
    this.#start();
  }

  ref(): this {
    this.#isReferenced = true;
    return this;
  }

  unref(): this {
    this.#isReferenced = false;
    return this;
  }

  hasRef(): boolean {
    return this.#isReferenced;
  }

  refresh(): this {
    this.#cancel();
    this.#start();
    return this;
  }

  close(): this {
    this.#cancel();
    active.delete(this.#id);
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.#id;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #start(): void {
    active.set(this.#id, this);
    this.#cancel = this.#time.after(this.#delayMs, () => {
      if (this.#repeats) this.#start();
      else active.delete(this.#id);
      this.#callback();
    });
  }
}

/** The timer that was given to `clearTimeout` or `clearInterval`, as itself or as its number. */
export function virtualTimerOf(timer: unknown): VirtualTimer | undefined {
  if (timer instanceof VirtualTimer) return timer;
  return typeof timer === "number" || typeof timer === "string" ? active.get(Number(timer)) : undefined;
}

export function delayOf(delay: unknown): number {
  const ms = Number(delay);
  return ms >= 1 && ms <= MAX_DELAY_MS ? Math.trunc(ms) : 1;
}
