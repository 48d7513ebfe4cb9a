import {
  annotate,
  type BatchState,
  BatchStateError,
  ClosedError,
  SyncProtocolError,
} from "../../core/errors/index.js";

const SEND_AGAIN = "Send every snapshot in full in a new batch or run.";

const REASONS: Readonly<Record<BatchStateError["reason"], string>> = {
  completed: "the batch was completed. Write further records in a new batch or run.",
  aborted: `the batch was aborted. ${SEND_AGAIN}`,
  expired: `the batch's lease of 15 minutes without an accepted message is over. ${SEND_AGAIN}`,
  incomplete: `the batch is incomplete: completing it would mark missing records as removed. Abort it, which a run does itself. ${SEND_AGAIN}`,
  unknown: `it is not known whether the batch was completed. ${SEND_AGAIN}`,
};

const REFUSED_BECAUSE: Readonly<Record<Exclude<BatchState, "active" | "closed">, BatchStateError["reason"]>> =
  {
    completing: "completed",
    completed: "completed",
    aborting: "aborted",
    aborted: "aborted",
    expired: "expired",
    unknown: "unknown",
  };

interface StateErrorDetails {
  readonly because?: string | undefined;
  readonly cause?: unknown;
  readonly refusal?: SyncProtocolError | undefined;
}

export function refusal(call: string, state: Exclude<BatchState, "active">): BatchStateError | ClosedError {
  return state === "closed" ? closedError() : stateError(call, state, REFUSED_BECAUSE[state]);
}

export function stateError(
  call: string,
  state: BatchState,
  reason: BatchStateError["reason"],
  details: StateErrorDetails = {},
): BatchStateError {
  const { because, refusal, ...cause } = details;
  const why = because === undefined ? REASONS[reason] : `${because}, so ${REASONS[reason]}`;
  const serverMessage = refusal?.serverMessage;
  const error = new BatchStateError(`${call} was refused: ${why}`, {
    state,
    reason,
    serverMessage,
    ...cause,
  });
  return refusal === undefined ? error : annotate(error, refusal);
}

export function closedError(): ClosedError {
  return new ClosedError(
    "The batch handle is closed. The batch on the server stays open until it is completed or aborted, or its lease ends.",
  );
}

/** Returns a copy of the reason for which a batch ended: each write notes its own outcomes in its error. */
export function copyOfReason(reason: unknown): unknown {
  if (reason instanceof ClosedError) return annotate(closedError(), reason);
  return reason instanceof BatchStateError ? copyOfStateError(reason) : reason;
}

export function copyOfStateError(error: BatchStateError): BatchStateError {
  const { message, state, reason, serverMessage, cause } = error;
  const details = { state, reason, serverMessage, ...(cause !== undefined && { cause }) };
  return annotate(new BatchStateError(message, details), error);
}

/** Returns the error of a batch that the service says has ended; other errors stay as they are. */
export function meaningOf(call: string, error: unknown): unknown {
  if (!(error instanceof SyncProtocolError)) return error;
  const { batchState } = error;
  if (batchState !== "completed" && batchState !== "aborted" && batchState !== "expired") return error;
  return stateError(call, batchState, batchState, { refusal: error });
}
