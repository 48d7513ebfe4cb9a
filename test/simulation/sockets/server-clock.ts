import { TestClock } from "@saas-management/sdk/testing";
import type { SimClock } from "../sim-clock.js";

/** The simulation's clock, in the hands of the server. */
export class ServerClock extends TestClock {
  readonly #clock: SimClock;
  #held = 0;

  constructor(clock: SimClock) {
    super({ startAt: new Date(0) });
    this.#clock = clock;
  }

  /** Number of calls that faults hold back. */
  get held(): number {
    return this.#held;
  }

  override now(): number {
    return this.#clock.now();
  }

  override monotonic(): number {
    return this.#clock.monotonic();
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.#held += 1;
    try {
      await this.#clock.sleepElsewhere(ms, signal);
    } finally {
      this.#held -= 1;
    }
  }
}
