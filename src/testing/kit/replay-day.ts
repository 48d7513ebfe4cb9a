import { TestClock } from "../../core/clock.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { describeType } from "../../core/validate.js";
import { Activity } from "./case/activity.js";
import { driveRun } from "./case/driver.js";
import { readDay } from "./cassette/cassette-file.js";
import { enterVirtualTime, VirtualTime } from "./time/context.js";
import { installVirtualTime, loadVendor } from "./time/install.js";

/**
 * Plays a recorded day to a test: while `work` runs, its HTTP requests are answered from the cassette, others with 404.
 * Its `Date` begins when the day was recorded, and its timers do not wait.
 *
 * @example
 * ```ts
 * const users = await replayDay("test/acme.cassette.json", "2026-05-04", () => acmeApi.listUsers());
 * ```
 * @throws {InvalidInputError} the cassette does not have the day
 * @throws {ConfigurationError} there is no such cassette, or it is damaged
 * @returns what `work` returns; what it throws is thrown
 */
export async function replayDay<T>(
  cassette: string | URL,
  day: string,
  work: () => T | Promise<T>,
): Promise<T> {
  if (typeof work !== "function")
    throw new InvalidInputError(`replayDay: work must be a function, got ${describeType(work)}.`);
  const { exchanges, startedAt } = await readDay("replayDay", cassette, day);
  const { startVendor } = await loadVendor();
  const vendor = await startVendor();
  const clock = new TestClock({ startAt: new Date(startedAt) });
  const stop = new AbortController();
  const time = new VirtualTime(clock, clock.now(), (error) => stop.abort(error));
  const run = vendor.play({ exchanges, clock });
  time.route = run.route;
  const restoreTime = installVirtualTime();
  const activity = new Activity();
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true });
  });
  try {
    const done = activity.during("running", async () => enterVirtualTime(time, work));
    return await driveRun(
      {
        time,
        activity,
        vendor: run,
        giveUp: (why) => stop.abort(new Error(`replayDay: work did not end within ${why}.`)),
      },
      Promise.race([done, stopped]),
    );
  } finally {
    time.end();
    run.end();
    restoreTime();
    await vendor.close();
  }
}
