import type { KeysOf } from "../../core/validate.js";
import type { OnProgress } from "../progress.js";
import type { KeepAliveOptions } from "./keep-alive.js";

/** Options of a batch handle. */
export interface BatchOptions {
  /** Called with everything that happens to the batch. @default none */
  readonly onProgress?: OnProgress | undefined;
  /** Keeps the lease alive while the source is silent. @default it runs out after 15 minutes */
  readonly keepAlive?: KeepAliveOptions | undefined;
}

/** The names of {@link BatchOptions}. */
export const BATCH_NAMES = { onProgress: true, keepAlive: true } satisfies KeysOf<BatchOptions>;

/** Options of {@link SyncClient.startBatch} (service description, "Sync API"). */
export interface StartBatchOptions extends BatchOptions {
  /** Id of the direct integration installation of the workspace. */
  readonly installationId: string;
  /**
   * How long to wait for a lock that another batch holds, in milliseconds. The lock of an owner that died ends 15
   * minutes after its last accepted message. @default 0
   */
  readonly waitForLockMs?: number | undefined;
  /**
   * Time of one StartSyncBatch in milliseconds, its retries included; a wait for the lock is several of them.
   * @default the client's `timeoutMs`
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Ends the call; it rejects with the signal's reason. A batch that was started nevertheless is aborted.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
}

/** The names of {@link StartBatchOptions}. */
export const START_BATCH_NAMES = {
  ...BATCH_NAMES,
  installationId: true,
  waitForLockMs: true,
  timeoutMs: true,
  signal: true,
} satisfies KeysOf<StartBatchOptions>;
