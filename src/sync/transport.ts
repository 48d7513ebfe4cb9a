import type { AttemptContext } from "../core/operation.js";
import type { Collection } from "./collections.js";

export type SyncRpc = "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";

export type CallBounds = Pick<CallContext, "signal" | "unlessSent" | "timeoutMs">;

export interface CallContext extends AttemptContext {
  /** Cancels the call unless a part of the call was already sent. */
  readonly unlessSent?: AbortSignal | undefined;
  /** How long the service may take to answer, in milliseconds. @default `timeoutMs` */
  readonly answerMs?: number | undefined;
  /**
   * Called before the call fails, if the service certainly didn't process the call: it never left this machine, or its
   * stream was refused. A transport that isn't certain never calls `onUnsent`; what the service did is then unknown.
   */
  readonly onUnsent?: (() => void) | undefined;
  /**
   * Called before the call fails, if the call may have been too large: something on the way refused its size or cut it
   * off, or the time ran out before everything was sent.
   */
  readonly onTooLarge?: (() => void) | undefined;
}

/**
 * The service's counts for a completed batch, per collection: `added`, `updated` and `removed` for snapshots,
 * `accepted` for events. Collections and counts that the service doesn't report are absent.
 */
export type CompletionCounts = Partial<
  Record<
    Collection,
    {
      /** Number of new records. */
      readonly added?: number;
      /** Number of records that already existed. */
      readonly updated?: number;
      /** Number of records that the service removed because they're missing from the snapshot. */
      readonly removed?: number;
      /** Number of events that were accepted. */
      readonly accepted?: number;
    }
  >
>;

/** A message that is only read when it's about to be sent. */
export interface StoredMessage {
  readonly length: number;
  /** Returns the message's bytes, which stay valid until the second message after this one is loaded. */
  load(): Promise<Uint8Array>;
}

/**
 * The four operations of the Sync API. The batch engine depends on this interface rather than gRPC, so it can also run
 * in memory. Every failure is an error of the SDK, or the reason of the call's signal.
 */
export interface SyncTransport {
  startBatch(installationId: string, call: CallContext): Promise<{ readonly batchId: string }>;
  /**
   * Sends encoded SyncRecordsRequest messages, in order, on one stream. The caller reuses the messages' buffers once
   * the call resolves. If a message can't be loaded, the call is cancelled and rejects with the error of `load`.
   * @returns the number of accepted records; undefined if the response has no count and came after all messages
   * @throws {SyncProtocolError} the response has no count and came before all messages were sent
   */
  syncRecords(
    messages: readonly (Uint8Array | StoredMessage)[],
    call: CallContext,
  ): Promise<{ readonly accepted: number | undefined }>;
  /** Reconciles the snapshots of the batch and releases the lock. */
  completeBatch(batchId: string, call: CallContext): Promise<CompletionCounts>;
  abortBatch(batchId: string, call: CallContext): Promise<void>;
  close(): void;
}
