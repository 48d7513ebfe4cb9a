import { checkSignal } from "../../core/abort.js";
import { readOptions } from "../../core/validate.js";
import type { SnapshotCollection } from "../collections.js";
import { checkSnapshots, type RunFunction } from "../run/options.js";
import { PREVIEW_NAMES, type PreviewOptions } from "./preview-options.js";
import type { SyncPreview } from "./sync-preview.js";

/**
 * Runs the function of a run with no server and no credential, and tells what a run would do: what it would send, add
 * and remove, whether the guard would hold it, and what is wrong with the records.
 *
 * The records are checked, encoded and compared as in a run, and dropped then. Invalid records and duplicate ids, which
 * end a run, are taken down, and the preview goes on without them. The ledger is read and never changed. Memory is
 * bounded as in a run: two windows, and up to about 75 bytes an id.
 *
 * @example
 * ```ts
 * const preview = await previewSync({ snapshots: ["accounts"], ledger: "none" }, writeEverything);
 * console.log(formatPreview(preview));
 * ```
 * @throws {InvalidInputError} an option is wrong, `fn` did not keep to `snapshots`, or an `expectedCount` differs
 * @throws {ConfigurationError} `endpoint` or a size is not usable
 * @throws {BatchStateError} a write failed, and `fn` went on
 * @throws what `fn` or a source throws, and the signal's reason, unchanged
 */
export async function previewSync<const Snapshots extends SnapshotCollection>(
  options: PreviewOptions<Snapshots>,
  fn: RunFunction<Snapshots>,
): Promise<SyncPreview> {
  const given = readOptions("The options of previewSync", options, PREVIEW_NAMES);
  checkSignal(given.signal);
  const snapshots = checkSnapshots(given.snapshots);
  const { previewRun } = await import("./preview-run.js");
  return previewRun({ ...given, snapshots }, fn);
}
