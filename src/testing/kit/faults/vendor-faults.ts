import type { Recording } from "../structure/structure.js";
import { BODIES } from "./catalogue/bodies.js";
import { CONNECTIONS } from "./catalogue/connections.js";
import { FIELDS } from "./catalogue/fields.js";
import { GRAPHQL } from "./catalogue/graphql.js";
import { IDENTITY } from "./catalogue/identity.js";
import { IDS } from "./catalogue/ids.js";
import { LISTS } from "./catalogue/lists.js";
import { LOST_PAGES } from "./catalogue/lost-pages.js";
import { OTHER_LISTS } from "./catalogue/other-lists.js";
import { PAGE_SIZES } from "./catalogue/page-sizes.js";
import { REDIRECTS } from "./catalogue/redirects.js";
import { SESSIONS } from "./catalogue/sessions.js";
import { SHIFTS } from "./catalogue/shifts.js";
import { STATUSES } from "./catalogue/statuses.js";
import { TEXTS } from "./catalogue/texts.js";
import { TIMES } from "./catalogue/times.js";
import { TOKENS } from "./catalogue/tokens.js";
import { TOTALS } from "./catalogue/totals.js";
import { TWINS } from "./catalogue/twins.js";
import type { VendorFault } from "./fault.js";
import type { FaultKind, Plan } from "./kind.js";
import { viewOf } from "./view.js";

/**
 * Not in the catalogue, because no connector and no guard could tell it from a vendor that is right:
 *
 * - an answer of yesterday that is consistent in itself, and items that are missing where the totals miss them, too
 * - a few missing items where there is no total, and a few ids that changed
 * - damaged texts that are valid ones (`ZoÃ«`), wrong values of the right type, times in another zone or ahead
 * - the same item twice with different contents: which of the two is right is the vendor's to know
 */
const CATALOGUE: readonly FaultKind[] = [
  ...STATUSES,
  ...CONNECTIONS,
  ...BODIES,
  ...GRAPHQL,
  ...REDIRECTS,
  ...SESSIONS,
  ...LOST_PAGES,
  ...PAGE_SIZES,
  ...SHIFTS,
  ...TOKENS,
  ...TOTALS,
  ...LISTS,
  ...TWINS,
  ...FIELDS,
  ...IDS,
  ...IDENTITY,
  ...TIMES,
  ...OTHER_LISTS,
  ...TEXTS,
];

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
