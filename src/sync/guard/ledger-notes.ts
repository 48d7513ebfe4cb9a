import { withinGrace } from "../call.js";
import type { InstallationScope } from "../ledger/entry.js";
import { releaseApproval } from "../ledger/installation.js";
import type { LedgerParts } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import type { SnapshotDraft } from "./snapshot-draft.js";

/** Tells the ledger what became of a batch. What fails is logged: the batch has ended. */
export class LedgerNotes {
  readonly #ledger: LedgerParts | undefined;
  readonly #scope: InstallationScope;
  readonly #configuration: SyncConfiguration;
  readonly #approve: string | undefined;

  constructor(
    ledger: LedgerParts | undefined,
    scope: InstallationScope,
    configuration: SyncConfiguration,
    approve: string | undefined,
  ) {
    this.#ledger = ledger;
    this.#scope = scope;
    this.#configuration = configuration;
    this.#approve = approve;
  }

  /** The batch was completed: its ids are promoted, and the approval of the run is used. */
  async completed(promote: (over: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, logger } = this.#configuration;
    try {
      await withinGrace(clock, async (over) => {
        await promote(over);
        over.throwIfAborted();
        // Once, and for all that it covers: also for collections that this run does not declare.
        if (this.#approve !== undefined && this.#ledger !== undefined)
          await releaseApproval(this.#ledger, this.#scope, this.#approve);
      });
    } catch (error) {
      logger.error(
        "saas-management: the batch was completed, but the ledger could not note it; the next run is compared with both snapshots",
        { error },
      );
    }
  }

  /** The batch was aborted. */
  async discard(drafts: readonly SnapshotDraft[]): Promise<void> {
    const { clock, logger } = this.#configuration;
    try {
      await withinGrace(clock, async () => {
        for (const draft of drafts) await draft.discard();
      });
    } catch (error) {
      logger.warn("saas-management: the ledger could not discard the ids of an aborted batch", { error });
    }
  }
}
