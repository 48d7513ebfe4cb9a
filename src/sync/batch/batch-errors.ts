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
  "taken-over": "this handle may only abort it. The handle that took it over writes and completes it.",
  unknown: `it is not known whether the batch was completed. ${SEND_AGAIN}`,
};

const TAKEN_OVER = "another handle took the batch over with openBatch and takeOver: true";
/** The service refuses a stream that is older than another one: it does not say whose that is. */
const FENCED =
  "the service has seen a newer write to the batch than this one: another process took it over, or an earlier attempt of this write arrived late";

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

/** @param by The service's refusal; without it, a handle of the same client took the batch over. */
export function takenOverError(by?: SyncProtocolError): BatchStateError {
  const because = by === undefined ? TAKEN_OVER : FENCED;
  return stateError("The call", "unknown", "taken-over", { because, refusal: by });
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

/** The same for an error of SyncRecords: a refusal by a batch that is active means that there is a newer writer. */
export function meaningOfWrite(call: string, error: unknown): unknown {
  const isFenced =
    error instanceof SyncProtocolError &&
    error.grpcStatus === "FAILED_PRECONDITION" &&
    error.batchState === "active";
  return isFenced ? takenOverError(error) : meaningOf(call, error);
}
