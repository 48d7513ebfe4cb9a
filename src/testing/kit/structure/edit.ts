/** Answers, and copies of them with something else in them. */
import type { Exchange, RecordedBody } from "../cassette/cassette.js";
import { isWithin, type JsonPath, type Leaf, leavesOf, valueAt, withValueAt } from "./json-path.js";
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

/** The values of an answer outside of its list, with the names that they go by. */
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

/** A copy with other values at some places of its answer; undefined takes the key or the header away. */
export function withPlaces(exchange: Exchange, places: readonly AnswerPlace[], value: unknown): Exchange {
  return places.reduce(
    (changed, place) =>
      place.in === "body"
        ? withBody(changed, { json: withValueAt(jsonOf(changed), place.path, value) })
        : withHeader(changed, place.name, value === undefined ? undefined : `${value}`),
    exchange,
  );
}

/** A copy that goes on, or ends, as another page of the listing does. */
export function continuedAs(exchange: Exchange, other: Exchange, { next }: Listing): Exchange {
  return next.reduce((changed, place) => withPlaces(changed, [place], placeOf(other, place)), exchange);
}

/** The recording with other pages; `change` gets each page of the listing with its position. */
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
