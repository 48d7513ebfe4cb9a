/** What the faults about listings have in common. */
import type { Exchange } from "../cassette/cassette.js";
import { withPages } from "../structure/edit.js";
import { relaid } from "../structure/relayout.js";
import type { Listing } from "../structure/structure.js";
import type { Plan } from "./kind.js";
import { pageLabel, type View } from "./view.js";

/** Least share of a listing, and least number of items, that the default guard misses, with some to spare. */
const NOTICED_SHARE = 0.3;
const NOTICED_ITEMS = 5;

export function itemsOf({ pages }: Listing): readonly unknown[] {
  return pages.flatMap(({ items }) => items);
}

/**
 * Whether anybody could notice that so many items are missing: by the vendor's total, or by the guard. An erosion that
 * even totals agree with is not a fault that a connector can be blamed for.
 */
export function isNoticed(listing: Listing, lost: number): boolean {
  return lost > 0 && (listing.totals.length > 0 || isNoticedByGuard(listing, lost));
}

/** Marks a loss that no total tells of. */
export function seen(listing: Listing, plan: Plan | undefined): Plan | undefined {
  if (plan === undefined || listing.totals.length > 0) return plan;
  return { ...plan, seenByGuardOnly: true };
}

export function isNoticedByGuard(listing: Listing, lost: number): boolean {
  return lost >= NOTICED_ITEMS && lost >= NOTICED_SHARE * itemsOf(listing).length;
}

/** The main listing, if it has at least so many pages with items. */
export function listingWith({ main }: View, pages: number): Listing | undefined {
  return main !== undefined && main.pages.length >= pages && itemsOf(main).length > 0 ? main : undefined;
}

/** Positions of the pages between the first and the last one. */
export function middleOf({ pages }: Listing): readonly number[] {
  return pages.map((_, position) => position).slice(1, -1);
}

/** The fewest pages, from one that the seed picks, whose items are enough for the guard to notice. */
export function noticedPages(view: View, listing: Listing): readonly number[] {
  const { pages } = listing;
  const start = view.pick(pages.map((_, position) => position)) ?? 0;
  const positions: number[] = [];
  let items = 0;
  for (let step = 0; step < pages.length && !isNoticedByGuard(listing, items); step += 1) {
    const position = (start + step) % pages.length;
    positions.push(position);
    items += pages[position]?.items.length ?? 0;
  }
  return positions;
}

/** A plan that plays other pages. */
export function playing(
  view: View,
  listing: Listing,
  at: string,
  change: (page: Exchange, position: number) => Exchange,
): Plan {
  return { at, exchanges: withPages(view.recording, listing, change) };
}

/** A plan that changes one page. */
export function playingPage(
  view: View,
  listing: Listing,
  position: number,
  change: (page: Exchange) => Exchange,
): Plan {
  return playing(view, listing, pageLabel(listing, position), (page, at) =>
    at === position ? change(page) : page,
  );
}

/** A plan that cuts the listing into other pages. */
export function relaying(
  view: View,
  listing: Listing,
  at: string,
  layout: readonly (readonly unknown[])[],
): Plan | undefined {
  const exchanges = relaid(view.recording, listing, layout);
  return exchanges === undefined ? undefined : { at, exchanges };
}
