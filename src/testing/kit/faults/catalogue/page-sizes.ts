/** Pages of another size than was asked for. */
import { withItems, withPages } from "../../structure/edit.js";
import { partsOf, withPart } from "../../structure/request-parts.js";
import type { Listing } from "../../structure/structure.js";
import type { FaultKind, Plan } from "../kind.js";
import { itemsOf, listingWith, relaying } from "../pages.js";
import type { View } from "../view.js";

/** Offsets stay what they are: each request gets half of the items that it asks for, and the other half has its own. */
function halvedOffsets(view: View, listing: Listing, size: number): Plan | undefined {
  const { asks } = listing;
  if (asks === undefined) return undefined;
  const between = listing.pages.flatMap(({ exchange, items }) => {
    const page = view.recording[exchange];
    const offset = partsOf(page?.request ?? { method: "GET", url: "about:blank", headers: {} }).find(
      (part) => part.in === asks.in && part.name === asks.name,
    );
    if (page === undefined || items.length <= size) return [];
    const later = `${Number(offset?.value ?? 0) + size}`;
    return [withItems(withPart(page, asks, later), listing, items.slice(size))];
  });
  const exchanges = withPages(view.recording, listing, (page, position) =>
    withItems(page, listing, listing.pages[position]?.items.slice(0, size)),
  );
  return { at: listing.name, exchanges: [...exchanges, ...between] };
}

export const PAGE_SIZES: readonly FaultKind[] = [
  {
    name: "everything-on-one-page",
    summary: "the page size is ignored: the first page has everything, and later ones nothing",
    plan(view) {
      const listing = listingWith(view, 2);
      if (listing === undefined) return undefined;
      return relaying(view, listing, listing.name, [itemsOf(listing)]);
    },
  },
  {
    name: "page-size-halved",
    summary: "pages have half as many items as were asked for, and there are more of them",
    plan(view) {
      const listing = listingWith(view, 2);
      const size = Math.ceil((listing?.pages[0]?.items.length ?? 0) / 2);
      if (listing === undefined || size === 0) return undefined;
      if (listing.counts === "items") return halvedOffsets(view, listing, size);
      const items = itemsOf(listing);
      const layout = Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
        items.slice(index * size, (index + 1) * size),
      );
      return relaying(view, listing, listing.name, layout);
    },
  },
];
