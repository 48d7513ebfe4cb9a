import {
  AuthenticationError,
  annotate,
  BatchAlreadyInProgressError,
  type BatchState,
  BatchStateError,
  type BatchStateReason,
  ClosedError,
  PermissionDeniedError,
  RateLimitError,
  SyncProtocolError,
} from "../../core/errors/index.js";

const ANEW = "Send every snapshot in full in a new batch or run.";

const REASONS: Readonly<Record<BatchStateReason, string>> = {
  completed: "the batch was completed. What comes later goes into a new batch or run.",
  aborted: `the batch was aborted. ${ANEW}`,
  expired: `the batch's lease of 15 minutes without an accepted message is over. ${ANEW}`,
  incomplete: `the batch's snapshots are not whole, and completing it would mark what they lack as removed. It must be aborted, which run does by itself. ${ANEW}`,
  unknown: `whether the batch was completed is not known. ${ANEW}`,
};

/** The reason for which a batch in this state takes no more writes and cannot be completed. */
const REFUSED_BECAUSE: Readonly<Record<Exclude<BatchState, "active" | "closed">, BatchStateReason>> = {
  completing: "completed",
  completed: "completed",
  aborting: "aborted",
  aborted: "aborted",
  expired: "expired",
  unknown: "unknown",
};

/** The error with which a batch in this state refuses a write or a completion; undefined where it takes it. */
export function refusal(call: string, state: BatchState): BatchStateError | ClosedError | undefined {
  if (state === "active") return undefined;
  return state === "closed" ? closedError() : stateError(call, state, REFUSED_BECAUSE[state]);
}

/** An error that says why the batch does not take the call. */
export function stateError(
  call: string,
  state: BatchState,
  reason: BatchStateReason,
  details: {
    readonly because?: string | undefined;
    readonly cause?: unknown;
    /** What the service said. */
    readonly told?: SyncProtocolError | undefined;
  } = {},
): BatchStateError {
  const { because, told, ...cause } = details;
  const why = because === undefined ? REASONS[reason] : `${because}, so ${REASONS[reason]}`;
  const serverMessage = told?.serverMessage;
  const error = new BatchStateError(`${call} was refused: ${why}`, {
    state,
    reason,
    serverMessage,
    ...cause,
  });
  return told === undefined ? error : annotate(error, told);
}

/** The error of a handle that was closed. */
export function closedError(): ClosedError {
  return new ClosedError(
    "The batch handle is closed. Closing releases local resources only: the server's batch lives on until its lease ends.",
  );
}

/** The reason for which a batch ended, as an error of one write alone, which tells of its own records. */
export function ownReason(shared: unknown): unknown {
  if (shared instanceof ClosedError) return annotate(closedError(), shared);
  return shared instanceof BatchStateError ? copyOfStateError(shared) : shared;
}

/** The same error once more, with records of its own to tell of. */
export function copyOfStateError(error: BatchStateError): BatchStateError {
  const { message, state, reason, serverMessage, cause } = error;
  const details = { state, reason, serverMessage, ...(cause !== undefined && { cause }) };
  return annotate(new BatchStateError(message, details), error);
}

/** What the server says of the batch, as an error of the batch; other errors stay as they are. */
export function meaningOf(call: string, error: unknown): unknown {
  if (!(error instanceof SyncProtocolError)) return error;
  const told = error.batchState;
  if (told !== "completed" && told !== "aborted" && told !== "expired") return error;
  return stateError(call, told, told, { told: error });
}

/** Whether the service refuses to abort a batch because it has ended. */
export function hasEnded(error: unknown): error is SyncProtocolError {
  if (!(error instanceof SyncProtocolError)) return false;
  return error.grpcStatus === "NOT_FOUND" || error.grpcStatus === "FAILED_PRECONDITION";
}

/** Statuses of a server that broke down on the way: what it had done by then, they do not tell. */
const UNCLEAR: ReadonlySet<string> = new Set(["UNKNOWN", "INTERNAL", "DATA_LOSS"]);

/** True for an error that proves that the server did not do what it was asked. */
export function isRefusal(error: unknown): boolean {
  return (
    error instanceof AuthenticationError ||
    error instanceof PermissionDeniedError ||
    error instanceof RateLimitError ||
    error instanceof BatchAlreadyInProgressError ||
    (error instanceof SyncProtocolError && error.grpcStatus !== undefined && !UNCLEAR.has(error.grpcStatus))
  );
}
