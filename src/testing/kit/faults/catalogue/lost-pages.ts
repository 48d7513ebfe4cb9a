/** Pages that are missing, come twice, or have other items than they should. */
import { continuedAs, pageAt, withItems, withPages, withPlaces } from "../../structure/edit.js";
import type { Listing } from "../../structure/structure.js";
import type { FaultKind, Plan } from "../kind.js";
import {
  isNoticed,
  isNoticedByGuard,
  listingWith,
  middleOf,
  playing,
  playingPage,
  relaying,
  seen,
} from "../pages.js";
import { pageLabel, type View } from "../view.js";

/** A plan that leads past a page to the one after it. */
function without(view: View, listing: Listing, position: number): Plan | undefined {
  const { pages, next } = listing;
  if (!isNoticed(listing, pages[position]?.items.length ?? 0)) return undefined;
  const at = pageLabel(listing, position);
  if (next.length === 0) {
    const layout = pages.map(({ items }) => items).filter((_, other) => other !== position);
    return seen(listing, relaying(view, listing, at, layout));
  }
  const skipped = pageAt(view.recording, listing, position);
  if (skipped === undefined) return undefined;
  const plan = playing(view, listing, at, (page, other) =>
    other === position - 1 ? continuedAs(page, skipped, listing) : page,
  );
  return seen(listing, plan);
}

/** The pages with items of others: half of what a page shows was on the page before. */
function unsorted({ pages }: Listing): readonly (readonly unknown[])[] {
  return pages.map(({ items }, position) => {
    const before = pages[position - 1]?.items ?? [];
    const half = Math.floor(items.length / 2);
    return position === 0 ? items : [...before.slice(before.length - half), ...items.slice(half)];
  });
}

function lostByUnsorted({ pages }: Listing): number {
  return pages.slice(1).reduce((sum, { items }) => sum + Math.floor(items.length / 2), 0);
}

export const LOST_PAGES: readonly FaultKind[] = [
  {
    name: "page-missing",
    summary: "a page in the middle is left out",
    plan(view) {
      const listing = listingWith(view, 3);
      const position = listing === undefined ? undefined : view.pick(middleOf(listing));
      return listing === undefined || position === undefined ? undefined : without(view, listing, position);
    },
  },
  {
    name: "last-page-lost",
    summary: "the listing ends before its last page",
    plan(view) {
      const listing = listingWith(view, 2);
      return listing === undefined ? undefined : without(view, listing, listing.pages.length - 1);
    },
  },
  {
    name: "page-empty",
    summary: "a page has no items, and its own are not on another one",
    plan(view) {
      const listing = listingWith(view, 3);
      const position = listing === undefined ? undefined : view.pick(middleOf(listing));
      if (listing === undefined || position === undefined) return undefined;
      if (!isNoticed(listing, listing.pages[position]?.items.length ?? 0)) return undefined;
      const plan = playingPage(view, listing, position, (page) => withItems(page, listing, []));
      return seen(listing, plan);
    },
  },
  {
    name: "empty-page-between",
    summary: "an empty page comes between two others, and nothing is missing",
    plan(view) {
      const listing = listingWith(view, 2);
      // An offset counts items: after an empty page, the next offset would be the same.
      if (listing === undefined || listing.counts === "items") return undefined;
      const [first = [], ...others] = listing.pages.map(({ items }) => items);
      return relaying(view, listing, `after page 1 of ${listing.name}`, [first, [], ...others]);
    },
  },
  {
    name: "pages-swapped",
    summary: "two pages have each other's items",
    plan(view) {
      const listing = listingWith(view, 3);
      if (listing === undefined) return undefined;
      const items = listing.pages.map((page) => page.items);
      const [first = [], second = [], ...others] = items;
      return relaying(view, listing, `pages 1 and 2 of ${listing.name}`, [second, first, ...others]);
    },
  },
  {
    name: "page-repeated",
    summary: "a page has the items of the page before it instead of its own",
    plan(view) {
      const listing = listingWith(view, 3);
      const position = listing === undefined ? undefined : view.pick(middleOf(listing));
      if (listing === undefined || position === undefined) return undefined;
      const before = listing.pages[position - 1]?.items ?? [];
      return playingPage(view, listing, position, (page) => withItems(page, listing, before));
    },
  },
  {
    name: "paging-ignored",
    summary: "each request is answered with the first page (a cache that ignores the query)",
    plan(view) {
      const listing = listingWith(view, 2);
      const first = listing === undefined ? undefined : pageAt(view.recording, listing, 0);
      if (listing === undefined || first === undefined) return undefined;
      return playing(view, listing, listing.name, (page) => ({ ...page, response: first.response }));
    },
  },
  {
    name: "sort-unstable",
    summary: "pages are sorted anew for each request: some items come twice, others never",
    plan(view) {
      const listing = listingWith(view, 3);
      if (listing === undefined || !isNoticedByGuard(listing, lostByUnsorted(listing))) return undefined;
      return seen(listing, relaying(view, listing, listing.name, unsorted(listing)));
    },
  },
  {
    name: "list-empty",
    summary: "the list is empty, as for a key without rights",
    plan(view) {
      const listing = listingWith(view, 1);
      const last = listing === undefined ? undefined : pageAt(view.recording, listing, -1);
      if (listing === undefined || last === undefined) return undefined;
      const exchanges = withPages(view.recording, listing, (page) => {
        const none = withPlaces(continuedAs(page, last, listing), listing.totals, 0);
        return withItems(withPlaces(none, listing.pageCounts, 0), listing, []);
      });
      return { at: listing.name, exchanges, seenByGuardOnly: true };
    },
  },
];
