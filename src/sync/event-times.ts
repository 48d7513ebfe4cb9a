import type { Clock } from "../core/clock.js";

const EARLIEST_SECONDS = Date.UTC(2000, 0, 1) / 1000;
const DAY_SECONDS = 24 * 60 * 60;

/**
 * The range of times that an event may have. The service counts an account as active until its last event, and events
 * can't be taken back. A time before 2000 is usually a zero, or a number in the wrong unit.
 */
export class EventTimes {
  /** The limits for the record being explained; global because zod passes no context to its checks. */
  static checked: EventTimes | undefined;

  readonly #clock: Clock;
  #latest = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param seconds Seconds since 1970. */
  has(seconds: number): boolean {
    // Reads the clock only when needed, because reading it costs as much as parsing the time.
    if (seconds > this.#latest) this.#latest = Math.floor(this.#clock.now() / 1000) + DAY_SECONDS;
    return seconds >= EARLIEST_SECONDS && seconds <= this.#latest;
  }

  /** Describes the expected range, and says whether a time is before or after it. */
  static describe(seconds: number): string {
    const when = seconds < EARLIEST_SECONDS ? "earlier" : "later";
    return `a time from the year 2000 to a day from now, got one that is ${when}; sync.allowAnyEventTime permits it`;
  }
}
