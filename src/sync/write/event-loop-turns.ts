import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../core/clock.js";

/** How many records are taken in between two looks at the clock: a source may take long for each. */
const RECORDS_PER_LOOK = 16;
/** How long the event loop waits for its turn, in milliseconds: about what a message takes, once the code is warm. */
const TURN_MS = 10;

/** A source that always has a record ready would keep the event loop for itself: tells when others have their turn. */
export class EventLoopTurns {
  readonly #clock: Clock;
  #lastAt: number;
  #records = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastAt = clock.monotonic();
  }

  /** Whether it is time. To be asked once a record. */
  isDue(): boolean {
    this.#records += 1;
    return this.#records % RECORDS_PER_LOOK === 0 && this.#clock.monotonic() - this.#lastAt >= TURN_MS;
  }

  /** Resolves when everybody else had their turn. */
  async give(): Promise<void> {
    await nextTurn();
    this.#lastAt = this.#clock.monotonic();
  }
}
