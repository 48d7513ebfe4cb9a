import { type ErrorDetails, SaasManagementError } from "./base.js";

/** Another batch holds the installation's lock (service description, "Errors"). */
export class BatchInProgressError extends SaasManagementError {
  static readonly code = "BATCH_IN_PROGRESS";
  /** @internal */
  static override readonly name = "BatchInProgressError";
  override readonly code = BatchInProgressError.code;
  /** The installation whose lock is held. */
  readonly installationId: string;
  /** How long the lock was waited for, in milliseconds. */
  readonly waitedMs: number;
  /**
   * Whether the lock may be this client's own: from an earlier start whose answer was lost, or from a batch of the same
   * run that could not be aborted; `cause` is then the failure of that batch.
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
  /** Name of the gRPC status, such as `INVALID_ARGUMENT`; undefined if the answer itself was wrong. */
  readonly grpcStatus: string | undefined;
  /** State of the batch according to the server, such as `completed`; undefined if it does not say. */
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

/** Complete was sent and its outcome is not known: the snapshots may or may not be reconciled. */
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

/** One snapshot that a run held, and what completing it would have done. */
export interface HeldSnapshot {
  /** Name of the collection. */
  readonly collection: string;
  /**
   * - `removals`: too many of the known ids would be removed.
   * - `no-baseline`: the ledger knows nothing of the collection, and `requireBaseline` was set.
   * - `unreadable-ledger`: what the ledger knows cannot be read.
   */
  readonly reason: "removals" | "no-baseline" | "unreadable-ledger";
  /** Number of ids known before: from the ledger, and from earlier attempts of the run. */
  readonly known: number;
  /** Number of different ids that were sent. */
  readonly sent: number;
  /** Number of sent ids that the ledger did not know: they are visible already. */
  readonly added: number;
  /** Number of known ids that were sent. */
  readonly kept: number;
  /** Number of known ids that would be removed. */
  readonly removed: number;
  /** Share of the known ids that would be removed, from 0 to 1. */
  readonly removedShare: number;
  /** The first ids that would be removed, up to 20, without those that only an earlier attempt had sent. */
  readonly firstRemoved: readonly string[];
  /**
   * Path of the file with all of those; undefined if the ledger keeps no such file. If the reason is not
   * `removals`, the file has the ids that were sent: an approval takes them as the new baseline.
   */
  readonly listedIn: string | undefined;
}

/**
 * The removal guard held a run: its batch was not completed, and is aborted. If somebody else completed that batch by its
 * id, a warning is logged.
 */
export class RunHeldError extends SaasManagementError {
  static readonly code = "RUN_HELD";
  /** @internal */
  static override readonly name = "RunHeldError";
  override readonly code = RunHeldError.code;
  /** Id of the batch that the run did not complete. */
  readonly batchId: string;
  /** The snapshots that were held. */
  readonly collections: readonly HeldSnapshot[];
  /** The value of `approve` that lets the same run pass; undefined if it could not be stored. */
  readonly approvalId: string | undefined;
  /** Until when the approval is valid. */
  readonly approvalExpiresAt: Date | undefined;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly batchId: string;
      readonly collections: readonly HeldSnapshot[];
      readonly approvalId: string | undefined;
      readonly approvalExpiresAt: Date | undefined;
    },
  ) {
    super(message, details);
    this.batchId = details.batchId;
    this.collections = details.collections;
    this.approvalId = details.approvalId;
    this.approvalExpiresAt = details.approvalExpiresAt;
  }
}
