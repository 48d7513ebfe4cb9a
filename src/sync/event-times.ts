import type { Clock } from "../core/clock.js";

const EARLIEST_SECONDS = Date.UTC(2000, 0, 1) / 1000;
const DAY_SECONDS = 24 * 60 * 60;

/**
 * The times that an event may have. The service counts an account as active until its last one, and no event can be
 * taken back; a time before 2000 is a zero, or a count of days that somebody took for another.
 */
export class EventTimes {
  /** Those of the record that is being explained: zod hands nothing on to its checks. */
  static checked: EventTimes | undefined;

  readonly #clock: Clock;
  #latest = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param seconds Since 1970. */
  has(seconds: number): boolean {
    // Asked for only when it matters: reading the clock costs as much as reading the time.
    if (seconds > this.#latest) this.#latest = Math.floor(this.#clock.now() / 1000) + DAY_SECONDS;
    return seconds >= EARLIEST_SECONDS && seconds <= this.#latest;
  }

  /** What was expected in place of a time that it does not have. */
  static describe(seconds: number): string {
    const when = seconds < EARLIEST_SECONDS ? "earlier" : "later";
    return `a time from the year 2000 to a day from now, got one that is ${when}; sync.allowAnyEventTime permits it`;
  }
}
