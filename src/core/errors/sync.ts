import { type DetailsOf, SdkError } from "./base.js";

/** Another batch holds the installation's lock (service description, "Errors"). */
export class BatchInProgressError extends SdkError {
  /** @internal */
  static override readonly name = "BatchInProgressError";
  readonly code = "BATCH_IN_PROGRESS";
  /** The installation whose lock is held. */
  declare readonly installationId: string;
  /** How long the call waited for the lock, in milliseconds. */
  declare readonly waitedMs: number;
  /**
   * Whether the lock may be this client's own: the response to an earlier start was lost, or an earlier batch of the
   * run couldn't be aborted (`cause` is the failure of that batch).
   */
  declare readonly mayBeOwn: boolean;

  /** @internal */
  constructor(message: string, details: DetailsOf<BatchInProgressError, "waitedMs" | "mayBeOwn">) {
    super(message, { waitedMs: 0, mayBeOwn: false, ...details }, ["installationId", "waitedMs", "mayBeOwn"]);
  }
}

/** The Sync API rejected an operation (service description, "Errors"). */
export class SyncProtocolError extends SdkError {
  /** @internal */
  static override readonly name = "SyncProtocolError";
  readonly code = "SYNC_PROTOCOL";
  /** Name of the gRPC status, such as `INVALID_ARGUMENT`; undefined if the response itself was wrong. */
  declare readonly grpcStatus: string | undefined;
  /** @internal State of the batch according to the server, such as `completed`; undefined if the server doesn't say. */
  declare readonly batchState: string | undefined;

  /** @internal */
  constructor(message: string, details: DetailsOf<SyncProtocolError, keyof SyncProtocolError> = {}) {
    super(message, details, ["grpcStatus", "batchState"]);
  }
}

/**
 * State of a batch as its handle knows it (service description, "Sync batch"). `unknown`: a completion was sent and its
 * outcome is unknown, even if an abort succeeded afterwards.
 */
export type BatchState =
  | "active"
  | "completing"
  | "completed"
  | "aborting"
  | "aborted"
  | "expired"
  | "unknown"
  | "closed";

/** The batch's state doesn't allow the call (service description, "Errors"). */
export class BatchStateError extends SdkError {
  /** @internal */
  static override readonly name = "BatchStateError";
  readonly code = "BATCH_STATE";
  /** State of the batch. */
  declare readonly state: BatchState;
  /** Why the call was refused. */
  declare readonly reason: "completed" | "aborted" | "expired" | "incomplete" | "unknown";

  /** @internal */
  constructor(message: string, details: DetailsOf<BatchStateError>) {
    super(message, details, ["state", "reason"]);
  }
}

/** The completion was sent, but its outcome is unknown: records may or may not have been removed. */
export class BatchOutcomeUnknownError extends SdkError {
  /** @internal */
  static override readonly name = "BatchOutcomeUnknownError";
  readonly code = "BATCH_OUTCOME_UNKNOWN";
  /** Id of the batch. */
  declare readonly batchId: string;

  /** @internal */
  constructor(message: string, details: DetailsOf<BatchOutcomeUnknownError>) {
    super(message, details, ["batchId"]);
  }
}

/** A process signal ended a run whose `stopOnSignals` is set; the run's batch is aborted. */
export class InterruptedError extends SdkError {
  /** @internal */
  static override readonly name = "InterruptedError";
  readonly code = "INTERRUPTED";
  /** Name of the signal, such as `SIGTERM`. */
  declare readonly signalName: string;

  /** @internal */
  constructor(message: string, details: DetailsOf<InterruptedError>) {
    super(message, details, ["signalName"]);
  }
}

/** A comparison of a snapshot's ids with its baseline, the ids of the last completed snapshot. */
export interface SnapshotDiff {
  /**
   * - `completed`: the ids of the last completed snapshot.
   * - `unclear`: the ids of the last completed snapshot, and of a later one that may have been completed.
   * - `none`: the ledger knows nothing about the collection.
   * - `unreadable`: the ledger, or part of it, can't be read; the figures cover only what could be read.
   * - `off`: the run has no ledger.
   */
  readonly baseline: "completed" | "unclear" | "none" | "unreadable" | "off";
  /** Number of ids in the baseline. */
  readonly known: number;
  /** Number of distinct ids in the snapshot. */
  readonly sent: number;
  /** Number of ids that are only in the snapshot. */
  readonly added: number;
  /** Number of ids that are in the snapshot and in the baseline. */
  readonly kept: number;
  /** Number of ids that are only in the baseline: completing the snapshot removes them. */
  readonly removed: number;
  /** Number of records that repeat an earlier one, with the same id and contents. */
  readonly duplicates: number;
}

/** Why a snapshot was held. */
export interface HeldReason {
  /** Name of the collection. */
  readonly collection: string;
  /**
   * - `removed`: too many known ids would be removed.
   * - `window`: the snapshot is much smaller than those of the last days or runs.
   * - `added`: too many ids are new.
   * - `changed`: in too many known records, a field lost its value or got a new one.
   * - `no-baseline`: the ledger has no completed run of the installation, and `firstRun` wasn't set.
   * - `unreadable-ledger`: the ledger's contents can't be read.
   */
  readonly rule: "removed" | "window" | "added" | "changed" | "no-baseline" | "unreadable-ledger";
  /** The comparison. */
  readonly diff: SnapshotDiff;
  /**
   * What is normal, judging by the completed runs in the ledger. `sent`: the number of ids in each of the last seven
   * runs, latest last. `removed` and `added`: the smallest and the largest share of the known ids that a run removed or
   * added (0.02 is 2%), ignoring approved runs; absent if no other run had anything to compare with.
   */
  readonly usual: {
    readonly sent: readonly number[];
    readonly removed?: readonly [least: number, most: number];
    readonly added?: readonly [least: number, most: number];
  };
  /** How many ids the rules allow this snapshot to remove and to add; absent if there is no limit. */
  readonly limits: { readonly removed?: number; readonly added?: number };
  /**
   * For the rule `changed`, per field: `changed` of the `sampled` records differ from before; `usual` is the largest
   * normal share. `value` is set if all changed records have the same new value: a boolean, an enum value, `empty`, or
   * `missing` (the field refers to a record that isn't in the run), but never text. `before` is how many had that value
   * before.
   */
  readonly fields?: readonly {
    readonly name: string;
    readonly sampled: number;
    readonly changed: number;
    readonly usual: number;
    readonly value?: string;
    readonly before?: number;
  }[];
  /** What was found, with figures; without a final period. */
  readonly message: string;
  /** What to check first; a full sentence. */
  readonly advice: string;
  /**
   * Example ids, each cut to 200 characters: up to 20 that would be removed, or three whose fields changed; empty for
   * other rules.
   */
  readonly examples: readonly string[];
  /**
   * Set if records refer to ids that aren't in the run. Contains the missing id for each entry of `examples`, or an
   * empty string if the example refers to no missing id. Not stored in the ledger.
   */
  readonly missing?: readonly string[];
  /**
   * Path of a file with all the ids (`examples` has only some); absent if the ledger stores no ids, as with `hashIds`.
   * For `added`, the file lists the new ids; for `no-baseline` and `unreadable-ledger`, it lists the ids of the run.
   */
  readonly listedIn?: string;
}

/** Why a run was held, and how to let it pass. The report is plain data; convert it to a string for people. */
export interface HeldReport {
  /** The installation. */
  readonly installationId: string;
  /** Location of the ledger, or `none`. */
  readonly ledger: string;
  /** The report in one line, such as `Held: 38 of 40 accounts would be removed. Nothing was sent.` */
  readonly summary: string;
  /** The snapshots that were held, worst first. */
  readonly reasons: readonly HeldReason[];
  /** What else you should know before you decide; full sentences. */
  readonly notes: readonly string[];
  /**
   * Pass `id` as `approve` to let a run like this one pass, until `expiresAt`. Undefined in a preview, without a
   * ledger, or if the approval couldn't be stored.
   */
  readonly approval: { readonly id: string; readonly expiresAt: Date } | undefined;
  /** The report as text. */
  toString(): string;
}

/** The guard held a run. Nothing was sent. */
export class RunHeldError extends SdkError {
  /** @internal */
  static override readonly name = "RunHeldError";
  readonly code = "RUN_HELD";
  /** Why the run was held, and the approval that lets it pass. */
  declare readonly report: HeldReport;

  /** @internal */
  constructor(message: string, details: DetailsOf<RunHeldError>) {
    super(message, details, ["report"]);
    // For an uncaught error, Node prints the stack and all enumerable fields; the report must appear only once.
    this.stack = `${this.stack}`.replace(this.message, () => `${this.report}`);
    Object.defineProperty(this, "report", { enumerable: false });
  }

  /** @internal */
  override toJSON(): object {
    return { ...super.toJSON(), report: this.report };
  }

  /** @internal */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `${this.stack}`;
  }
}

/**
 * While this run read its source, another run completed one of the same collections or moved a watermark that this run
 * used. This run's data may be older than what the other run sent. Nothing was completed; start the run again.
 */
export class RunOutdatedError extends SdkError {
  /** @internal */
  static override readonly name = "RunOutdatedError";
  readonly code = "RUN_OUTDATED";
  /** The installation. */
  declare readonly installationId: string;
  /** Id of the other run's batch; undefined if the ledger has no receipt for it. */
  declare readonly otherBatchId: string | undefined;

  /** @internal */
  constructor(message: string, details: DetailsOf<RunOutdatedError, "otherBatchId">) {
    super(message, { retryable: true, ...details }, ["installationId", "otherBatchId"]);
  }
}

/** A run couldn't use its temporary file: the folder is full, missing or read-only. Nothing was sent. */
export class SpoolError extends SdkError {
  /** @internal */
  static override readonly name = "SpoolError";
  readonly code = "SPOOL_FAILED";
  /** The folder: `spool.directory`. */
  declare readonly directory: string;
  /** The minimum space that the run needs there, in bytes. */
  declare readonly bytesNeeded: number;

  /** @internal */
  constructor(message: string, details: DetailsOf<SpoolError>) {
    super(message, details, ["directory", "bytesNeeded"]);
  }
}
