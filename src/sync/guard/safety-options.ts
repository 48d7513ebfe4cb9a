import type { Ledger } from "../ledger/ledger.js";
import type { GuardOptions } from "./rules.js";

/** What a run is told about the safety of its snapshots. */
export interface SafetyOptions {
  /**
   * Where the ids of completed snapshots are kept, so that the next run can tell what it would remove:
   * {@link fileLedger}, a ledger of your own, or `"none"`, which turns the comparison with earlier runs off. With
   * `guard: false` as well, ids are not looked at: one that comes twice is not noticed.
   */
  readonly ledger: Ledger | "none";
  /**
   * When a run is held instead of completed; `false` turns the guard off.
   * @default when a collection would go from some records to none, or when at least 3 and more than a quarter of its
   *   known ids would be removed
   */
  readonly guard?: GuardOptions | false | undefined;
  /**
   * Id of the approval that a {@link RemovalGuardError} offered: what it names may be removed by this run.
   * @default none
   */
  readonly approveRemovals?: string | undefined;
}
