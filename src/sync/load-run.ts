import { Lazy } from "../lazy.js";

/**
 * Runs with their guard and journal, loaded with the first of them: whoever starts batches by hand does not pay for it.
 */
export const running = new Lazy(() => import("./run.js"));

/** Previews of runs, loaded with the first of them. */
export const previewing = new Lazy(() => import("./preview/preview-run.js"));
