import {
  annotate,
  type BatchState,
  BatchStateError,
  ClosedError,
  SaasManagementError,
  SyncProtocolError,
} from "../../core/errors/index.js";

/** Why a call is refused. */
type Reason = BatchStateError["reason"];

/** `failing`: an open batch with a failed write. `released`: a batch of unknown outcome that was then aborted. */
type State = Exclude<BatchState, "active"> | "open" | "failing" | "released";

interface StateRow {
  /** Why the batch refuses all calls except abort and close; undefined if it takes records. */
  readonly refuses?: Reason | "closed";
  readonly mayAbort: boolean;
  /** The states that may follow. Any other change comes too late, and has no effect. */
  readonly next: readonly State[];
}

/**
 * A batch is open, failing, completing or over. Once over, a batch only waits for a completion that was already sent.
 */
const STATES: Readonly<Record<State, StateRow>> = {
  open: { mayAbort: true, next: ["completing", "aborting", "expired", "closed"] },
  failing: { refuses: "incomplete", mayAbort: true, next: ["aborting", "expired", "closed"] },
  completing: {
    refuses: "completed",
    mayAbort: true,
    next: ["open", "completed", "unknown", "aborting", "expired", "closed"],
  },
  completed: { refuses: "completed", mayAbort: false, next: [] },
  aborting: { refuses: "aborted", mayAbort: true, next: ["aborted", "completed", "unknown", "closed"] },
  aborted: { refuses: "aborted", mayAbort: false, next: [] },
  expired: { refuses: "expired", mayAbort: true, next: ["completed", "unknown", "aborting", "closed"] },
  unknown: { refuses: "unknown", mayAbort: true, next: ["released", "completed", "closed"] },
  released: { refuses: "unknown", mayAbort: false, next: ["closed"] },
  closed: { refuses: "closed", mayAbort: false, next: ["completed"] },
};

const BEFORE_THE_END: readonly State[] = ["open", "failing", "completing"];

const SEND_AGAIN = "Send every snapshot in full in a new batch or run.";

const REASONS: Readonly<Record<Reason, string>> = {
  completed: "the batch was completed. Write further records in a new batch or run.",
  aborted: `the batch was aborted. ${SEND_AGAIN}`,
  expired: `the batch's lease expired after 15 minutes without an accepted message. ${SEND_AGAIN}`,
  incomplete: `the batch is incomplete: completing it would mark missing records as removed. Abort it (a run does this itself). ${SEND_AGAIN}`,
  unknown: `the batch may or may not have been completed. ${SEND_AGAIN}`,
};

type IncompleteError = (call: string, because: string, cause?: unknown) => BatchStateError;

/** The state of one batch, or of a run's extraction. The state decides whether a call is allowed. */
export class BatchStates {
  readonly #incompleteError: IncompleteError;
  readonly #over = new AbortController();
  readonly #incomplete = new AbortController();
  #state: State = "open";
  /** The first write that failed or was refused, even if a completion was on its way. */
  #failure: { readonly what: string; readonly error: unknown } | undefined;

  constructor(incompleteError: IncompleteError = incompleteBatch) {
    this.#incompleteError = incompleteError;
  }

  /** The state as the handle shows it. */
  get shown(): BatchState {
    const now = this.#now;
    if (now === "open" || now === "failing") return "active";
    return now === "released" ? "unknown" : now;
  }

  get isOver(): boolean {
    return !BEFORE_THE_END.includes(this.#now);
  }

  /** Aborts when the batch is over, with the error for calls in progress. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Aborts when a write fails, with the error for a completion that hasn't been sent yet. */
  get incomplete(): AbortSignal {
    return this.#incomplete.signal;
  }

  /** Marks the batch as failing, for good. @param what The collection that was being written. */
  fail(what: string, error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { what, error };
    this.#incomplete.abort(this.#incompleteness("complete"));
  }

  /** @returns whether the batch moved to that state */
  move(state: State, reason?: Error): boolean {
    if (!STATES[this.#now].next.includes(state)) return false;
    this.#state = state;
    if (this.isOver) this.#over.abort(reason ?? this.refusal("The call"));
    return true;
  }

  /** @returns the error of a call that is not allowed now */
  refusal(call: string): BatchStateError | ClosedError | undefined {
    const { refuses, mayAbort } = STATES[this.#now];
    if (refuses === undefined || (call === "abort" && mayAbort)) return undefined;
    if (refuses === "incomplete") return this.#incompleteness(call);
    if (refuses === "closed") return closedError();
    const { reason }: { readonly reason: unknown } = this.over;
    const said = reason instanceof BatchStateError ? reason.serverMessage : undefined;
    return stateError(call, this.shown, refuses, said);
  }

  /**
   * @param unended Collections with an open writer.
   * @throws {BatchStateError} a write failed, or a writer has not ended
   */
  requireWhole(call: string, unended: ReadonlySet<string> = new Set()): void {
    const missing = this.#incompleteness(call);
    if (missing !== undefined) throw missing;
    if (unended.size === 0) return;
    throw this.#incompleteError(call, `the writer of ${[...unended].join(", ")} has not ended (end it)`);
  }

  #incompleteness(call: string): BatchStateError | undefined {
    if (this.#failure === undefined) return undefined;
    const { what, error } = this.#failure;
    // A source's own message may contain data, so it's only in the cause.
    const how = error instanceof SaasManagementError ? ` (${error.code}: ${error.message})` : "";
    return this.#incompleteError(call, `the write of ${what} failed${how}`, error);
  }

  get #now(): State {
    return this.#state === "open" && this.#failure !== undefined ? "failing" : this.#state;
  }
}

function incompleteBatch(call: string, because: string, cause?: unknown): BatchStateError {
  const message = `${call} was refused: ${because}, so ${REASONS.incomplete}`;
  return new BatchStateError(message, { state: "active", reason: "incomplete", cause });
}

function stateError(call: string, state: BatchState, reason: Reason, serverMessage?: string) {
  const why = state === "aborting" ? `an abort of the batch was requested. ${SEND_AGAIN}` : REASONS[reason];
  return new BatchStateError(`${call} was refused: ${why}`, { state, reason, serverMessage });
}

function closedError(): ClosedError {
  return new ClosedError(
    "The batch handle is closed. The batch on the server stays open until it is completed or aborted, or its lease ends.",
  );
}

/** If the service says that the batch has ended, returns the error for that; otherwise returns `error` itself. */
export function meaningOf(call: string, error: unknown): unknown {
  if (!(error instanceof SyncProtocolError)) return error;
  const { batchState, serverMessage } = error;
  if (batchState !== "completed" && batchState !== "aborted" && batchState !== "expired") return error;
  return annotate(stateError(call, batchState, batchState, serverMessage), error);
}
