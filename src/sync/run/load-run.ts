import { linkAbort } from "../../core/abort.js";
import type { Clock } from "../../core/clock.js";
import { Lazy } from "../../core/lazy.js";
import { loadWithin } from "../../core/load-within.js";
import { checkingOptions } from "../../core/validate.js";
import { checkRunOptions, type RunOptions } from "./options.js";

/**
 * Runs with their guard and journal, loaded with the first of them: whoever starts batches by hand does not pay for it.
 */
export const running = new Lazy("What runs need", () => import("./sync-run.js"));

/** Loads them for one run, for no longer than that may take. */
export async function loadRun(
  given: Pick<RunOptions, "signal" | "restarts" | "maxDurationMs">,
  clock: Clock,
  closed: AbortSignal,
) {
  checkingOptions("The options of run", given, () => checkRunOptions(given));
  const { signal, maxDurationMs } = given;
  const { controller, unlink } = linkAbort(signal, closed);
  try {
    if (maxDurationMs === undefined) return await running.load(controller.signal);
    return await loadWithin(running, {
      clock,
      timeoutMs: maxDurationMs,
      operation: "The run",
      option: "maxDurationMs",
      cancellation: controller,
    });
  } finally {
    unlink();
  }
}

/** Previews of runs, loaded with the first of them. */
export const previewing = new Lazy("What previews need", () => import("../preview/preview-run.js"));
