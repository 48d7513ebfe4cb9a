import { TestClock } from "@saas-management/sdk/testing";
import { until } from "./promises.js";

/** A frozen clock that knows when the next sleep ends. Deadlines are not sleeps. */
export class SteppedClock extends TestClock {
  readonly #pauses = new Set<{ readonly until: number }>();

  constructor() {
    super({ startAt: new Date(Date.UTC(2026, 5, 1)) });
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const pause = { until: this.monotonic() + ms };
    this.#pauses.add(pause);
    return super.sleep(ms, signal).finally(() => this.#pauses.delete(pause));
  }

  /** Milliseconds until the next sleep ends; undefined if nothing sleeps. */
  get nextPauseMs(): number | undefined {
    const now = this.monotonic();
    const left = [...this.#pauses].map((pause) => pause.until - now).filter((ms) => ms > 0);
    return left.length === 0 ? undefined : Math.min(...left);
  }
}

/** Turns of the event loop for reactions to an abort, in which no time passes. */
const LATE_TURNS = 10;

/** Lets time pass until a call has settled. */
export type Settle = <T>(call: Promise<T>) => Promise<PromiseSettledResult<T>>;

/**
 * Advances the clock only if something waits: for the end of a sleep, or for an answer that never comes, until its
 * timeout. The speed of the machine makes no difference.
 * @param hungMs total timeout of everything that has hung so far, in milliseconds
 */
export function settleOn(clock: SteppedClock, hungMs: () => number): Settle {
  let waitedMs = 0;
  return async (call) => {
    let settled = false;
    const result = Promise.allSettled([call]).finally(() => {
      settled = true;
    });
    let turns = 0;
    for (;;) {
      await until(() => {
        const isDue = clock.nextPauseMs !== undefined || hungMs() > waitedMs;
        turns = isDue ? turns + 1 : 0;
        return settled || turns > LATE_TURNS;
      });
      if (settled) return (await result)[0];
      turns = 0;
      const ms = clock.nextPauseMs ?? hungMs() - waitedMs;
      if (clock.nextPauseMs === undefined) waitedMs += ms;
      clock.advance(ms);
    }
  };
}
