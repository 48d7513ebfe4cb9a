import type { AttemptContext } from "../core/operation.js";
import type { Collection } from "./collections.js";

export type SyncRpc = "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";

export type CallBounds = Pick<CallContext, "signal" | "unlessSent" | "timeoutMs">;

export interface CallContext extends AttemptContext {
  /** Cancels the call if nothing of it was sent; later it has no effect. */
  readonly unlessSent?: AbortSignal | undefined;
  /** How long the service may take to answer, in milliseconds. @default `timeoutMs` */
  readonly answerMs?: number | undefined;
  /**
   * Called before the call fails if the service certainly processed nothing of it: it did not leave this machine, or its
   * stream was refused. A transport that cannot tell never calls it: what the service did is then not known.
   */
  readonly onUnsent?: (() => void) | undefined;
  /**
   * Called before the call fails if it may have carried too much: something on the way refused its size or cut it off, or
   * the time was up before everything was sent.
   */
  readonly onTooLarge?: (() => void) | undefined;
}

/**
 * What the service says of a completed batch, per collection: `added`, `updated` and `removed` of snapshots, `accepted`
 * of events. Collections and counts that it does not mention are left out.
 */
export type CompletionCounts = Partial<
  Record<
    Collection,
    {
      /** Number of records that were new. */
      readonly added?: number;
      /** Number of records that were there before. */
      readonly updated?: number;
      /** Number of records that the snapshot lacks and that were marked removed. */
      readonly removed?: number;
      /** Number of events that were accepted. */
      readonly accepted?: number;
    }
  >
>;

/** A message that is read when its turn comes. */
export interface StoredMessage {
  readonly length: number;
  /** Its bytes, which hold until the message after the next one is asked for. */
  load(): Promise<Uint8Array>;
}

/**
 * The four operations of the Sync API. The batch engine knows this interface and not gRPC, so that it also runs in
 * memory. Every failure is an error of the SDK, or the reason of the call's signal.
 */
export interface SyncTransport {
  startBatch(installationId: string, call: CallContext): Promise<{ readonly batchId: string }>;
  /**
   * Sends encoded SyncRecordsRequest messages, in order, on one stream. Their buffers are used again when it resolves. If
   * one of them cannot be read, the call is cancelled, and rejects with that error.
   * @returns the number of accepted records; undefined if the answer does not say and came after all messages
   * @throws {SyncProtocolError} the answer does not say, and came before all messages were sent
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
