import { Deadline } from "../deadline.js";
import { withRetry } from "../retry.js";
import type { SyncConfiguration } from "./configuration.js";
import type { OnProgress } from "./progress.js";
import type { CallContext } from "./transport.js";

/** Runs one operation of the Sync API within its time, again where it failed transiently. */
export async function callWithRetry<T>(
  configuration: SyncConfiguration,
  operation: string,
  signal: AbortSignal | undefined,
  attempt: (call: CallContext) => Promise<T>,
  onProgress?: OnProgress,
): Promise<T> {
  const { clock, timeoutMs, retry, logger } = configuration;
  const deadline = new Deadline({ clock, timeoutMs, operation, signal });
  try {
    return await withRetry(() => attempt({ signal: deadline.signal, timeoutMs: deadline.remainingMs }), {
      policy: retry,
      clock,
      deadline,
      onRetry: (event) => {
        logger.warn("saas-management: retrying", { operation, ...event });
        onProgress?.({ type: "retry", operation, ...event });
      },
    });
  } finally {
    deadline.end();
  }
}
