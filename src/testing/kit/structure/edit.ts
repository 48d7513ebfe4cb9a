/** Reads answers and makes changed copies of them. */
import type { Exchange, RecordedBody } from "../cassette/cassette.js";
import { isWithin, type JsonPath, type Leaf, leavesOf, valueAt, withValueAt } from "./json-path.js";
import { decoded, partValue, type RequestPart, withPart } from "./request-parts.js";
import type { AnswerPlace, Listing, Recording } from "./structure.js";

export function jsonOf({ response }: Exchange): unknown {
  return "json" in response.body ? response.body.json : undefined;
}

export function isSuccess({ response }: Exchange): boolean {
  return response.status >= 200 && response.status < 300;
}

export function withBody(exchange: Exchange, body: RecordedBody): Exchange {
  return { ...exchange, response: { ...exchange.response, body } };
}

function withHeader(exchange: Exchange, name: string, value: string | undefined): Exchange {
  const { [name]: _, ...others } = exchange.response.headers;
  const headers = value === undefined ? others : { ...others, [name]: value };
  return { ...exchange, response: { ...exchange.response, headers } };
}

export function withItems(exchange: Exchange, { list }: Listing, items: unknown): Exchange {
  return withBody(exchange, { json: withValueAt(jsonOf(exchange), list, items) });
}

export function placeOf(exchange: Exchange, place: AnswerPlace): unknown {
  return place.in === "body" ? valueAt(jsonOf(exchange), place.path) : exchange.response.headers[place.name];
}

/** The values of an answer outside its list, with their names. */
export function* answerValues(exchange: Exchange, list: JsonPath): Generator<AnswerValue, void, undefined> {
  for (const [name, value] of Object.entries(exchange.response.headers))
    yield { place: { in: "header", name }, name, value };
  for (const { path, value } of leavesOf(jsonOf(exchange)))
    if (!isWithin(path, list)) yield { place: { in: "body", path }, name: path.slice(-2).join("."), value };
}

interface AnswerValue {
  readonly place: AnswerPlace;
  readonly name: string;
  readonly value: Leaf["value"];
}

/** Copies an exchange, with this value at the given places of its answer; `undefined` removes a key or a header. */
export function withPlaces(exchange: Exchange, places: readonly AnswerPlace[], value: unknown): Exchange {
  return places.reduce(
    (changed, place) =>
      place.in === "body"
        ? withBody(changed, { json: withValueAt(jsonOf(changed), place.path, value) })
        : withHeader(changed, place.name, value === undefined ? undefined : `${value}`),
    exchange,
  );
}

/** A copy of a page that leads to the same next page as `other`, or to none if `other` leads to none. */
export function continuedAs(exchange: Exchange, other: Exchange, { next }: Listing): Exchange {
  return next.reduce((changed, place) => withPlaces(changed, [place], placeOf(other, place)), exchange);
}

/** The recording with changed pages; `change` gets each page of the listing with its position. */
export function withPages(
  recording: Recording,
  { pages }: Listing,
  change: (page: Exchange, position: number) => Exchange,
): readonly Exchange[] {
  const positions = new Map(pages.map(({ exchange }, position) => [exchange, position]));
  return recording.map((exchange, index) => {
    const position = positions.get(index);
    return position === undefined ? exchange : change(exchange, position);
  });
}

export function pageAt(recording: Recording, listing: Listing, position: number): Exchange | undefined {
  return recording[listing.pages.at(position)?.exchange ?? -1];
}

/**
 * Replaces the items on the pages. If there are more pages than before, adds requests for them to the recording.
 * @param countedOn Sets the total of a page.
 * @returns undefined if the recording doesn't show how to request one more page
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

/** Returns the last page, changed to lead to a new page, and the new page. */
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
  return [namingNext(last, value, { by: before, asks, current }, next), page];
}

/** A copy of a page that links to the page selected by `value`, in the way the first page links to the second. */
export function leadingTo(
  exchange: Exchange,
  value: string,
  recording: Recording,
  { asks, next, pages }: Listing,
): Exchange {
  const [by, second] = pages.map((page) => recording[page.exchange]);
  const current = second && asks && partValue(second.request, asks);
  return by === undefined || asks === undefined || current === undefined
    ? exchange
    : namingNext(exchange, value, { by, asks, current }, next);
}

/** Replaces the value that leads to the next page, whether the page has it by itself or in an address. */
function namingNext(
  exchange: Exchange,
  value: string,
  { by, asks, current }: { readonly by: Exchange; readonly asks: RequestPart; readonly current: string },
  next: Listing["next"],
): Exchange {
  return next.reduce((changed, place) => {
    const named = placeOf(by, place);
    if (typeof named === "boolean") return withPlaces(changed, [place], named);
    const parts = `${named}`.split(/(?<=[?&])|(?=[&#>])/);
    const asking = parts.filter((part) => decoded(part) === `${asks.name}=${current}`);
    // Another parameter, such as the page size, may have the same value.
    const text = parts
      .map((part) =>
        asking.length > 0 && !asking.includes(part)
          ? part
          : part.replaceAll(encodeURIComponent(current), encodeURIComponent(value)),
      )
      .join("");
    return withPlaces(changed, [place], typeof named === "number" ? Number(text) : text);
  }, exchange);
}
