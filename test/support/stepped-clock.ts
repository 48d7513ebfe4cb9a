import { TestClock } from "@saas-management/sdk/reference-server";
import { until } from "./promises.js";

/** A clock that stands still until it is advanced, and tells pauses, which somebody waits for, from deadlines. */
export class SteppedClock extends TestClock {
  readonly #pauses = new Set<{ readonly until: number }>();

  constructor() {
    super({ startAt: Date.UTC(2026, 5, 1) });
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const pause = { until: this.monotonic() + ms };
    this.#pauses.add(pause);
    return super.sleep(ms, signal).finally(() => this.#pauses.delete(pause));
  }

  /** Milliseconds until the next pause is over; undefined where nobody pauses. */
  get nextPauseMs(): number | undefined {
    const now = this.monotonic();
    const left = [...this.#pauses].map((pause) => pause.until - now).filter((ms) => ms > 0);
    return left.length === 0 ? undefined : Math.min(...left);
  }
}

/** Lets time pass until a call has settled. */
export type Settle = <T>(call: Promise<T>) => Promise<PromiseSettledResult<T>>;

/**
 * Lets time pass only where somebody waits for it: for the end of a pause, or for something that will never come, until
 * it is given up. How fast the machine is makes no difference.
 *
 * @param hungMs How long everything that has come to hang so far takes to be given up, in milliseconds, all in all.
 */
export function settleOn(clock: SteppedClock, hungMs: () => number): Settle {
  let waitedMs = 0;
  return async (call) => {
    let settled = false;
    const result = Promise.allSettled([call]).finally(() => {
      settled = true;
    });
    for (;;) {
      await until(() => settled || clock.nextPauseMs !== undefined || hungMs() > waitedMs);
      if (settled) return (await result)[0];
      const pauseMs = clock.nextPauseMs;
      if (pauseMs !== undefined) {
        clock.advance(pauseMs);
        continue;
      }
      const ms = hungMs() - waitedMs;
      waitedMs += ms;
      clock.advance(ms);
    }
  };
}
