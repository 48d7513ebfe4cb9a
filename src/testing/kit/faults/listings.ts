/** Faults in what pages say about their listing: the next page, the total and the list itself. */
import type { Exchange } from "../cassette/cassette.js";
import {
  continuedAs,
  jsonOf,
  pageAt,
  withBody,
  withItems,
  withPages,
  withPlaces,
} from "../structure/edit.js";
import type { Listing } from "../structure/structure.js";
import { type FaultKind, itemsOf, kindsOf, type Plan, pageLabel, type View } from "./fault.js";

/** One page of a listing: `position` counts from 0. */
interface PageOf {
  readonly listing: Listing;
  readonly position: number;
  readonly view: View;
}

type Row = readonly [
  name: string,
  /** The pages that are changed: all, the last one, or one with items. */
  where: "all" | "last" | "any",
  summary: string,
  change: (page: Exchange, at: PageOf) => Exchange | undefined,
];

const ROWS: readonly Row[] = [
  ["next-repeated", "last", "the last page names itself as the next one", leadsTo(-2)],
  ["total-missing", "all", "the total is missing", withoutTotal],
  ["list-null", "any", "a page has null instead of its list", nullList],
  [
    "graphql-partial",
    "last",
    "the last page has null for its list, and an error beside the data",
    partialData,
  ],
];

export const LISTINGS: readonly FaultKind[] = kindsOf(ROWS, planOf);

function planOf(view: View, [, where, , change]: Row): Plan | undefined {
  const listing = view.main;
  if (listing === undefined || itemsOf(listing).length === 0) return undefined;
  const positions = positionsOf(view, listing, where);
  const changed = new Map<number, Exchange>();
  for (const position of positions) {
    const page = pageAt(view.recording, listing, position);
    const other = page && change(page, { listing, position, view });
    if (other === undefined) return undefined;
    changed.set(position, other);
  }
  const [only] = positions;
  if (only === undefined) return undefined;
  const exchanges = withPages(view.recording, listing, (page, position) => changed.get(position) ?? page);
  return {
    at: positions.length === 1 ? pageLabel(listing, only) : listing.name,
    exchanges,
  };
}

function positionsOf(view: View, listing: Listing, where: Row[1]): readonly number[] {
  const all = listing.pages.map((_, position) => position);
  if (where === "all") return all;
  if (where === "last") return all.length < 2 ? [] : all.slice(-1);
  const picked = view.pick(all.filter((at) => (listing.pages[at]?.items.length ?? 0) > 1));
  return picked === undefined ? [] : [picked];
}

function leadsTo(position: number): Row[3] {
  return (page, { listing, view }) => {
    const other = listing.pages.length < 3 ? undefined : pageAt(view.recording, listing, position);
    return other === undefined || listing.next.length === 0 ? undefined : continuedAs(page, other, listing);
  };
}

function withoutTotal(page: Exchange, { listing: { totals } }: PageOf): Exchange | undefined {
  return totals.length === 0 ? undefined : withPlaces(page, totals, undefined);
}

function nullList(page: Exchange, { listing }: PageOf): Exchange {
  return withItems(page, listing, null);
}

function partialData(page: Exchange, { listing }: PageOf): Exchange | undefined {
  // Only GraphQL answers a JSON request with a list below `data`.
  const { body } = page.request;
  if (listing.list[0] !== "data" || body === undefined || !("json" in body)) return undefined;
  const json = Object(jsonOf(withItems(page, listing, null)));
  const errors = [{ message: "Could not load members", extensions: { code: "INTERNAL" } }];
  return withBody(page, { json: { ...json, errors } });
}
