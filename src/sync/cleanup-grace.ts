import { raceAbort } from "../core/abort.js";
import type { Clock } from "../core/clock.js";
import { TimeoutError } from "../core/errors/index.js";

/** How long a run or a closed client waits for cleanup, in milliseconds. */
export const CLEANUP_GRACE_MS = 5000;

/**
 * Waits for cleanup, at most 5 seconds: the run's own signal may have fired before.
 * @param cleanUp Receives a signal that fires when nobody waits any more.
 * @throws {TimeoutError} it took too long
 */
export async function withinGrace(
  clock: Clock,
  cleanUp: (over: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const tooLong = () => {
    const timeoutMs = CLEANUP_GRACE_MS;
    over.abort(new TimeoutError(`No answer came within ${timeoutMs} ms.`, { timeoutMs }));
  };
  // The process must not end while the caller waits for the run.
  const stopTimer = clock.after(CLEANUP_GRACE_MS, tooLong, { keepAlive: true });
  try {
    await raceAbort(cleanUp(over.signal), over.signal);
  } finally {
    stopTimer();
  }
}
