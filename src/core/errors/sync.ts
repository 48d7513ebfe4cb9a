import { type ErrorDetails, SaasManagementError } from "./base.js";

/** Another batch holds the installation's lock (service description, "Errors"). */
export class BatchAlreadyInProgressError extends SaasManagementError {
  static readonly code = "BATCH_IN_PROGRESS";
  /** @internal */
  static override readonly name = "BatchAlreadyInProgressError";
  override readonly code = BatchAlreadyInProgressError.code;
  /** The installation whose lock is held. */
  readonly installationId: string;
  /** How long the lock was waited for, in milliseconds. */
  readonly waitedMs: number;
  /**
   * Whether the lock may be this client's own: of an earlier start whose answer was lost, or of a batch of the same run
   * that could not be aborted; `cause` is then what that batch failed with.
   */
  readonly mayBeOwn: boolean;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly installationId: string;
      readonly waitedMs?: number | undefined;
      readonly mayBeOwn?: boolean | undefined;
    },
  ) {
    super(message, details);
    this.installationId = details.installationId;
    this.waitedMs = details.waitedMs ?? 0;
    this.mayBeOwn = details.mayBeOwn ?? false;
  }
}

/** The Sync API rejected an operation (service description, "Errors"). */
export class SyncProtocolError extends SaasManagementError {
  static readonly code = "SYNC_PROTOCOL";
  /** @internal */
  static override readonly name = "SyncProtocolError";
  override readonly code = SyncProtocolError.code;
  /** Name of the gRPC status, such as `INVALID_ARGUMENT`; undefined where the answer itself was wrong. */
  readonly grpcStatus: string | undefined;
  /** State of the batch as the server tells it, such as `completed`; undefined where it does not. */
  readonly batchState: string | undefined;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly grpcStatus?: string | undefined;
      readonly batchState?: string | undefined;
    } = {},
  ) {
    super(message, details);
    this.grpcStatus = details.grpcStatus;
    this.batchState = details.batchState;
  }
}

/** State of a batch as its handle knows it (service description, "Sync batch"). */
export type BatchState =
  | "active"
  | "completing"
  | "completed"
  | "aborting"
  | "aborted"
  | "expired"
  | "unknown"
  | "closed";

/** Why a batch refuses a call. */
export type BatchStateReason = "completed" | "aborted" | "expired" | "incomplete" | "unknown";

/** The batch is in a state that does not allow the call (service description, "Errors"). */
export class BatchStateError extends SaasManagementError {
  static readonly code = "BATCH_STATE";
  /** @internal */
  static override readonly name = "BatchStateError";
  override readonly code = BatchStateError.code;
  /** State of the batch. */
  readonly state: BatchState;
  /** Why the call was refused. */
  readonly reason: BatchStateReason;

  constructor(
    message: string,
    details: ErrorDetails & { readonly state: BatchState; readonly reason: BatchStateReason },
  ) {
    super(message, details);
    this.state = details.state;
    this.reason = details.reason;
  }
}

/** Complete was sent and its fate is not known: the snapshots may or may not be reconciled. */
export class BatchOutcomeUnknownError extends SaasManagementError {
  static readonly code = "BATCH_OUTCOME_UNKNOWN";
  /** @internal */
  static override readonly name = "BatchOutcomeUnknownError";
  override readonly code = BatchOutcomeUnknownError.code;
  /** Id of the batch. */
  readonly batchId: string;

  constructor(message: string, details: ErrorDetails & { readonly batchId: string }) {
    super(message, details);
    this.batchId = details.batchId;
  }
}
