import type { KeysOf } from "../../core/validate.js";
import { RUN_KEYS, type RunOptions } from "../run/options.js";

/** Options of {@link SyncClient.preview}; those of a run are accepted too. */
export interface PreviewOptions extends Pick<RunOptions, "installationId" | "ledger" | "guard" | "signal"> {
  /** Most entries in `issues` of a collection. @default 100 */
  readonly maxIssues?: number | undefined;
}

export const PREVIEW_KEYS = { ...RUN_KEYS, maxIssues: true } satisfies KeysOf<PreviewOptions & RunOptions>;
