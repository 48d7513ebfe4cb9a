import { type DetailsOf, SdkError } from "./base.js";

/** Another batch holds the installation's lock (service description, "Errors"). */
export class BatchInProgressError extends SdkError {
  /** @internal */
  static override readonly name = "BatchInProgressError";
  declare readonly code: "BATCH_IN_PROGRESS";
  /** The installation whose lock is held. */
  declare readonly installationId: string;
  /** How long the lock was waited for, in milliseconds. */
  declare readonly waitedMs: number;
  /**
   * Whether the lock may be this client's own: from an earlier start whose answer was lost, or from a batch of the same
   * run that could not be aborted; `cause` is then the failure of that batch.
   */
  declare readonly mayBeOwn: boolean;

  /** @internal */
  constructor(
    message: string,
    details: DetailsOf<BatchInProgressError, "installationId", "waitedMs" | "mayBeOwn">,
  ) {
    super(message, { waitedMs: 0, mayBeOwn: false, ...details }, ["installationId", "waitedMs", "mayBeOwn"]);
  }
}

/** The Sync API rejected an operation (service description, "Errors"). */
export class SyncProtocolError extends SdkError {
  /** @internal */
  static override readonly name = "SyncProtocolError";
  declare readonly code: "SYNC_PROTOCOL";
  /** Name of the gRPC status, such as `INVALID_ARGUMENT`; undefined if the answer itself was wrong. */
  declare readonly grpcStatus: string | undefined;
  /** @internal State of the batch according to the server, such as `completed`; undefined if it does not say. */
  declare readonly batchState: string | undefined;

  /** @internal */
  constructor(
    message: string,
    details: DetailsOf<SyncProtocolError, never, "grpcStatus" | "batchState"> = {},
  ) {
    super(message, details, ["grpcStatus", "batchState"]);
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

/** The batch is in a state that does not allow the call (service description, "Errors"). */
export class BatchStateError extends SdkError {
  /** @internal */
  static override readonly name = "BatchStateError";
  declare readonly code: "BATCH_STATE";
  /** State of the batch. */
  declare readonly state: BatchState;
  /** Why the call was refused. */
  declare readonly reason: "completed" | "aborted" | "expired" | "incomplete" | "unknown";

  /** @internal */
  constructor(message: string, details: DetailsOf<BatchStateError, "state" | "reason">) {
    super(message, details, ["state", "reason"]);
  }
}

/** Complete was sent and its outcome is not known: the snapshots may or may not be reconciled. */
export class BatchOutcomeUnknownError extends SdkError {
  /** @internal */
  static override readonly name = "BatchOutcomeUnknownError";
  declare readonly code: "BATCH_OUTCOME_UNKNOWN";
  /** Id of the batch. */
  declare readonly batchId: string;

  /** @internal */
  constructor(message: string, details: DetailsOf<BatchOutcomeUnknownError, "batchId">) {
    super(message, details, ["batchId"]);
  }
}

/** A signal of the process ended a run with `stopOnSignals`; its batch is aborted. */
export class InterruptedError extends SdkError {
  /** @internal */
  static override readonly name = "InterruptedError";
  declare readonly code: "INTERRUPTED";
  /** Name of the signal, such as `SIGTERM`. */
  declare readonly signalName: string;

  /** @internal */
  constructor(message: string, details: DetailsOf<InterruptedError, "signalName">) {
    super(message, details, ["signalName"]);
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
export class RunHeldError extends SdkError {
  /** @internal */
  static override readonly name = "RunHeldError";
  declare readonly code: "RUN_HELD";
  /** Id of the batch that the run did not complete. */
  declare readonly batchId: string;
  /** The snapshots that were held. */
  declare readonly collections: readonly HeldSnapshot[];
  /** The value of `approve` that lets the same run pass; undefined if it could not be stored. */
  declare readonly approvalId: string | undefined;
  /** Until when the approval is valid. */
  declare readonly approvalExpiresAt: Date | undefined;

  /** @internal */
  constructor(
    message: string,
    details: DetailsOf<RunHeldError, "batchId" | "collections" | "approvalId" | "approvalExpiresAt">,
  ) {
    super(message, details, ["batchId", "collections", "approvalId", "approvalExpiresAt"]);
  }
}
