/** Items that come twice, and items that look like others. */
import type { Exchange } from "../../cassette/cassette.js";
import { withItems, withPlaces } from "../../structure/edit.js";
import { leavesOf, valueAt, withValueAt } from "../../structure/json-path.js";
import type { Listing } from "../../structure/structure.js";
import { shortDigest } from "../entries.js";
import type { FaultKind } from "../kind.js";
import { itemsOf, listingWith, playing, playingPage } from "../pages.js";
import { pageLabel, type View } from "../view.js";

const REPEATED = 2;

/**
 * A page that may have more items than before: with offsets the last one, as a connector that adds up what it got would
 * otherwise ask for an offset that was not recorded.
 */
function roomyPage(view: View, listing: Listing, from = 0): number | undefined {
  const positions = listing.pages.map((_, position) => position).slice(from);
  return listing.counts === "items" ? positions.at(-1) : view.pick(positions);
}

/** An item more, with another id and another name, before the one that it looks like. */
function twin(name: string, summary: string, twinOf: (id: string) => string): FaultKind {
  return {
    name,
    summary,
    excuses: ["added"],
    plan(view) {
      const listing = listingWith(view, 1);
      const struck = listing === undefined ? undefined : roomyPage(view, listing);
      if (listing?.id === undefined || struck === undefined) return undefined;
      const path = listing.id;
      const items = listing.pages[struck]?.items ?? [];
      const [first] = items;
      const id = valueAt(first, path);
      if (typeof id !== "string" || twinOf(id) === id) return undefined;
      const other = withValueAt(renamed(first), path, twinOf(id));
      const total = itemsOf(listing).length + 1;
      return playing(view, listing, pageLabel(listing, struck), (page: Exchange, position) => {
        const counted = withPlaces(page, listing.totals, total);
        return position === struck ? withItems(counted, listing, [other, ...items]) : counted;
      });
    },
  };
}

function renamed(item: unknown): unknown {
  return [...leavesOf(item)].reduce<unknown>((changed, { path, value }) => {
    const key = `${path.at(-1)}`;
    if (typeof value !== "string" || !/name|mail/i.test(key)) return changed;
    const digest = shortDigest(value);
    return withValueAt(changed, path, /mail/i.test(key) ? `${digest}@example.com` : `Person ${digest}`);
  }, item);
}

export const TWINS: readonly FaultKind[] = [
  twin("twin-id-in-case", "an item more has an id that differs in case only", (id) =>
    id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase(),
  ),
  twin("twin-id-with-space", "an item more has an id that differs by a space at its end", (id) => `${id} `),
  {
    name: "items-repeated-on-page",
    summary: "a page has two of its items twice",
    plan(view) {
      const listing = listingWith(view, 1);
      const position = listing === undefined ? undefined : roomyPage(view, listing);
      if (listing === undefined || position === undefined) return undefined;
      const items = listing.pages[position]?.items ?? [];
      return playingPage(view, listing, position, (page) =>
        withItems(page, listing, [...items, ...items.slice(0, REPEATED)]),
      );
    },
  },
  {
    name: "items-repeated-on-next-page",
    summary: "a page has two items of the page before it, besides its own",
    plan(view) {
      const listing = listingWith(view, 2);
      const position = listing === undefined ? undefined : roomyPage(view, listing, 1);
      if (listing === undefined || position === undefined) return undefined;
      const before = listing.pages[position - 1]?.items ?? [];
      const own = listing.pages[position]?.items ?? [];
      return playingPage(view, listing, position, (page) =>
        withItems(page, listing, [...before.slice(-REPEATED), ...own]),
      );
    },
  },
];
