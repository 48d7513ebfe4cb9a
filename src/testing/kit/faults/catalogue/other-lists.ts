/** Faults of what is not the main listing: further listings, and the details of items. */
import { jsonOf, withBody } from "../../structure/body.js";
import { withItems } from "../../structure/edit.js";
import type { Listing } from "../../structure/structure.js";
import type { VendorAnswer } from "../../vendor/answer.js";
import { answering, type FaultKind, instead, jsonError, type Times } from "../kind.js";
import { playing } from "../pages.js";
import { pageLabel, spotOf, type View } from "../view.js";

function otherListing(view: View): Listing | undefined {
  return view.pick(view.structure.listings.slice(1));
}

function other(name: string, summary: string, change: () => VendorAnswer): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const listing = otherListing(view);
      const last = listing?.pages.at(-1);
      if (listing === undefined || last === undefined) return undefined;
      const label = pageLabel(listing, listing.pages.length - 1);
      return answering(view, { exchange: last.exchange, label }, "always", change);
    },
  };
}

function detail(name: string, summary: string, times: Times, change: () => VendorAnswer): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const exchange = view.pick(view.structure.details);
      return exchange === undefined
        ? undefined
        : answering(view, spotOf(view.recording, exchange), times, change);
    },
  };
}

export const OTHER_LISTS: readonly FaultKind[] = [
  other("other-list-500", "another listing answers 500", () => jsonError(500, "Internal server error")),
  other("other-list-403", "another listing answers 403", () => jsonError(403, "Forbidden")),
  other("other-list-404", "another listing answers 404", () => jsonError(404, "Not found")),
  {
    name: "other-list-null",
    summary: "another listing has null instead of its list",
    plan(view) {
      const listing = otherListing(view);
      if (listing === undefined) return undefined;
      return playing(view, listing, listing.name, (page) => withItems(page, listing, null));
    },
  },
  detail("detail-500", "the details of an item answer 500", "always", () =>
    jsonError(500, "Internal server error"),
  ),
  detail("detail-500-once", "the details of an item answer 500 once", "once", () =>
    jsonError(500, "Internal server error"),
  ),
  detail("detail-403", "the details of an item answer 403", "always", () => jsonError(403, "Forbidden")),
  detail("detail-404", "the details of an item answer 404, although the list has it", "always", () =>
    jsonError(404, "Not found"),
  ),
  detail("detail-empty", "the details of an item are {}", "always", () =>
    instead(200, "{}", { "content-type": "application/json" }),
  ),
  {
    name: "detail-of-another",
    summary: "the details of an item are those of another one (a cache that mixes them up)",
    plan(view) {
      const { details } = view.structure;
      const [first, second] = details;
      const answer = view.recording[first ?? -1];
      const spot = spotOf(view.recording, second ?? -1);
      if (answer === undefined || second === undefined) return undefined;
      const exchanges = view.recording.map((exchange, index) =>
        index === second ? withBody(exchange, { json: jsonOf(answer) }) : exchange,
      );
      return { at: spot.label, exchanges };
    },
  },
];
