import type { KeysOf } from "../../core/validate.js";
import type { KeepAliveOptions } from "../batch/keep-alive.js";
import type { SafetyOptions } from "../guard/rules.js";
import { RUN_KEYS, type RunOptions } from "../run/options.js";

/** Options of a preview: those of the run that make sense without a server. */
export interface PreviewOptions extends Pick<SafetyOptions, "ledger" | "guard"> {
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
}

/** Includes the keys of a run, so that one object of options can serve both. */
export const PREVIEW_KEYS = { ...RUN_KEYS, maxIssues: true } satisfies KeysOf<PreviewOptions & RunOptions>;
