/** The list changes while it is read, so that counted pages shift. Cursors and tokens do not shift. */
import { withPlaces } from "../../structure/edit.js";
import { relaid } from "../../structure/relayout.js";
import type { Listing } from "../../structure/structure.js";
import type { FaultKind, Plan } from "../kind.js";
import { itemsOf, listingWith } from "../pages.js";
import type { View } from "../view.js";

/** Items that are deleted, or added, after the first page was read. */
const CHANGED = 2;

function countedListing(view: View): Listing | undefined {
  const listing = listingWith(view, 2);
  const [first] = listing?.pages ?? [];
  return listing?.counts !== undefined && (first?.items.length ?? 0) > CHANGED ? listing : undefined;
}

/** The list in new pages after the first one, which has the old total. */
function changed(view: View, listing: Listing, others: readonly unknown[], by: number): Plan | undefined {
  const [first] = listing.pages;
  if (first === undefined) return undefined;
  const layout = [first.items];
  for (let start = 0; start < others.length; start += first.items.length)
    layout.push(others.slice(start, start + first.items.length));
  while (layout.length < listing.pages.length) layout.push([]);
  const exchanges = relaid(view.recording, listing, layout);
  if (exchanges === undefined) return undefined;
  const later = new Set(listing.pages.slice(1).map(({ exchange }) => exchange));
  const total = itemsOf(listing).length + by;
  return {
    at: listing.name,
    exchanges: exchanges.map((page, index) =>
      later.has(index) || index >= view.recording.length ? withPlaces(page, listing.totals, total) : page,
    ),
  };
}

export const SHIFTS: readonly FaultKind[] = [
  {
    name: "offset-shifted-by-deletions",
    summary:
      "two items of the first page are deleted after it was read: later pages move up, and two are skipped",
    plan(view) {
      const listing = countedListing(view);
      // Without a total, nobody could notice that two items are missing.
      if (listing === undefined || listing.totals.length === 0) return undefined;
      const first = listing.pages[0]?.items.length ?? 0;
      return changed(view, listing, itemsOf(listing).slice(first + CHANGED), -CHANGED);
    },
  },
  {
    name: "offset-shifted-by-insertions",
    summary:
      "two items come in before the first page after it was read: its last two come again on the next one",
    plan(view) {
      const listing = countedListing(view);
      if (listing === undefined) return undefined;
      const first = listing.pages[0]?.items.length ?? 0;
      return changed(view, listing, itemsOf(listing).slice(first - CHANGED), CHANGED);
    },
  },
];
