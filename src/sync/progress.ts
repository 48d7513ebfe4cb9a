import type { ErrorCode, HeldReason, SnapshotDiff } from "../core/errors/index.js";
import type { Collection, SnapshotCollection } from "./collections.js";

/** An event of a batch or a run. Contains numbers and names, never the contents of a record. */
export type SyncProgress =
  | {
      /**
       * A batch was started (for the first time or again) or completed. A run checks everything before it starts a
       * batch.
       */
      readonly type: "started" | "restarted" | "completed";
      /** Number of the attempt of the run, from 1. */
      readonly attempt: number;
      readonly batchId: string;
    }
  | {
      /**
       * - `extracting`: a run or a preview is reading a source; about once a second while records arrive.
       * - `sending`: records of a collection are being sent; once at the start, and after each accepted window.
       */
      readonly type: "extracting" | "sending";
      readonly collection: Collection;
      /** Number of records read or accepted so far. */
      readonly records: number;
      /** How many of the records `newOnly` skipped; absent if none. */
      readonly skipped?: number;
      /** Size of the records' messages, in bytes. */
      readonly bytes: number;
      /** Total number of records: while a run sends, all that it read; otherwise the write's `expectedCount`. */
      readonly total: number | undefined;
    }
  | {
      /** An operation failed, and the SDK retries it after a pause. */
      readonly type: "retry";
      /** The operation, such as `SyncRecords of accounts`. */
      readonly operation: string;
      /** Number of the failed attempt, from 1. */
      readonly attempt: number;
      /** Length of the pause in milliseconds. */
      readonly delayMs: number;
      readonly code: ErrorCode;
    }
  | {
      /** A run couldn't send its records, and tries again after a pause. */
      readonly type: "service-away";
      readonly code: ErrorCode;
      /** Length of the pause in milliseconds. */
      readonly delayMs: number;
      /** When the run gives up, according to this machine's clock. */
      readonly until: Date;
    }
  | {
      /** Another batch holds the installation's lock. */
      readonly type: "waiting-for-lock";
      /** How long the call has waited so far, in milliseconds. */
      readonly waitedMs: number;
      /** Time until the next attempt, in milliseconds. */
      readonly nextAttemptMs: number;
    }
  | {
      /** Four fifths of the lease have passed since the last accepted message. */
      readonly type: "lease-warning";
      /** Time left on the lease, in milliseconds. */
      readonly remainingMs: number;
    }
  | {
      /** A snapshot was compared with its baseline; nothing has been sent yet. */
      readonly type: "judged";
      readonly collection: SnapshotCollection;
      readonly diff: SnapshotDiff;
      /** Whether the guard holds the run; if so, nothing is sent. */
      readonly held: boolean;
      /** The rules that the snapshot breaks. If `held` is false, an approval lets the snapshot pass anyway. */
      readonly rules: readonly HeldReason["rule"][];
    }
  | {
      /** A failed batch couldn't be aborted. */
      readonly type: "abort-failed";
      /** When the lock expires by itself, according to this machine's clock. */
      readonly lockedUntil: Date;
    };

/** Receives progress. Errors it throws are logged and have no other effect. */
export type OnProgress = (progress: SyncProgress) => void;
