import type { BatchHandle } from "../batch/sync-batch.js";
import type { RunGuard } from "../guard/run-guard.js";
import type { RunReceipt } from "./receipt.js";

/** What a staged run adds to the attempts of a run. A receipt that a step returns is that of the run, which ends. */
export interface RunSteps {
  /** Before each attempt. Nothing was sent for it. */
  beforeStart(guard: RunGuard, signal: AbortSignal): Promise<RunReceipt | undefined>;
  /**
   * Under the lock, while the batch is empty. @returns `again` if the attempt must begin again
   */
  underLock(guard: RunGuard, batch: BatchHandle): Promise<RunReceipt | "again" | undefined>;
  /** Everything was accepted and judged; CompleteSyncBatch is sent next. */
  beforeComplete(guard: RunGuard, batchId: string): Promise<void>;
  /** The batch was completed, and the ledger has its watermarks. Never rejects. */
  completed(receipt: RunReceipt): Promise<void>;
}

/** Ends an attempt whose batch is empty. */
export class LeftEmpty extends Error {
  readonly result: RunReceipt | "again";

  constructor(result: RunReceipt | "again") {
    super("The batch is not needed.");
    this.result = result;
  }
}
