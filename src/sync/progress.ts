import { type ErrorCode, InvalidInputError } from "../core/errors/index.js";
import type { Logger } from "../core/hooks.js";
import { safeCallback } from "../core/hooks.js";
import type { Collection, SnapshotCollection } from "./collections.js";
import type { CompletionCounts } from "./transport.js";

/** A window of records was accepted. */
export interface WindowAccepted {
  /** Tells the kinds of progress apart. */
  readonly type: "window-accepted";
  /** The collection that is written. */
  readonly collection: Collection;
  /** Number of records of the window. */
  readonly records: number;
  /** Number of bytes of the window's messages. */
  readonly bytes: number;
  /** Number of records of this write that were accepted so far. */
  readonly accepted: number;
}

/** An operation failed transiently and is retried after a pause. */
export interface Retrying {
  /** Tells the kinds of progress apart. */
  readonly type: "retry";
  /** The operation, such as `SyncRecords of accounts`. */
  readonly operation: string;
  /** Number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** Length of the pause in milliseconds. */
  readonly delayMs: number;
  /** Code of the error. */
  readonly code: ErrorCode;
}

/** Another batch holds the installation's lock. */
export interface WaitingForLock {
  /** Tells the kinds of progress apart. */
  readonly type: "waiting-for-lock";
  /** How long the call has waited so far, in milliseconds. */
  readonly waitedMs: number;
  /** When the next attempt is made, in milliseconds from now. */
  readonly nextAttemptMs: number;
}

/** Four fifths of the lease have passed without an accepted message. */
export interface LeaseWarning {
  /** Tells the kinds of progress apart. */
  readonly type: "lease-warning";
  /** The rest of the lease, in milliseconds. */
  readonly remainingMs: number;
}

/**
 * What a snapshot was compared with.
 *
 * - `ledger`: the ids of the last completed snapshot.
 * - `unclear`: those, and the ids of a later snapshot that may or may not have been completed.
 * - `none`: the ledger knew nothing of the collection.
 * - `unreadable`: the ledger could not be read, and the guard was off for the collection or the run was approved. The
 *   figures are of what could be read.
 * - `off`: the run keeps no ledger.
 */
export type Baseline = "ledger" | "unclear" | "none" | "unreadable" | "off";

/**
 * The ids of a snapshot compared with those that the ledger knew. Ids that an earlier attempt of the same run had sent
 * still count as new.
 */
export interface SnapshotFigures {
  /** What the snapshot was compared with. */
  readonly baseline: Baseline;
  /** Number of ids that the ledger knew. */
  readonly known: number;
  /** Number of ids that the ledger did not know. */
  readonly new: number;
  /** Number of known ids that the snapshot has too. */
  readonly kept: number;
  /** Number of known ids that the snapshot lacks: the service marks them as removed. */
  readonly gone: number;
  /** Share of the known ids that are gone, from 0 to 1; 0 if none was known. */
  readonly goneShare: number;
  /** Share of the snapshot's ids that are new, from 0 to 1; 0 if it has none. */
  readonly newShare: number;
  /** Number of records that came twice, with the same id and the same contents. */
  readonly duplicates: number;
}

/** The ids of a snapshot were compared with those that the ledger knew, before the batch is completed. */
export interface RemovalsChecked extends SnapshotFigures {
  /** Tells the kinds of progress apart. */
  readonly type: "removals-checked";
  /** Collection whose ids were compared. */
  readonly collection: SnapshotCollection;
  /** Whether the removal guard holds the run: its batch is then not completed. */
  readonly held: boolean;
}

/** The batch was completed. */
export interface BatchCompleted {
  /** Tells the kinds of progress apart. */
  readonly type: "completed";
  /** The service's counts. */
  readonly counts: CompletionCounts;
}

/** A batch that failed could not be aborted. */
export interface AbortFailed {
  /** Tells the kinds of progress apart. */
  readonly type: "abort-failed";
  /** When the lock ends by itself, by this machine's clock. */
  readonly lockedUntil: Date;
}

/** Something that happened to a batch: numbers and names, never the contents of a record. */
export type SyncProgress =
  | WindowAccepted
  | Retrying
  | WaitingForLock
  | LeaseWarning
  | RemovalsChecked
  | BatchCompleted
  | AbortFailed;

/** Receives progress. Exceptions that it throws are logged and have no other effect. */
export type OnProgress = (progress: SyncProgress) => void;

/** Wraps a caller's callback so that it never throws. @throws {InvalidInputError} it is not a function */
export function guardProgress(onProgress: OnProgress | undefined, logger: Logger): OnProgress | undefined {
  if (onProgress === undefined) return undefined;
  if (typeof onProgress !== "function") throw new InvalidInputError("onProgress must be a function.");
  return safeCallback("onProgress", onProgress, logger);
}

/** Formats a number for messages and previews. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}
