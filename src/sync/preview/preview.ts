import { checkSignal } from "../../core/abort.js";
import { readOptions } from "../../core/validate.js";
import type { SnapshotCollection } from "../collections.js";
import { checkSnapshots, type RunFunction } from "../run/options.js";
import { PREVIEW_KEYS, type PreviewOptions } from "./options.js";
import type { RunPreview } from "./report.js";

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
): Promise<RunPreview> {
  const read = readOptions("previewSync", options, PREVIEW_KEYS);
  checkSignal(read.signal);
  const snapshots = checkSnapshots(read.snapshots);
  const { previewRun } = await import("./preview-run.js");
  return previewRun({ ...read, snapshots }, fn);
}
