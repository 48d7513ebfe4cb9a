import { raceAbort } from "../core/abort.js";
import type { Clock } from "../core/clock.js";
import { TimeoutError } from "../core/errors/index.js";

/**
 * How long a run waits for what it does beside its batch, before its start and after its end, and a client that is
 * closed for what cleans up, in milliseconds.
 */
export const CLEANUP_GRACE_MS = 5000;

/** Does something that has a time of its own: the grace begins anew when it has ended. */
export type Apart = <T>(step: () => Promise<T>) => Promise<T>;

/**
 * Waits for what cleans up after a batch. It is not bound to the run's signal, which may have fired before, so the
 * clock bounds it.
 * @param cleanUp Is told when nobody waits for it any more.
 * @throws {TimeoutError} it did not end in time
 */
export async function withinGrace(
  clock: Clock,
  cleanUp: (over: AbortSignal, apart: Apart) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const tooLong = () => {
    const timeoutMs = CLEANUP_GRACE_MS;
    over.abort(new TimeoutError(`No answer came within ${timeoutMs} ms.`, { timeoutMs }));
  };
  let ended = false;
  let stopTimer = () => {};
  const startTimer = () => {
    // Whoever awaits the run must not find the process gone.
    if (!ended) stopTimer = clock.after(CLEANUP_GRACE_MS, tooLong, { keepAlive: true });
  };
  const apart: Apart = async (step) => {
    stopTimer();
    try {
      return await step();
    } finally {
      startTimer();
    }
  };
  startTimer();
  try {
    await raceAbort(cleanUp(over.signal, apart), over.signal);
  } finally {
    ended = true;
    stopTimer();
  }
}
