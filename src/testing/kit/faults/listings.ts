/** Faults of what pages say about their listing: the next page, the total, and the list itself. */
import type { Exchange } from "../cassette/cassette.js";
import {
  continuedAs,
  jsonOf,
  pageAt,
  placeOf,
  withBody,
  withItems,
  withPages,
  withPlaces,
} from "../structure/edit.js";
import { withValueAt } from "../structure/json-path.js";
import { followingPage } from "../structure/relayout.js";
import type { AnswerPlace, Listing } from "../structure/structure.js";
import { type FaultKind, kindsOf, type Plan } from "./fault.js";
import { isNoticedByGuard, itemsOf, pageLabel, type View } from "./view.js";

/** One page of a listing: `position` counts from 0. */
interface PageOf {
  readonly listing: Listing;
  readonly position: number;
  readonly view: View;
}

type Row = readonly [
  name: string,
  /** The pages that are changed: all, the last one, one with items, or one before the last whose next pages get lost. */
  where: "all" | "last" | "any" | "leading" | "other",
  summary: string,
  change: (page: Exchange, at: PageOf) => Exchange | undefined,
];

const ROWS: readonly Row[] = [
  ["next-missing", "leading", "a page does not name the next one any more", next(undefined)],
  ["next-null", "leading", "a page has null for the next one", next(null)],
  ["more-flag-wrong", "leading", "a page says that there is no more, and names a next one", wrongFlag],
  ["next-repeated", "last", "the last page names itself as the next one", leadsTo(-2)],
  ["next-cyclic", "last", "the last page leads back to the second one", leadsTo(0)],
  ["paging-ignored", "all", "each request is answered with the first page (a cache)", firstPage],
  ["total-missing", "all", "the total is missing", total(() => undefined)],
  ["total-too-low", "all", "the total is half of the number of items", total(half)],
  ["total-too-high", "all", "the total counts items that the key may not see", total((items) => items + 3)],
  ["total-as-string", "all", "the total is a string", total((items) => `${items}`)],
  ["total-changed", "all", "the total is one more on the last page, without another item", changedTotal],
  ["list-null", "any", "a page has null instead of its list", nullList],
  ["list-missing", "any", "a page has no list at all", withoutList],
  ["list-renamed", "all", "the list has another name on all pages", renamedList],
  [
    "graphql-partial",
    "last",
    "the last page has null for its list, and an error beside the data",
    partialData,
  ],
  ["other-list-null", "other", "another listing has null for its list", nullList],
];

export const LISTINGS: readonly FaultKind[] = kindsOf(ROWS, planOf);

function planOf(view: View, [, where, , change]: Row): Plan | undefined {
  const listing = where === "other" ? view.pick(view.structure.listings.slice(1)) : view.main;
  if (listing === undefined || itemsOf(listing).length === 0) return undefined;
  const struck = positionsOf(view, listing, where);
  const changed = new Map<number, Exchange>();
  for (const position of struck) {
    const page = pageAt(view.recording, listing, position);
    const other = page && change(page, { listing, position, view });
    if (other === undefined) return undefined;
    changed.set(position, other);
  }
  const [only] = struck;
  if (only === undefined) return undefined;
  const exchanges = withPages(view.recording, listing, (page, position) => changed.get(position) ?? page);
  return {
    at: struck.length === 1 ? pageLabel(listing, only) : listing.name,
    exchanges: where === "all" ? withPageBeyond(exchanges, listing) : exchanges,
    seenByGuardOnly: where === "leading" && listing.totals.length === 0,
  };
}

function positionsOf(view: View, listing: Listing, where: Row[1]): readonly number[] {
  const all = listing.pages.map((_, position) => position);
  if (where === "all" || where === "other") return all;
  if (where === "last") return all.length < 2 ? [] : all.slice(-1);
  const picked = view.pick(
    where === "any" ? all.filter((at) => (listing.pages[at]?.items.length ?? 0) > 1) : all.slice(0, -1),
  );
  if (picked === undefined) return [];
  const lost = listing.pages.slice(picked + 1).flatMap(({ items }) => items).length;
  const isNoticed = listing.totals.length > 0 || isNoticedByGuard(listing, lost);
  return where === "any" || isNoticed ? [picked] : [];
}

/** A connector that counts to a total asks for what is behind the last page: an empty one. */
function withPageBeyond(exchanges: readonly Exchange[], listing: Listing): readonly Exchange[] {
  if (listing.next.length > 0) return exchanges;
  const pages = listing.pages.flatMap(({ exchange }) => exchanges[exchange] ?? []);
  const beyond = followingPage(pages, listing)?.[1];
  return beyond === undefined ? exchanges : [...exchanges, withItems(beyond, listing, [])];
}

/** The places with a token or an address, without flags such as `hasNextPage`. */
function tokensOf({ next: places }: Listing, page: Exchange): readonly AnswerPlace[] {
  return places.filter((place) => typeof placeOf(page, place) !== "boolean");
}

function next(value: null | undefined): Row[3] {
  return (page, { listing }) => {
    const tokens = tokensOf(listing, page).filter((place) => value === undefined || place.in === "body");
    return tokens.length === 0 ? undefined : withPlaces(page, tokens, value);
  };
}

function wrongFlag(page: Exchange, { listing }: PageOf): Exchange | undefined {
  const flags = listing.next.filter((place) => typeof placeOf(page, place) === "boolean");
  const [flag] = flags;
  if (flag === undefined || tokensOf(listing, page).length === 0) return undefined;
  return withPlaces(page, flags, placeOf(page, flag) !== true);
}

function leadsTo(position: number): Row[3] {
  return (page, { listing, view }) => {
    const other = listing.pages.length < 3 ? undefined : pageAt(view.recording, listing, position);
    return other === undefined || listing.next.length === 0 ? undefined : continuedAs(page, other, listing);
  };
}

function firstPage(page: Exchange, { listing, view }: PageOf): Exchange | undefined {
  const first = listing.pages.length < 2 ? undefined : pageAt(view.recording, listing, 0);
  return first && { ...page, response: first.response };
}

function total(change: (items: number) => unknown): Row[3] {
  return (page, { listing }) => {
    const { totals } = listing;
    const isNumber = totals.some((place) => typeof placeOf(page, place) === "number");
    const value = change(itemsOf(listing).length);
    if (totals.length === 0 || (typeof value === "string" && !isNumber)) return undefined;
    return withPlaces(page, totals, value);
  };
}

/** So that the guard notices if a connector stops there. */
function half(items: number): number {
  return Math.floor(items / 2);
}

function changedTotal(page: Exchange, { listing, position }: PageOf): Exchange | undefined {
  const { totals, pages } = listing;
  if (totals.length === 0 || pages.length < 2) return undefined;
  return position + 1 < pages.length ? page : withPlaces(page, totals, itemsOf(listing).length + 1);
}

function nullList(page: Exchange, { listing }: PageOf): Exchange {
  return withItems(page, listing, null);
}

function withoutList(page: Exchange, { listing }: PageOf): Exchange | undefined {
  return listing.list.length === 0 ? undefined : withItems(page, listing, undefined);
}

function renamedList(page: Exchange, { listing, position }: PageOf): Exchange | undefined {
  const key = listing.list.at(-1);
  if (key === undefined) return undefined;
  const without = jsonOf(withItems(page, listing, undefined));
  const path = [...listing.list.slice(0, -1), `${key}_v2`];
  return withBody(page, { json: withValueAt(without, path, listing.pages[position]?.items) });
}

function partialData(page: Exchange, { listing }: PageOf): Exchange | undefined {
  // Only GraphQL has its lists below `data` of an answer to a query.
  const { body } = page.request;
  if (listing.list[0] !== "data" || body === undefined || !("json" in body)) return undefined;
  const json = Object(jsonOf(withItems(page, listing, null)));
  const errors = [{ message: "Could not load members", extensions: { code: "INTERNAL" } }];
  return withBody(page, { json: { ...json, errors } });
}
