import { annotate, BatchAlreadyInProgressError } from "../../core/errors/index.js";
import type { SyncConfiguration } from "../configuration.js";
import type { OnProgress } from "../progress.js";

/** Pause after the first refusal, in milliseconds; it doubles with each further one. */
const FIRST_PAUSE_MS = 1000;
/** Longest pause, in milliseconds. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Tries to start a batch until the installation's lock is free, asking with growing, jittered pauses.
 * @throws {BatchAlreadyInProgressError} with `waitedMs`, when `waitForLockMs` is over
 */
export async function waitForLock<T>(
  start: () => Promise<T>,
  { clock }: SyncConfiguration,
  waitForLockMs: number,
  signal: AbortSignal,
  onProgress: OnProgress | undefined,
): Promise<T> {
  const since = clock.monotonic();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof BatchAlreadyInProgressError)) throw error;
      const waitedMs = clock.monotonic() - since;
      const leftMs = waitForLockMs - waitedMs;
      if (leftMs <= 0) throw waitForLockMs === 0 ? error : waitedInVain(error, waitedMs);
      // Between half of the pause and the whole of it: those who wait together do not come back together.
      const jitteredMs = Math.min(leftMs, pauseMs * (0.5 + Math.random() / 2));
      // Whole milliseconds: timers know no fractions, and an injected clock need not reach one.
      const nextAttemptMs = Math.ceil(jitteredMs);
      onProgress?.({ type: "waiting-for-lock", waitedMs, nextAttemptMs });
      await clock.sleep(nextAttemptMs, signal);
    }
  }
}

function waitedInVain(held: BatchAlreadyInProgressError, waitedMs: number): BatchAlreadyInProgressError {
  const { installationId, serverMessage, mayBeOwn } = held;
  const error = new BatchAlreadyInProgressError(
    `${held.message} Waited for ${Math.round(waitedMs / 1000)} seconds.`,
    { installationId, serverMessage, waitedMs, mayBeOwn },
  );
  return annotate(error, held);
}
