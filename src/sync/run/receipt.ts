import type { Collection } from "../collections.js";
import { collectionEntries } from "../collections.js";
import type { SnapshotFigures } from "../progress.js";
import type { CompletionCounts } from "../transport.js";
import type { WriteStats } from "../write/outcomes.js";

/**
 * What a run did with one collection. `added`, `updated` and `removed` are present if the service returns them; those of
 * {@link SnapshotFigures} (`baseline`, `known`, `new`, `kept`, `gone`, …) are present for snapshots that a guard or a
 * ledger checks.
 */
export interface CollectionReceipt
  extends WriteStats,
    Omit<NonNullable<CompletionCounts[Collection]>, "accepted">,
    Partial<SnapshotFigures> {}

/** What a run did. */
export interface RunReceipt {
  /** Id of the batch that was completed. */
  readonly batchId: string;
  /** What happened to each collection, in the batch that was completed. */
  readonly collections: Partial<Record<Collection, CollectionReceipt>>;
  /** Number of batches that failed and were started again. */
  readonly restarts: number;
  /** How long the run waited for the lock of other batches, in milliseconds. */
  readonly waitedForLockMs: number;
  /** How long the run took, in milliseconds. */
  readonly durationMs: number;
}

/** Combines the figures of the writes, of the service and of the guard. */
export function collectionReceipts(
  stats: Partial<Record<Collection, WriteStats>>,
  counts: CompletionCounts,
  compared: Partial<Record<Collection, SnapshotFigures>>,
): RunReceipt["collections"] {
  const receipts: Partial<Record<Collection, CollectionReceipt>> = {};
  for (const [name, figures] of collectionEntries(stats))
    receipts[name] = { ...counts[name], ...figures, ...compared[name] };
  return receipts;
}
