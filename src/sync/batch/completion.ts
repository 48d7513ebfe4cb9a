import {
  annotate,
  BatchOutcomeUnknownError,
  SaasManagementError,
  SyncProtocolError,
} from "../../core/errors/index.js";
import { Attempts } from "../attempts.js";
import type { CallContext, CompletionCounts } from "../transport.js";
import type { BatchSession } from "./session.js";
import { meaningOf } from "./state.js";

/** A completion of which the service tells nothing more. */
export const NO_COUNTS: CompletionCounts = { snapshots: {}, events: {} };

/**
 * Sends CompleteSyncBatch, again where the answer was lost.
 * @param closing Cuts it off, at any time: what was sent by then may be done.
 * @param unlessSent Cuts it off as long as no attempt is on its way: before the first, and before each further one.
 * @throws {BatchOutcomeUnknownError} it was sent, and whether the service did it is not known
 * @throws everything else where the service certainly did not
 */
export async function sendCompletion(
  session: BatchSession,
  closing: AbortSignal,
  unlessSent: AbortSignal,
): Promise<CompletionCounts> {
  const attempts = new Attempts();
  const attempt = async (call: CallContext) => {
    const answerWasLost = attempts.mayBeDone;
    const context = { ...call, unlessSent };
    try {
      return await attempts.make(context, (made) => session.complete(made));
    } catch (error) {
      // Only the service's own word turns a lost answer into a success.
      if (answerWasLost && error instanceof SyncProtocolError && error.batchState === "completed")
        return NO_COUNTS;
      throw error;
    }
  };
  try {
    return await session.call("CompleteSyncBatch", closing, attempt);
  } catch (error) {
    if (!attempts.mayBeDone) throw meaningOf("complete", error);
    throw unclear(session.id, error);
  }
}

/** The error of a completion of which only failures are known. */
function unclear(batchId: string, failure: unknown): BatchOutcomeUnknownError {
  const error = new BatchOutcomeUnknownError(
    "CompleteSyncBatch was sent, and whether the service did it is not known: the snapshots may or may not be reconciled. Send every snapshot in full in a new batch or run; a lock that is still held ends with the lease, 15 minutes after the last accepted message.",
    { batchId, cause: failure, requestId: requestIdOf(failure) },
  );
  return failure instanceof SaasManagementError ? annotate(error, failure) : error;
}

/** The server's id of the call that failed last; where the time was up, of the last one that was answered. */
function requestIdOf(error: unknown): string | undefined {
  if (!(error instanceof SaasManagementError)) return undefined;
  return error.requestId ?? requestIdOf(error.cause);
}
