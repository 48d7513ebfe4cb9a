import type { Clock } from "../../src/core/clock.js";

/** A clock that stands still until the simulation moves it to the time of the next sleep or callback. */
export class SimClock implements Clock {
  #now = 0;
  readonly #due = new Set<{ readonly at: number; readonly wake: () => void; readonly clients: boolean }>();
  /** Changes whenever a wait begins or ends, so it stays the same while nothing happens. */
  activity = 0;

  now(): number {
    return Date.UTC(2026, 0, 1) + this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  /** Number of the client's pending sleeps and callbacks. */
  get waiting(): number {
    return [...this.#due].filter(({ clients }) => clients).length;
  }

  /** Moves to the next time when something is due, and runs what is due. Returns false if nothing is due. */
  step(): boolean {
    const next = Math.min(...[...this.#due].map(({ at }) => at));
    if (!Number.isFinite(next)) return false;
    this.#now = Math.max(this.#now, next);
    for (const entry of [...this.#due].filter(({ at }) => at <= this.#now)) {
      if (this.#due.delete(entry)) entry.wake();
    }
    this.activity += 1;
    return true;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#sleep(ms, signal, true);
  }

  after(ms: number, callback: () => void): () => void {
    return this.#add(ms, callback, true);
  }

  /** Schedules a callback that belongs to the network, the service or a vendor's API, and not to the client. */
  elsewhere(ms: number, callback: () => void): void {
    this.#add(ms, callback, false);
  }

  /** A sleep that isn't the client's. */
  sleepElsewhere(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#sleep(ms, signal, false);
  }

  #sleep(ms: number, signal: AbortSignal | undefined, clients: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const aborted = () => {
        cancel();
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener("abort", aborted);
        resolve();
      };
      const cancel = this.#add(ms, wake, clients);
      signal?.addEventListener("abort", aborted, { once: true });
    });
  }

  #add(ms: number, wake: () => void, clients: boolean): () => void {
    const entry = { at: this.#now + Math.max(0, ms), wake, clients };
    this.#due.add(entry);
    this.activity += 1;
    return () => {
      if (this.#due.delete(entry)) this.activity += 1;
    };
  }
}
