import { type ErrorDetails, SaasManagementError } from "./base.js";

/** One snapshot that a run held, and what completing it would have done. */
export interface HeldSnapshot {
  /** Name of the collection. */
  readonly collection: string;
  /**
   * - `removals`: too many of the known ids would be removed.
   * - `no-baseline`: the ledger knows nothing of the collection, and `requireBaseline` was said.
   * - `unreadable-ledger`: what the ledger knows cannot be read.
   */
  readonly reason: "removals" | "no-baseline" | "unreadable-ledger";
  /** Number of ids that were known before: of the ledger, and of earlier attempts of the run. */
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
  /** The first ids that would be removed, up to 20. Those are not among them that only an earlier attempt had sent. */
  readonly firstRemoved: readonly string[];
  /**
   * Path of the file with all of those; undefined where the ledger keeps no such file. Where the reason is not
   * `removals`, the file has the ids that were sent: an approval takes them as the new baseline.
   */
  readonly listedIn: string | undefined;
}

/**
 * The removal guard held a run: it did not complete its batch, and aborts it. Where somebody else has completed that
 * batch by its id, a warning in the log says so.
 */
export class RemovalGuardError extends SaasManagementError {
  static readonly code = "REMOVAL_GUARD";
  /** @internal */
  static override readonly name = "RemovalGuardError";
  override readonly code = RemovalGuardError.code;
  /** Id of the batch that the run did not complete. */
  readonly batchId: string;
  /** What was held. */
  readonly collections: readonly HeldSnapshot[];
  /** What `approveRemovals` has to say for the same run to go through; undefined where it could not be stored. */
  readonly approvalId: string | undefined;
  /** Until when that is good. */
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
