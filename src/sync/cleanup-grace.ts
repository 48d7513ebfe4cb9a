import type { Clock } from "../clock.js";
import { TimeoutError } from "../errors.js";
import { untilAborted } from "../until-aborted.js";

/** How long a run, or a client that is closed, waits for what cleans up after a batch, in milliseconds. */
export const CLEANUP_GRACE_MS = 5000;

/**
 * Waits for what cleans up after a batch. It is not bound to the run's signal, which may have fired before, so the
 * clock bounds it.
 * @param cleanUp Is told when nobody waits for it any more.
 * @throws {TimeoutError} it did not end in time
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
  // Whoever awaits the run must not find the process gone.
  const stopTimer = clock.after(CLEANUP_GRACE_MS, tooLong, { keepAlive: true });
  try {
    await untilAborted(cleanUp(over.signal), over.signal);
  } finally {
    stopTimer();
  }
}
