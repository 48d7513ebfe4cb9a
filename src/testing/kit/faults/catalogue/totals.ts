/** What the vendor tells about the number of items is wrong. */

import type { Exchange } from "../../cassette/cassette.js";
import { pageAt, placeOf, withItems, withPlaces } from "../../structure/edit.js";
import { followingPage } from "../../structure/relayout.js";
import type { Listing } from "../../structure/structure.js";
import type { FaultKind } from "../kind.js";
import { itemsOf, listingWith, playing } from "../pages.js";

/** A connector that counts to a total asks for what is behind the last page: an empty one. */
function withPageBeyond(exchanges: readonly Exchange[], listing: Listing): readonly Exchange[] {
  if (listing.next.length > 0) return exchanges;
  const [beyond] =
    followingPage(
      listing.pages.flatMap(({ exchange }) => exchanges[exchange] ?? []),
      listing,
    )?.slice(1) ?? [];
  return beyond === undefined ? exchanges : [...exchanges, withItems(beyond, listing, [])];
}

function totals(
  name: string,
  summary: string,
  change: (page: Exchange, listing: Listing, position: number) => Exchange,
): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const listing = listingWith(view, 1);
      if (listing === undefined || listing.totals.length === 0) return undefined;
      const plan = playing(view, listing, listing.name, (page, position) => change(page, listing, position));
      return { ...plan, exchanges: withPageBeyond(plan.exchanges, listing) };
    },
  };
}

export const TOTALS: readonly FaultKind[] = [
  totals("total-missing", "the total is missing", (page, { totals: places }) =>
    withPlaces(page, places, undefined),
  ),
  totals("total-zero", "the total is 0, and the items are there", (page, { totals: places }) =>
    withPlaces(page, places, 0),
  ),
  // Half, so that the guard notices if a connector stops there.
  totals("total-too-low", "the total is half of the number of items", (page, listing) =>
    withPlaces(page, listing.totals, Math.floor(itemsOf(listing).length / 2)),
  ),
  totals("total-of-page", "the total is the number of items on the page", (page, listing, position) =>
    withPlaces(page, listing.totals, listing.pages[position]?.items.length ?? 0),
  ),
  totals("total-too-high", "the total counts items that the key may not see", (page, listing) =>
    withPlaces(page, listing.totals, itemsOf(listing).length + 3),
  ),
  totals("total-as-string", "the total is a string", (page, listing) =>
    listing.totals.reduce((changed, place) => {
      const total = placeOf(page, place);
      return typeof total === "number" ? withPlaces(changed, [place], `${total}`) : changed;
    }, page),
  ),
  {
    name: "total-changed",
    summary: "the total is one more on the last page, without another item",
    plan(view) {
      const listing = listingWith(view, 2);
      const last = listing === undefined ? undefined : pageAt(view.recording, listing, -1);
      if (listing === undefined || last === undefined || listing.totals.length === 0) return undefined;
      const total = itemsOf(listing).length + 1;
      const plan = playing(view, listing, listing.name, (page) =>
        page === last ? withPlaces(page, listing.totals, total) : page,
      );
      return { ...plan, exchanges: withPageBeyond(plan.exchanges, listing) };
    },
  },
];
