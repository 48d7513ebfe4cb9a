import type { VirtualTime } from "./context.js";

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
