import { Deadline } from "./deadline.js";
import { annotate, SaasManagementError, TimeoutError } from "./errors/index.js";
import type { Lazy } from "./lazy.js";

/**
 * Loads what a call needs, for no longer than the call may take. Nothing was sent by then: a call that ends here may be
 * made again.
 * @throws {ConfigurationError | TimeoutError} it cannot be loaded, or not in time
 */
export async function loadWithin<T>(
  part: Lazy<T>,
  bounds: Omit<ConstructorParameters<typeof Deadline>[0], "retryable">,
): Promise<T> {
  const deadline = new Deadline({ ...bounds, retryable: true });
  try {
    return await part.load(deadline.signal);
  } catch (error) {
    if (error instanceof SaasManagementError && !deadline.isCallersReason(error))
      annotate(error, {
        attempts: 1,
        stoppedBecause: error instanceof TimeoutError ? "deadline" : "not-retryable",
      });
    throw error;
  } finally {
    deadline.end();
  }
}
