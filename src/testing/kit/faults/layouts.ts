/** Faults in how a listing is split into pages: pages and items that are missing, duplicated or moved. */
import type { Exchange } from "../cassette/cassette.js";
import { leadingTo, relaid, withItems, withPages, withPlaces } from "../structure/edit.js";
import { valueAt, withValueAt } from "../structure/json-path.js";
import { partValue, withPart } from "../structure/request-parts.js";
import type { Listing } from "../structure/structure.js";
import {
  type FaultKind,
  isNoticedByGuard,
  itemsOf,
  kindsOf,
  type Plan,
  pageLabel,
  unseenLoss,
  type View,
} from "./fault.js";
import { otherCase, renamedPerson } from "./items.js";

type Items = readonly unknown[];

interface Layout {
  readonly pages: readonly Items[];
  /** The new total on the page `totalFrom` and all later ones. A total that differs from page 1's shows a loss. */
  readonly total?: number;
  readonly totalFrom?: number;
}

/** The pages of a listing, and the position picked by the seed. */
interface Cut {
  readonly view: View;
  readonly listing: Listing;
  readonly pages: readonly Items[];
  readonly all: Items;
  readonly at: number;
}

const REPEATED = 2;

type Row = readonly [
  name: string,
  /** "any": a page that the seed picks; a number: the whole listing, if it has at least that many pages. */
  where: "any" | number,
  summary: string,
  layout: (cut: Cut) => Layout | readonly Items[] | Plan | string | undefined,
];

const ROWS: readonly Row[] = [
  ["last-page-lost", 2, "the listing ends before its last page", ({ pages }) => pages.slice(0, -1)],
  ["empty-page-between", 2, "an empty page comes between two others, but nothing is missing", emptyBetween],
  [
    "pages-swapped",
    3,
    "two pages have each other's items",
    ({ pages: [a = [], b = [], ...c] }) => [b, a, ...c],
  ],
  ["list-empty", 1, "the list is empty, as for a key without rights", () => ({ pages: [[]], total: 0 })],
  [
    "everything-on-one-page",
    2,
    "the page size is ignored: the first page has everything",
    ({ all }) => [all],
  ],
  ["page-size-halved", 2, "pages have half of the requested items, so there are more pages", halved],
  ["items-repeated-on-page", "any", "a page has two of its items twice", repeatedItems],
  ["offset-shifted-by-deletions", 2, "two items of page 1 are deleted after that page was read", shifted],
];

export const LAYOUTS: readonly FaultKind[] = [
  ...kindsOf(ROWS, planOf),
  // If a connector writes neither ids nor names, the extra item becomes a record that equals another one.
  ...kindsOf([["twin-id-in-case", "any", "an extra item's id differs only in letter case", twin]], planOf, [
    "added",
    "doubled",
  ]),
];

function planOf(view: View, [, where, , change]: Row): Plan | string | undefined {
  const { main: listing } = view;
  if (listing === undefined) return undefined;
  const isWhole = typeof where === "number";
  // Any page may get more items. But with offsets, only the last page may get more, because a connector that adds up
  // the items would otherwise request an offset that wasn't recorded.
  const growing = [...listing.pages.keys()].slice(listing.counts === "items" ? -1 : 0);
  const at = isWhole ? 0 : view.pick(growing);
  const all = itemsOf(listing);
  if (at === undefined || all.length === 0 || (isWhole && listing.pages.length < where)) return undefined;
  const changed = change({ view, listing, pages: listing.pages.map(({ items }) => items), all, at });
  if (changed === undefined || typeof changed === "string" || "exchanges" in changed) return changed;
  const layout: Layout = "pages" in changed ? changed : { pages: changed };
  const label = isWhole ? listing.name : pageLabel(listing, at);
  return played(view, listing, layout, label);
}

function played(view: View, listing: Listing, layout: Layout, at: string): Plan | string | undefined {
  const { pages, total, totalFrom = 0 } = layout;
  const all = itemsOf(listing);
  const left = new Set(pages.flat());
  const lost = all.filter((item) => !left.has(item)).length;
  const isSeen = lost === 0 || totalFrom > 0 || (listing.totals.length > 0 && total === undefined);
  if (!isSeen && !isNoticedByGuard(lost, all.length)) return unseenLoss(lost, all.length);
  const counted = (page: Exchange, position: number) =>
    total === undefined || position < totalFrom ? page : withPlaces(page, listing.totals, total);
  const exchanges = relaid(view.recording, listing, pages, counted);
  return exchanges && { at, exchanges, seenByGuardOnly: !isSeen };
}

/** Not possible with offsets: they count items, so the next offset after an empty page would be the same. */
function emptyBetween({ listing, pages }: Cut): readonly Items[] | undefined {
  return listing.counts === "items" ? undefined : pages.toSpliced(1, 0, []);
}

function halved({ view, listing, pages, all }: Cut): readonly Items[] | Plan | undefined {
  const size = Math.ceil((pages[0]?.length ?? 0) / 2);
  if (size === 0) return undefined;
  return listing.counts === "items" ? halvedOffsets(view, listing, size) : chunksOf(all, size);
}

/**
 * Offsets stay the same: each request gets half of the items that it asks for, and an extra request gets the other
 * half. If answers name the next offset, the answer with the first half names the offset of the other half.
 */
function halvedOffsets(view: View, listing: Listing, size: number): Plan | undefined {
  const { asks } = listing;
  if (asks === undefined) return undefined;
  const offsetOf = ({ request }: Exchange) => Number(partValue(request, asks) ?? 0);
  const between = listing.pages.flatMap(({ exchange, items }) => {
    const page = view.recording[exchange];
    if (page === undefined || items.length <= size) return [];
    return [withItems(withPart(page, asks, `${offsetOf(page) + size}`), listing, items.slice(size))];
  });
  const exchanges = withPages(view.recording, listing, (page, position) => {
    const { items = [] } = listing.pages[position] ?? {};
    const half = withItems(page, listing, items.slice(0, size));
    return items.length > size ? leadingTo(half, `${offsetOf(page) + size}`, view.recording, listing) : half;
  });
  return { at: listing.name, exchanges: [...exchanges, ...between] };
}

function repeatedItems({ pages, at }: Cut): readonly Items[] {
  const items = pages[at] ?? [];
  return pages.with(at, [...items, ...items.slice(0, REPEATED)]);
}

/** Moves the items of later pages up by the number of deleted items. Pages with cursors or tokens don't shift. */
function shifted({ listing, pages: [first = [], ...others], all }: Cut): Layout | string | undefined {
  if (listing.counts === undefined || first.length <= REPEATED) return undefined;
  if (listing.totals.length === 0) return unseenLoss(REPEATED, all.length);
  const later = chunksOf(all.slice(first.length + REPEATED), first.length);
  while (later.length < others.length) later.push([]);
  return { pages: [first, ...later], total: all.length - REPEATED, totalFrom: 1 };
}

function chunksOf(items: Items, size: number): Items[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** An extra item, with a different id and name, before the item that it resembles. */
function twin({ listing, pages, all, at }: Cut): Layout | undefined {
  const [first] = pages[at] ?? [];
  const id = listing.id && valueAt(first, listing.id);
  if (listing.id === undefined || typeof id !== "string" || otherCase(id) === id) return undefined;
  const other = withValueAt(renamedPerson(first, listing.id), listing.id, otherCase(id));
  return { pages: pages.with(at, [other, ...(pages[at] ?? [])]), total: all.length + 1 };
}
