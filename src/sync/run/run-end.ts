import { linkAbort } from "../../core/abort.js";
import type { Clock } from "../../core/clock.js";
import { Deadline } from "../../core/retry.js";
import type { CommitOptions } from "./options.js";
import { abortAtSignals } from "./process-signals.js";

/** Does the work of a run, with a signal that fires when the caller, a signal of the process or the time ends it. */
export async function untilRunEnds<T>(
  { signal, stopOnSignals, maxDurationMs }: CommitOptions,
  { clock, begunAt }: { readonly clock: Clock; readonly begunAt: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { controller, unlink } = linkAbort(signal);
  const stopListening = stopOnSignals === true ? abortAtSignals(controller) : undefined;
  const deadline =
    maxDurationMs === undefined
      ? undefined
      : new Deadline({
          clock,
          timeoutMs: maxDurationMs,
          begunAt,
          operation: "The run",
          option: "maxDurationMs",
          cancellation: controller,
        });
  try {
    return await work(controller.signal);
  } finally {
    unlink();
    deadline?.end();
    stopListening?.();
  }
}
