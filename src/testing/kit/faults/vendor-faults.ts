import type { Recording } from "../structure/structure.js";
import { ANSWERS } from "./answers.js";
import type { FaultKind, Plan, VendorFault } from "./fault.js";
import { viewOf } from "./fault.js";
import { ENTRIES } from "./items.js";
import { LAYOUTS } from "./layouts.js";
import { LISTINGS } from "./listings.js";

/**
 * Not in the catalogue, because no connector and no guard could tell it from a vendor that is right:
 *
 * - an answer of yesterday that is consistent in itself, and items that are missing where the totals miss them, too
 * - a few missing items where there is no total, and a few ids that changed
 * - damaged texts that are valid ones (`ZoÃ«`), wrong values of the right type, times in another zone or ahead
 * - the same item twice with different contents: which of the two is right is the vendor's to know
 */
const CATALOGUE: readonly FaultKind[] = [...ANSWERS, ...LAYOUTS, ...LISTINGS, ...ENTRIES];

/**
 * The faults of the catalogue. Their names are the same for each recording; what they strike is chosen by the seed, and
 * named in their summaries. A fault that does not apply to the recording is in the list, and strikes nothing.
 */
export function vendorFaults(recording: Recording, seed: number): readonly VendorFault[] {
  return CATALOGUE.map(({ name, summary, excuses, plan }) => {
    const strike = (struck: Recording) => {
      const planned = plan(viewOf(struck, seed, name));
      return planned === undefined || isInert(planned, struck) ? undefined : planned;
    };
    const planned = strike(recording);
    return { name, summary: planned === undefined ? summary : `${summary}: ${planned.at}`, excuses, strike };
  });
}

/** Whether all recorded answers are what they were, such as a total that is the number of items on the only page. */
function isInert({ exchanges, answer }: Plan, recording: Recording): boolean {
  return (
    answer === undefined &&
    recording.every(
      (exchange, index) =>
        exchange === exchanges[index] || JSON.stringify(exchange) === JSON.stringify(exchanges[index]),
    )
  );
}
