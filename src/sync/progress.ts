import type { ErrorCode, HeldReason, SnapshotDiff } from "../core/errors/index.js";
import type { Collection, SnapshotCollection } from "./collections.js";

/** Something that happened to a batch: numbers and names, never the contents of a record. */
export type SyncProgress =
  | {
      /** A batch was started, for the first time or again, or completed. A run starts it when all was judged. */
      readonly type: "started" | "restarted" | "completed";
      /** Number of the attempt of the run, from 1. */
      readonly attempt: number;
      readonly batchId: string;
    }
  | {
      /**
       * - `extracting`: a run or a preview reads a source; told about each second if it moves.
       * - `sending`: records of a collection are sent; told when it begins, and after each window that was accepted.
       */
      readonly type: "extracting" | "sending";
      readonly collection: Collection;
      /** Number of records that were read, or that were accepted. */
      readonly records: number;
      /** How many of them `newOnly` left out; absent if there are none. */
      readonly skipped?: number;
      /** Number of bytes of their messages. */
      readonly bytes: number;
      /** How many records there are: those of the run when it sends, otherwise the `expectedCount` of the write. */
      readonly total: number | undefined;
    }
  | {
      /** An operation failed transiently and is retried after a pause. */
      readonly type: "retry";
      /** The operation, such as `SyncRecords of accounts`. */
      readonly operation: string;
      /** Number of the attempt that failed, from 1. */
      readonly attempt: number;
      /** Length of the pause in milliseconds. */
      readonly delayMs: number;
      readonly code: ErrorCode;
    }
  | {
      /** A run could not send what it has, and tries again after a pause. */
      readonly type: "service-away";
      readonly code: ErrorCode;
      /** Length of the pause in milliseconds. */
      readonly delayMs: number;
      /** When the run gives up, by this machine's clock. */
      readonly until: Date;
    }
  | {
      /** Another batch holds the installation's lock. */
      readonly type: "waiting-for-lock";
      /** How long the call has waited so far, in milliseconds. */
      readonly waitedMs: number;
      /** When the next attempt is made, in milliseconds from now. */
      readonly nextAttemptMs: number;
    }
  | {
      /** Four fifths of the lease have passed without an accepted message. */
      readonly type: "lease-warning";
      /** The rest of the lease, in milliseconds. */
      readonly remainingMs: number;
    }
  | {
      /** A snapshot was compared with its baseline, before anything is sent. */
      readonly type: "judged";
      readonly collection: SnapshotCollection;
      readonly diff: SnapshotDiff;
      /** Whether the guard holds the run: then nothing is sent. */
      readonly held: boolean;
      /** The rules that it breaks; without a hold, an approval allows them. */
      readonly rules: readonly HeldReason["rule"][];
    }
  | {
      /** A batch that failed could not be aborted. */
      readonly type: "abort-failed";
      /** When the lock ends by itself, by this machine's clock. */
      readonly lockedUntil: Date;
    };

/** Receives progress. Exceptions that it throws are logged and have no other effect. */
export type OnProgress = (progress: SyncProgress) => void;
