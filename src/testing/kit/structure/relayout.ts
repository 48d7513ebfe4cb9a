/** The same listing, cut into other pages. */
import type { Exchange } from "../cassette/cassette.js";
import { continuedAs, pageAt, placeOf, withItems, withPages, withPlaces } from "./edit.js";
import { partValue, withPart } from "./request-parts.js";
import type { Listing, Recording } from "./structure.js";

/**
 * Plays other items on the pages. If there are more pages than before, requests for them are appended to the recording.
 * @param countedOn Sets the total of a page.
 * @returns undefined if such requests cannot be made up, because the recording does not show how a page is asked for
 */
export function relaid(
  recording: Recording,
  listing: Listing,
  layout: readonly (readonly unknown[])[],
  countedOn: (page: Exchange, position: number) => Exchange,
): readonly Exchange[] | undefined {
  const last = pageAt(recording, listing, -1);
  if (last === undefined) return undefined;
  const pages: Exchange[] = listing.pages.flatMap(({ exchange }) => recording[exchange] ?? []);
  while (pages.length < layout.length) {
    const added = followingPage(pages, listing);
    if (added === undefined) return undefined;
    const [leading, page] = added;
    pages.splice(-1, 1, leading, page);
  }
  const changed = pages.map((page, position) => {
    const filled = withItems(countedOn(page, position), listing, layout[position] ?? []);
    const counted = withPlaces(filled, listing.pageCounts, layout.length);
    return position + 1 < layout.length ? counted : continuedAs(counted, last, listing);
  });
  const played = withPages(recording, listing, (page, position) => changed[position] ?? page);
  return [...played, ...changed.slice(listing.pages.length)];
}

/** The last page, now with a next one, and that next one. */
function followingPage(
  pages: readonly Exchange[],
  { asks, counts, next, size }: Listing,
): readonly [Exchange, Exchange] | undefined {
  const last = pages.at(-1);
  const before = pages.at(-2);
  if (last === undefined || before === undefined || asks === undefined) return undefined;
  const current = partValue(last.request, asks);
  if (current === undefined) return undefined;
  const step =
    counts === "items" ? Number(size?.value ?? Number(current) - Number(partValue(before.request, asks))) : 1;
  const value = counts === undefined ? `${current}-${pages.length + 1}` : `${Number(current) + step}`;
  const page = withPart(last, asks, value);
  // Where the page before names this one, this one names the next: the token itself, or an address with it.
  const leading = next.reduce((changed, place) => {
    const named = placeOf(before, place);
    if (typeof named === "boolean") return withPlaces(changed, [place], named);
    const text = `${named}`.replaceAll(encodeURIComponent(current), encodeURIComponent(value));
    return withPlaces(changed, [place], typeof named === "number" ? Number(text) : text);
  }, last);
  return [leading, page];
}
