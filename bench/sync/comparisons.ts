import type { ComparisonsOf } from "../harness/context.js";
import { clientComparisons } from "./client-comparisons.js";
import { eventComparisons } from "./event-comparisons.js";
import { guardComparisons } from "./guard-comparisons.js";
import { linkComparisons } from "./link-comparisons.js";
import { runOldComparisons } from "./run-old-comparisons.js";
import { sizeComparisons } from "./size-comparisons.js";
import { smallRunComparisons } from "./small-run-comparisons.js";

/** Writes records: with this SDK and other clients, and with this SDK under different options. */
export const syncComparisons: ComparisonsOf = (context) =>
  [
    clientComparisons,
    guardComparisons,
    eventComparisons,
    linkComparisons,
    sizeComparisons,
    smallRunComparisons,
    runOldComparisons,
  ].flatMap((comparisonsOf) => comparisonsOf(context));
