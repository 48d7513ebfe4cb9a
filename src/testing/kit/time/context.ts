import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { TestClock } from "../../../reference-server/test-clock.js";

/** Where the requests of one run go. */
export interface VendorRoute {
  readonly port: number;
  /** Identifies the run. */
  readonly run: string;
  /** Requests that have started but have no response headers yet. */
  pending: number;
}

/** A connector's time: a clock's time plus a constant offset. When a connector's time ends, so do its timers. */
export class VirtualTime {
  /** Where the connector's HTTP requests go; if undefined, to their own addresses. */
  route: VendorRoute | undefined;
  /** Increases whenever a timer starts or ends. */
  changes = 0;
  /** Whether the run is over, even if the connector's code is still running. */
  #ended = false;
  readonly #offset: number;
  readonly #timers = new Set<() => void>();

  /**
   * @param startedAt The current time, in milliseconds since the epoch.
   * @param onError Receives errors thrown by timer callbacks.
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
    // A clock that isn't stopped reads the real time.
    return leaveVirtualTime(() => this.clock.now()) + this.#offset;
  }

  /** Number of the connector's timers that haven't fired yet. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Milliseconds; only differences are meaningful. */
  monotonic(): number {
    return leaveVirtualTime(() => this.clock.monotonic());
  }

  /** Calls back in the caller's async context. @returns a function that cancels the timer */
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

/** The time of the connector whose code is running; undefined in any other code. */
export function virtualTime(): VirtualTime | undefined {
  return contexts.getStore();
}

/** Runs a connector's code. */
export function enterVirtualTime<T>(time: VirtualTime, code: () => T): T {
  return contexts.run(time, code);
}

/** Runs code that isn't the connector's, such as the SDK's, with real timers and dates. */
export function leaveVirtualTime<T>(code: () => T): T {
  return contexts.run(undefined, code);
}

/** The longest delay of a timer. Node fires a timer with a longer delay after only a millisecond. */
const MAX_DELAY_MS = 2 ** 31 - 1;
/** Ids start far above those of Node's own timers. */
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

/** The timer passed to `clearTimeout` or `clearInterval`, as an object or as its number. */
export function virtualTimerOf(timer: unknown): VirtualTimer | undefined {
  if (timer instanceof VirtualTimer) return timer;
  return typeof timer === "number" || typeof timer === "string" ? active.get(Number(timer)) : undefined;
}

export function delayOf(delay: unknown): number {
  const ms = Number(delay);
  return ms >= 1 && ms <= MAX_DELAY_MS ? Math.trunc(ms) : 1;
}
