import type { ComparisonsOf } from "../harness/context.js";
import { clientComparisons } from "./client-comparisons.js";
import { eventComparisons } from "./event-comparisons.js";
import { guardComparisons } from "./guard-comparisons.js";
import { linkComparisons } from "./link-comparisons.js";
import { sizeComparisons } from "./size-comparisons.js";
import { smallRunComparisons } from "./small-run-comparisons.js";
import { stagedComparisons } from "./staged-comparisons.js";

/** Writes records: beside the other clients, and this SDK beside itself with other options. */
export const syncComparisons: ComparisonsOf = (context) =>
  [
    clientComparisons,
    guardComparisons,
    eventComparisons,
    linkComparisons,
    sizeComparisons,
    smallRunComparisons,
    stagedComparisons,
  ].flatMap((comparisonsOf) => comparisonsOf(context));
