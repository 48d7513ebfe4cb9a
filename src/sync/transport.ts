import type { CollectionName } from "./collections.js";

/** What bounds one call: fires with the reason to reject with. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** Milliseconds until the call's deadline. */
  readonly timeoutMs: number;
}

/** How a snapshot collection was reconciled. */
export interface SnapshotCounts {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

/** What the service says of a completed batch; a collection that it does not mention is not there. */
export interface CompletionCounts {
  readonly snapshots: Partial<Record<CollectionName, SnapshotCounts>>;
  readonly events: Partial<Record<CollectionName, { readonly accepted: number }>>;
}

/**
 * The four operations of the Sync API. The batch engine knows this interface and not gRPC, so that it also runs in
 * memory. Every failure is an error of the SDK, or the reason of the call's signal.
 */
export interface SyncTransport {
  /** Acquires the installation's lock and creates a batch. */
  startBatch(installationId: string, call: CallContext): Promise<{ readonly batchId: string }>;
  /**
   * Sends encoded SyncRecordsRequest messages, in order, on one stream. Their bytes may be others once it has resolved.
   * @returns the number of accepted records, undefined where the answer does not say
   */
  syncRecords(
    messages: readonly Uint8Array[],
    call: CallContext,
  ): Promise<{ readonly accepted: number | undefined }>;
  /** Reconciles the snapshots of the batch and releases the lock. */
  completeBatch(batchId: string, call: CallContext): Promise<CompletionCounts>;
  /** Releases the lock of that batch only. */
  abortBatch(batchId: string, call: CallContext): Promise<void>;
  /** Releases the connection. */
  close(): void;
}
