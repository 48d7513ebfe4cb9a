import type { Logger } from "../../core/logger.js";
import type { KeysOf } from "../../core/validate.js";
import type { KeepAliveOptions } from "../batch/keep-alive.js";
import type { SnapshotCollection } from "../collections.js";
import type { SafetyOptions } from "../guard/rules.js";
import type { SyncTuning } from "../options.js";
import { RUN_KEYS, type RunOptions } from "../run/options.js";

/**
 * Options of {@link previewSync}: those of the run that is previewed, as far as they mean anything without a server.
 */
export interface PreviewOptions<Snapshots extends SnapshotCollection = SnapshotCollection>
  extends Pick<SafetyOptions, "ledger" | "guard">,
    Pick<SyncTuning, "maxSendMessageBytes" | "messageBytes" | "windowBytes"> {
  /** The snapshot collections of the run: each is written exactly once, as a whole. */
  readonly snapshots: readonly Snapshots[];
  /**
   * Endpoint of the Sync API that the run pushes to; required where there is a ledger, and never connected to.
   * @default none
   */
  readonly endpoint?: string | undefined;
  /** Id of the installation that the run pushes to; required where there is a ledger. @default none */
  readonly installationId?: string | undefined;
  /**
   * Keeps the batch alive while the source is silent, as in the run; without it, as there, 15 minutes of silence end it.
   * @default it ends after 15 minutes
   */
  readonly keepAlive?: KeepAliveOptions | undefined;
  /** Most entries that `issues` of a collection holds. @default 100 */
  readonly maxIssues?: number | undefined;
  /** Ends the preview; it rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Takes the log lines of the write path. @default nothing is logged */
  readonly logger?: Logger | undefined;
}

/** Those of {@link PreviewOptions}, and of the run: one object of options may serve both. */
export const PREVIEW_NAMES = {
  ...RUN_KEYS,
  endpoint: true,
  maxSendMessageBytes: true,
  messageBytes: true,
  windowBytes: true,
  maxIssues: true,
  logger: true,
} satisfies KeysOf<PreviewOptions & RunOptions>;
