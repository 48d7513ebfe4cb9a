/** A list that is not a list, and items that are not items. */
import type { Exchange } from "../../cassette/cassette.js";
import { jsonOf, withBody } from "../../structure/body.js";
import { withItems } from "../../structure/edit.js";
import { withValueAt } from "../../structure/json-path.js";
import type { Listing } from "../../structure/structure.js";
import type { FaultKind } from "../kind.js";
import { listingWith, playing, playingPage } from "../pages.js";

/** Strikes a page that the seed picks among those with items. */
function list(
  name: string,
  summary: string,
  change: (page: Exchange, listing: Listing, items: readonly unknown[]) => Exchange | undefined,
): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const listing = listingWith(view, 1);
      const pages = listing?.pages ?? [];
      const page = view.pick(pages.filter(({ items }) => items.length > 1));
      const exchange = view.recording[page?.exchange ?? -1];
      if (listing === undefined || page === undefined || exchange === undefined) return undefined;
      const changed = change(exchange, listing, page.items);
      if (changed === undefined) return undefined;
      return playingPage(view, listing, pages.indexOf(page), () => changed);
    },
  };
}

/** A page with its middle item changed. */
function item(
  name: string,
  summary: string,
  change: (item: unknown, listing: Listing) => unknown,
): FaultKind {
  return list(name, summary, (page, listing, items) => {
    const middle = Math.floor(items.length / 2);
    return withItems(page, listing, items.with(middle, change(items[middle], listing)));
  });
}

export const LISTS: readonly FaultKind[] = [
  list("list-null", "a page has null instead of its list", (page, listing) => withItems(page, listing, null)),
  list("list-missing", "a page has no list at all", (page, listing) =>
    listing.list.length === 0 ? undefined : withItems(page, listing, undefined),
  ),
  list("list-as-object", "a page has its items as an object with the keys 0, 1, 2", (page, listing, items) =>
    withItems(page, listing, { ...items }),
  ),
  {
    name: "list-renamed",
    summary: "the list has another name on all pages",
    plan(view) {
      const listing = listingWith(view, 1);
      const key = listing?.list.at(-1);
      if (listing === undefined || key === undefined) return undefined;
      const path = [...listing.list.slice(0, -1), `${key}_v2`];
      return playing(view, listing, listing.name, (page, position) => {
        const without = jsonOf(withItems(page, listing, undefined));
        return withBody(page, { json: withValueAt(without, path, listing.pages[position]?.items) });
      });
    },
  },
  item("item-null", "an item is null", () => null),
  item("item-empty", "an item is an empty object", () => ({})),
  item("item-without-id", "an item has no id", (value, { id }) =>
    id === undefined ? {} : withValueAt(value, id, undefined),
  ),
];
