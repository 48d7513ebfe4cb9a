import { checkSignal } from "../../core/abort.js";
import type { Logger } from "../../core/logger.js";
import { type KeysOf, readOptions } from "../../core/validate.js";
import type { KeepAliveOptions } from "../batch/keep-alive.js";
import type { SnapshotCollection } from "../collections.js";
import type { SafetyOptions } from "../guard/rules.js";
import type { SyncTuning } from "../options.js";
import { checkSnapshots, RUN_KEYS, type RunFunction, type RunOptions } from "../run/options.js";
import type { SyncPreview } from "./report.js";

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
const PREVIEW_KEYS = {
  ...RUN_KEYS,
  endpoint: true,
  maxSendMessageBytes: true,
  messageBytes: true,
  windowBytes: true,
  maxIssues: true,
  logger: true,
} satisfies KeysOf<PreviewOptions & RunOptions>;

/**
 * Calls the function of a run without a server or a credential, and reports what a run would do: what it would send, add
 * and remove, whether the guard would hold it, and which records have problems.
 *
 * The records are checked, encoded and compared as in a run, and then dropped. Invalid records and duplicate ids, which
 * would end a run, are noted, and the preview continues. The ledger is read and never changed. Memory is bounded as in a
 * run: two windows, and up to about 75 bytes per id.
 *
 * @example
 * ```ts
 * const preview = await previewSync({ snapshots: ["accounts"], ledger: "none" }, writeEverything);
 * console.log(formatPreview(preview));
 * ```
 * @throws {InvalidInputError} an option is invalid, `fn` did not write the declared `snapshots`, or an `expectedCount`
 *   differs
 * @throws {ConfigurationError} `endpoint` or a size is invalid
 * @throws {BatchStateError} a write failed, and `fn` continued
 * @throws errors of `fn` and of sources, and the signal's reason, unchanged
 */
export async function previewSync<const Snapshots extends SnapshotCollection>(
  options: PreviewOptions<Snapshots>,
  fn: RunFunction<Snapshots>,
): Promise<SyncPreview> {
  const read = readOptions("previewSync", options, PREVIEW_KEYS);
  checkSignal(read.signal);
  const snapshots = checkSnapshots(read.snapshots);
  const { previewRun } = await import("./preview-run.js");
  return previewRun({ ...read, snapshots }, fn);
}
