import { type DetailsOf, SdkError } from "./base.js";

/** Another batch holds the installation's lock (service description, "Errors"). */
export class BatchInProgressError extends SdkError {
  /** @internal */
  static override readonly name = "BatchInProgressError";
  readonly code = "BATCH_IN_PROGRESS";
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
  readonly code = "SYNC_PROTOCOL";
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

/**
 * State of a batch as its handle knows it (service description, "Sync batch"). `unknown`: a completion was sent and its
 * outcome is not known, also if an abort succeeded after it.
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

/** The batch is in a state that does not allow the call (service description, "Errors"). */
export class BatchStateError extends SdkError {
  /** @internal */
  static override readonly name = "BatchStateError";
  readonly code = "BATCH_STATE";
  /** State of the batch. */
  declare readonly state: BatchState;
  /** Why the call was refused. */
  declare readonly reason: "completed" | "aborted" | "expired" | "incomplete" | "unknown";

  /** @internal */
  constructor(message: string, details: DetailsOf<BatchStateError, "state" | "reason">) {
    super(message, details, ["state", "reason"]);
  }
}

/** Complete was sent, and its outcome is not known: removals may or may not have happened. */
export class BatchOutcomeUnknownError extends SdkError {
  /** @internal */
  static override readonly name = "BatchOutcomeUnknownError";
  readonly code = "BATCH_OUTCOME_UNKNOWN";
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
  readonly code = "INTERRUPTED";
  /** Name of the signal, such as `SIGTERM`. */
  declare readonly signalName: string;

  /** @internal */
  constructor(message: string, details: DetailsOf<InterruptedError, "signalName">) {
    super(message, details, ["signalName"]);
  }
}

/** The ids of a snapshot compared with its baseline, the ids of the last completed snapshot. */
export interface SnapshotDiff {
  /**
   * - `completed`: the ids of the last completed snapshot.
   * - `unclear`: those, and the ids of a later snapshot that may or may not have been completed.
   * - `none`: the ledger knew nothing of the collection.
   * - `unreadable`: the ledger cannot be read; the figures are of what can be read.
   * - `off`: the run keeps no ledger.
   */
  readonly baseline: "completed" | "unclear" | "none" | "unreadable" | "off";
  /** Number of ids that were known. */
  readonly known: number;
  /** Number of different ids of the snapshot. */
  readonly sent: number;
  /** Number of its ids that were not known. */
  readonly added: number;
  /** Number of known ids that it has. */
  readonly kept: number;
  /** Number of known ids that it lacks: completing the snapshot marks them as removed. */
  readonly removed: number;
  /** Number of records with the id and the contents of an earlier one. */
  readonly duplicates: number;
}

/** Why a snapshot was held. */
export interface HeldReason {
  /** Name of the collection. */
  readonly collection: string;
  /**
   * - `removed`: too many of the known ids would be removed.
   * - `window`: the snapshot is much smaller than one of the last days or runs.
   * - `added`: too many ids are new.
   * - `changed`: fields lost or changed their values in too many of the known records.
   * - `no-baseline`: the ledger knows no completed run of the installation, and `firstRun` was not set.
   * - `unreadable-ledger`: what the ledger knows cannot be read.
   */
  readonly rule: "removed" | "window" | "added" | "changed" | "no-baseline" | "unreadable-ledger";
  /** The comparison. */
  readonly diff: SnapshotDiff;
  /**
   * What is usual, by the completed runs that the ledger remembers: how many ids the last seven sent, the latest one last,
   * and the smallest and largest share of the known ids that runs removed and added (0.02 is 2 %). Approved runs don't
   * count for the shares, which are absent if no other run had anything to compare with.
   */
  readonly usual: {
    readonly sent: readonly number[];
    readonly removed?: readonly [least: number, most: number];
    readonly added?: readonly [least: number, most: number];
  };
  /** How many ids the rules let this snapshot remove and add; absent if they set no limit. */
  readonly limits: { readonly removed?: number; readonly added?: number };
  /**
   * For `changed`, each field concerned: how many of the `sampled` records `changed`, the largest share that usually does,
   * the `value` that they took if it is one boolean, one enum, `empty` or `missing` (they name a record that the run lacks),
   * never a text, and how many had that `before`.
   */
  readonly fields?: readonly {
    readonly name: string;
    readonly sampled: number;
    readonly changed: number;
    readonly usual: number;
    readonly value?: string;
    readonly before?: number;
  }[];
  /** What was found, with figures and without a period. */
  readonly message: string;
  /** What to check first, as a sentence. */
  readonly advice: string;
  /**
   * Ids, at most 200 characters of each: the first that would be removed, up to 20, or three whose fields changed; none for
   * other rules.
   */
  readonly examples: readonly string[];
  /**
   * Path of the file with all of those; absent if the ledger keeps none, as with `hashIds`. For `added`, the file has the
   * new ids. For `no-baseline` and `unreadable-ledger`, it has the ids of the run.
   */
  readonly listedIn?: string;
}

/** Why a run was held, and what lets it pass. Plain data; as a string it is a text for a person. */
export interface HeldReport {
  /** The installation. */
  readonly installationId: string;
  /** Location of the ledger, or `none`. */
  readonly ledger: string;
  /** What matters most, such as `Held: 38 of 40 accounts would be removed. Nothing was sent.` */
  readonly summary: string;
  /** The snapshots that were held, the worst one first. */
  readonly reasons: readonly HeldReason[];
  /** What else to know before a decision, in sentences. */
  readonly notes: readonly string[];
  /**
   * The value of `approve` that lets a run like this one pass, and until when; undefined in a preview, without a ledger, or if it
   * could not be stored.
   */
  readonly approval: { readonly id: string; readonly expiresAt: Date } | undefined;
  /** The text. */
  toString(): string;
}

/** The guard held a run. Nothing was sent. */
export class RunHeldError extends SdkError {
  /** @internal */
  static override readonly name = "RunHeldError";
  readonly code = "RUN_HELD";
  /** Why, and the approval that was offered. */
  declare readonly report: HeldReport;

  /** @internal */
  constructor(message: string, details: DetailsOf<RunHeldError, "report">) {
    super(message, details, ["report"]);
  }

  /** @internal The message is the report: what is thrown is read once. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `${this.stack}`.replace(this.message, () => `${this.report}`);
  }
}

/**
 * Another run completed a collection of this one while it read its source, or moved a watermark that it was given: what
 * it read may be older than what that run sent. Nothing of it was completed; run it again.
 */
export class RunOutdatedError extends SdkError {
  /** @internal */
  static override readonly name = "RunOutdatedError";
  readonly code = "RUN_OUTDATED";
  /** The installation. */
  declare readonly installationId: string;
  /** Id of that run's batch; undefined if the ledger has no receipt of it. */
  declare readonly otherBatchId: string | undefined;

  /** @internal */
  constructor(message: string, details: DetailsOf<RunOutdatedError, "installationId", "otherBatchId">) {
    super(message, { retryable: true, ...details }, ["installationId", "otherBatchId"]);
  }
}

/** The temporary file of a run failed: its folder is full, missing or read-only. Nothing was sent. */
export class SpoolError extends SdkError {
  /** @internal */
  static override readonly name = "SpoolError";
  readonly code = "SPOOL_FAILED";
  /** The folder: `spool.directory`. */
  declare readonly directory: string;
  /** How much the run needs there at least, in bytes. */
  declare readonly bytesNeeded: number;

  /** @internal */
  constructor(message: string, details: DetailsOf<SpoolError, "directory" | "bytesNeeded">) {
    super(message, details, ["directory", "bytesNeeded"]);
  }
}
