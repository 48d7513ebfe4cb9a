import { runOperation } from "../core/operation.js";
import type { CollectionName } from "./collections.js";
import type { SyncConfiguration } from "./configuration.js";
import type { OnProgress } from "./progress.js";
import type { CallContext, SyncRpc } from "./transport.js";

/** An operation: its RPC alone, or the sending of one collection's records. */
export type SyncOperation =
  | SyncRpc
  | {
      readonly rpc: SyncRpc;
      readonly collection: CollectionName;
      /** See `mayRepeat` of an operation. */
      readonly mayRepeat?: () => boolean;
    };

/** Runs one operation of the Sync API within its time, again where it failed transiently. */
export function callWithRetry<T>(
  configuration: SyncConfiguration,
  operation: SyncOperation,
  signal: AbortSignal | undefined,
  attempt: (call: CallContext) => Promise<T>,
  onProgress?: OnProgress,
): Promise<T> {
  const { rpc, collection, mayRepeat } =
    typeof operation === "string"
      ? { rpc: operation, collection: undefined, mayRepeat: undefined }
      : operation;
  const label = collection === undefined ? rpc : `${rpc} of ${collection}`;
  return runOperation(
    configuration,
    {
      info: { api: "sync", operation: rpc, kind: undefined, collection },
      label,
      credential: configuration.credential,
      cancellation: signal,
      // A start may have left a lock, a write may be applied twice, and a completion must not be guessed.
      mayRepeat,
      repeatable: rpc === "AbortSyncBatch",
      onRetry: (event) => onProgress?.({ type: "retry", operation: label, ...event }),
    },
    attempt,
  );
}
