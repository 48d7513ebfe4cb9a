import type { Logger } from "../../core/hooks.js";
import type { KeysOf } from "../../core/validate.js";
import type { KeepAliveOptions } from "../batch/keep-alive.js";
import type { SnapshotCollection } from "../collections.js";
import type { SafetyOptions } from "../guard/rules.js";
import type { SyncTuning } from "../options.js";
import { RUN_KEYS, type RunOptions } from "../run/options.js";

/** Options of {@link previewSync}: those of the run that make sense without a server. */
export interface PreviewOptions<Snapshots extends SnapshotCollection = SnapshotCollection>
  extends Pick<SafetyOptions, "ledger" | "guard">,
    Pick<SyncTuning, "maxSendMessageBytes" | "messageBytes" | "windowBytes"> {
  /** The snapshot collections of the run: each is written exactly once, in full. */
  readonly snapshots: readonly Snapshots[];
  /**
   * Endpoint of the Sync API of the run; required with a ledger. No connection is made.
   * @default none
   */
  readonly endpoint?: string | undefined;
  /** Installation id of the run; required with a ledger. @default none */
  readonly installationId?: string | undefined;
  /**
   * Keeps the batch alive while the source is silent, as in the run.
   * @default 15 minutes of silence end the batch
   */
  readonly keepAlive?: KeepAliveOptions | undefined;
  /** Most entries in `issues` of a collection. @default 100 */
  readonly maxIssues?: number | undefined;
  /** Ends the preview, which rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Receives the log lines of the writes. @default nothing is logged */
  readonly logger?: Logger | undefined;
}

/** Includes the keys of a run, so that one object of options can serve both. */
export const PREVIEW_KEYS = {
  ...RUN_KEYS,
  endpoint: true,
  maxSendMessageBytes: true,
  messageBytes: true,
  windowBytes: true,
  maxIssues: true,
  logger: true,
} satisfies KeysOf<PreviewOptions & RunOptions>;
