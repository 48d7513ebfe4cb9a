/** Old answers and wrong clocks. */

import { withHeader } from "../../structure/body.js";
import { withItems, withPlaces } from "../../structure/edit.js";
import type { FaultKind } from "../kind.js";
import { itemsOf, listingWith, middleOf, playingPage } from "../pages.js";

const DAY_MS = 86_400_000;

function skewed(name: string, summary: string, ms: number): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const exchanges = view.recording.map((exchange) => {
        const date = Date.parse(exchange.response.headers["date"] ?? "");
        return Number.isNaN(date)
          ? exchange
          : withHeader(exchange, "date", new Date(date + ms).toUTCString());
      });
      const isSkewed = exchanges.some((exchange, index) => exchange !== view.recording[index]);
      return isSkewed ? { at: "all answers", exchanges } : undefined;
    },
  };
}

export const TIMES: readonly FaultKind[] = [
  skewed("clock-ahead", "the vendor's clock is a day ahead", DAY_MS),
  skewed("clock-behind", "the vendor's clock is a day behind", -DAY_MS),
  {
    name: "page-of-yesterday",
    summary:
      "a page is yesterday's (a cache): the total and one item less, so that its items are one further on",
    plan(view) {
      const listing = listingWith(view, 3);
      const position = listing === undefined ? undefined : view.pick(middleOf(listing));
      // Without a total, nobody could notice that one item is missing.
      if (listing === undefined || position === undefined || listing.totals.length === 0) return undefined;
      const start = listing.pages.slice(0, position).reduce((sum, { items }) => sum + items.length, 0);
      const size = listing.pages[position]?.items.length ?? 0;
      const old = itemsOf(listing).slice(start + 1, start + 1 + size);
      return playingPage(view, listing, position, (page) =>
        withItems(withPlaces(page, listing.totals, itemsOf(listing).length - 1), listing, old),
      );
    },
  },
];
