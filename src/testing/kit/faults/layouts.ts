/** Faults of how a listing is cut into pages: pages and items that are missing, come twice, or move. */
import { withItems, withPages, withPlaces } from "../structure/edit.js";
import { valueAt, withValueAt } from "../structure/json-path.js";
import { relaid } from "../structure/relayout.js";
import { partsOf, withPart } from "../structure/request-parts.js";
import type { Listing } from "../structure/structure.js";
import type { FaultKind, Plan } from "./fault.js";
import { renamedPerson } from "./items.js";
import { isNoticedByGuard, itemsOf, pageLabel, type View } from "./view.js";

type Items = readonly unknown[];

interface Layout {
  readonly pages: readonly Items[];
  /** What the total changes to, on the pages from `totalFrom` to `totalTo`. */
  readonly total?: number;
  readonly totalFrom?: number;
  readonly totalTo?: number;
  /** Lost items are noticed without totals and guards, because others come twice. */
  readonly isVisible?: boolean;
}

/** The pages of a listing, and the position that the seed has picked. */
interface Cut {
  readonly listing: Listing;
  readonly pages: readonly Items[];
  readonly all: Items;
  readonly at: number;
}

const REPEATED = 2;

type Row = readonly [
  name: string,
  /** Which page is picked, of at least how many. */
  where: keyof typeof POSITIONS,
  least: number,
  summary: string,
  layout: (cut: Cut) => Layout | readonly Items[] | undefined,
];

const POSITIONS = {
  all: () => [0],
  middle: ({ pages }: Listing) => positionsOf(pages).slice(1, -1),
  // A page may have more items than before: with offsets the last one, as a connector that adds up what it got would
  // otherwise ask for an offset that was not recorded.
  any: ({ pages, counts }: Listing) => positionsOf(pages).slice(counts === "items" ? -1 : 0),
  later: ({ pages, counts }: Listing) => positionsOf(pages).slice(counts === "items" ? -1 : 1),
} satisfies Record<string, (listing: Listing) => readonly number[]>;

const ROWS: readonly Row[] = [
  [
    "page-missing",
    "middle",
    3,
    "a page in the middle is left out",
    ({ pages, at }) => pages.toSpliced(at, 1),
  ],
  ["last-page-lost", "all", 2, "the listing ends before its last page", ({ pages }) => pages.slice(0, -1)],
  [
    "page-empty",
    "middle",
    3,
    "a page has no items, and no other has them",
    ({ pages, at }) => pages.with(at, []),
  ],
  [
    "empty-page-between",
    "all",
    2,
    "an empty page comes between two others, nothing is missing",
    emptyBetween,
  ],
  [
    "pages-swapped",
    "all",
    3,
    "two pages have each other's items",
    ({ pages: [a = [], b = [], ...c] }) => [b, a, ...c],
  ],
  [
    "page-repeated",
    "middle",
    3,
    "a page has the items of the page before it instead of its own",
    repeatedPage,
  ],
  [
    "sort-unstable",
    "all",
    3,
    "pages are sorted again for each request: some items come twice, others never",
    unsorted,
  ],
  [
    "list-empty",
    "all",
    1,
    "the list is empty, as for a key without rights",
    () => ({ pages: [[]], total: 0 }),
  ],
  [
    "everything-on-one-page",
    "all",
    2,
    "the page size is ignored: the first page has everything",
    ({ all }) => [all],
  ],
  [
    "page-size-halved",
    "all",
    2,
    "pages have half as many items as were asked for, and there are more",
    halved,
  ],
  ["items-repeated-on-page", "any", 1, "a page has two of its items twice", repeatedItems],
  [
    "items-repeated-on-next-page",
    "later",
    2,
    "a page has two items of the page before it, too",
    repeatedOnNext,
  ],
  [
    "offset-shifted-by-deletions",
    "all",
    2,
    "two items of page 1 are deleted after it was read",
    shifted(REPEATED),
  ],
  [
    "offset-shifted-by-insertions",
    "all",
    2,
    "two items come in before page 1 after it was read",
    shifted(-REPEATED),
  ],
  [
    "page-of-yesterday",
    "middle",
    3,
    "a page is yesterday's (a cache): the total and one item less",
    yesterday,
  ],
];

export const LAYOUTS: readonly FaultKind[] = [
  ...ROWS.map((row) => ({ name: row[0], summary: row[3], plan: (view: View) => planOf(view, row) })),
  twin("twin-id-in-case", "an item more has an id that differs in case only", (id) =>
    id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase(),
  ),
  twin("twin-id-with-space", "an item more has an id that differs by a space at its end", (id) => `${id} `),
];

function planOf(view: View, [name, where, least, , change]: Row): Plan | undefined {
  const { main: listing } = view;
  const at = listing && view.pick(POSITIONS[where](listing));
  if (listing === undefined || at === undefined || listing.pages.length < least) return undefined;
  const pages = listing.pages.map(({ items }) => items);
  const all = itemsOf(listing);
  const changed = all.length === 0 ? undefined : change({ listing, pages, all, at });
  if (changed === undefined) return undefined;
  const layout: Layout = "pages" in changed ? changed : { pages: changed };
  const label = where === "all" ? listing.name : pageLabel(listing, at);
  if (name === "page-size-halved" && listing.counts === "items") return halvedOffsets(view, listing);
  return isPlayable(listing, layout) ? played(view, listing, layout, label) : undefined;
}

/**
 * Whether anybody could notice that items are missing: by the vendor's total, or by the guard. An erosion that even totals
 * agree with is not a fault that a connector can be blamed for.
 */
function isPlayable(listing: Listing, { pages, total, isVisible }: Layout): boolean {
  const lost = lostOf(listing, pages);
  if (lost === 0 || isVisible === true || isNoticedByGuard(listing, lost)) return true;
  return listing.totals.length > 0 && total === undefined && pages.flat().length !== itemsOf(listing).length;
}

function lostOf(listing: Listing, pages: readonly Items[]): number {
  const left = new Set(pages.flat());
  return itemsOf(listing).filter((item) => !left.has(item)).length;
}

function played(view: View, listing: Listing, layout: Layout, at: string): Plan | undefined {
  const { pages, total, totalFrom = 0, totalTo = pages.length, isVisible = false } = layout;
  const exchanges = relaid(view.recording, listing, pages);
  if (exchanges === undefined) return undefined;
  const positions = new Map(listing.pages.map(({ exchange }, position) => [exchange, position]));
  const isUnseen = listing.totals.length === 0 || (total !== undefined && totalFrom === 0);
  return {
    at,
    exchanges: exchanges.map((page, index) => {
      // What was added to the recording are further pages.
      const position = index >= view.recording.length ? pages.length - 1 : positions.get(index);
      const isCounted = position !== undefined && position >= totalFrom && position <= totalTo;
      return total !== undefined && isCounted ? withPlaces(page, listing.totals, total) : page;
    }),
    seenByGuardOnly: isUnseen && !isVisible && lostOf(listing, pages) > 0,
  };
}

/** An offset counts items: after an empty page, the next offset would be the same. */
function emptyBetween({ listing, pages }: Cut): readonly Items[] | undefined {
  return listing.counts === "items" ? undefined : pages.toSpliced(1, 0, []);
}

function repeatedPage({ pages, at }: Cut): Layout {
  return { pages: pages.with(at, pages[at - 1] ?? []), isVisible: true };
}

/** Half of what a page shows was on the page before. */
function unsorted({ pages }: Cut): readonly Items[] {
  return pages.map((items, position) => {
    const before = pages[position - 1] ?? [];
    const half = Math.floor(items.length / 2);
    return position === 0 ? items : [...before.slice(before.length - half), ...items.slice(half)];
  });
}

function halved({ pages, all }: Cut): readonly Items[] | undefined {
  const size = Math.ceil((pages[0]?.length ?? 0) / 2);
  return size === 0 ? undefined : chunksOf(all, size);
}

/** Offsets stay what they are: each request gets half of the items that it asks for, and the other half has its own. */
function halvedOffsets(view: View, listing: Listing): Plan | undefined {
  const { asks } = listing;
  const size = Math.ceil((listing.pages[0]?.items.length ?? 0) / 2);
  if (asks === undefined) return undefined;
  const between = listing.pages.flatMap(({ exchange, items }) => {
    const page = view.recording[exchange];
    if (page === undefined || items.length <= size) return [];
    const offset = partsOf(page.request).find((part) => part.in === asks.in && part.name === asks.name);
    const later = `${Number(offset?.value ?? 0) + size}`;
    return [withItems(withPart(page, asks, later), listing, items.slice(size))];
  });
  const exchanges = withPages(view.recording, listing, (page, position) =>
    withItems(page, listing, listing.pages[position]?.items.slice(0, size)),
  );
  return { at: listing.name, exchanges: [...exchanges, ...between] };
}

function repeatedItems({ pages, at }: Cut): readonly Items[] {
  const items = pages[at] ?? [];
  return pages.with(at, [...items, ...items.slice(0, REPEATED)]);
}

function repeatedOnNext({ pages, at }: Cut): readonly Items[] {
  return pages.with(at, [...(pages[at - 1] ?? []).slice(-REPEATED), ...(pages[at] ?? [])]);
}

/** Later pages move up by so many items, or down. Cursors and tokens do not shift. */
function shifted(by: number): (cut: Cut) => Layout | undefined {
  return ({ listing, pages: [first = [], ...others], all }) => {
    // Without a total, nobody could notice that two items are missing.
    if (listing.counts === undefined || first.length <= REPEATED || (by > 0 && listing.totals.length === 0))
      return undefined;
    const later = chunksOf(all.slice(first.length + by), first.length);
    while (later.length < others.length) later.push([]);
    return { pages: [first, ...later], total: all.length - by, totalFrom: 1, isVisible: true };
  };
}

function yesterday({ listing, pages, all, at }: Cut): Layout | undefined {
  if (listing.totals.length === 0) return undefined;
  const start = pages.slice(0, at).flat().length + 1;
  const old = all.slice(start, start + (pages[at]?.length ?? 0));
  return { pages: pages.with(at, old), total: all.length - 1, totalFrom: at, totalTo: at, isVisible: true };
}

function chunksOf(items: Items, size: number): Items[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** An item more, with another id and another name, before the one that it looks like. */
function twin(name: string, summary: string, twinOf: (id: string) => string): FaultKind {
  const layout = ({ listing, pages, all, at }: Cut): Layout | undefined => {
    const [first] = pages[at] ?? [];
    const id = listing.id && valueAt(first, listing.id);
    if (listing.id === undefined || typeof id !== "string" || twinOf(id) === id) return undefined;
    const other = withValueAt(renamedPerson(first, id), listing.id, twinOf(id));
    return { pages: pages.with(at, [other, ...(pages[at] ?? [])]), total: all.length + 1 };
  };
  const row: Row = [name, "any", 1, summary, layout];
  return { name, summary, excuses: ["added"], plan: (view) => planOf(view, row) };
}

function positionsOf(pages: readonly unknown[]): readonly number[] {
  return pages.map((_, position) => position);
}
