import { isPlainObject } from "../../../core/validate.js";
import type { Exchange } from "../cassette/cassette.js";
import { continuationOf } from "./continuation.js";
import { answerValues, isSuccess, jsonOf, placeOf } from "./edit.js";
import { type JsonPath, valueAt } from "./json-path.js";
import { listingKeys } from "./listing-keys.js";
import { isPaging, partsOf } from "./request-parts.js";
import type { AnswerPlace, Listing, Page, Recording, Structure } from "./structure.js";

/** Finds a recording's listings, details, texts and access token. */
export function readStructure(recording: Recording): Structure {
  const keys = listingKeys(recording);
  const asked = new Set<string>();
  const groups = new Map<string, number[]>();
  for (const [index, exchange] of recording.entries()) {
    if (!isSuccess(exchange) || asked.has(identityOf(exchange))) continue;
    // A repeated request, for example after a failure, counts as the same page.
    asked.add(identityOf(exchange));
    const group = groups.get(keys[index] ?? "") ?? [];
    groups.set(keys[index] ?? "", group);
    group.push(index);
  }
  const listings: Listing[] = [];
  const details: number[] = [];
  const texts: number[] = [];
  let token: number | undefined;
  for (const group of groups.values()) {
    const listing = listingOf(group, recording);
    if (listing !== undefined) {
      listings.push(listing);
      continue;
    }
    for (const index of group) {
      const exchange = recording[index];
      if (exchange === undefined) continue;
      const json = jsonOf(exchange);
      if (isPlainObject(json) && typeof json["access_token"] === "string") token ??= index;
      else if ("text" in exchange.response.body) texts.push(index);
      else if (isPlainObject(json)) details.push(index);
    }
  }
  const size = ({ pages }: Listing) => pages.length * 1_000_000 + pages.flatMap(({ items }) => items).length;
  const named = listings.map((listing) => ({ ...listing, name: nameOf(listing, listings, recording) }));
  return { listings: named.sort((a, b) => size(b) - size(a)), details, texts, token };
}

/** Adds the parts of a request that distinguish a listing from others at its address: `GET /v1/records?kind=group`. */
function nameOf(listing: Listing, all: readonly Listing[], recording: Recording): string {
  const partsOfFirst = ({ pages }: Listing) => {
    const exchange = recording[pages[0]?.exchange ?? -1];
    return exchange === undefined ? [] : partsOf(exchange.request);
  };
  const others = all.filter((other) => other !== listing && other.name === listing.name).map(partsOfFirst);
  if (others.length === 0) return listing.name;
  const own = partsOfFirst(listing).filter(
    (part, _, parts) =>
      !isPaging(part, parts) &&
      others.some((of) => !of.some(({ name, value }) => name === part.name && value === part.value)),
  );
  return `${listing.name}?${own.map(({ name, value }) => `${name}=${value.slice(0, 40)}`).join("&")}`;
}

function listingOf(group: readonly number[], recording: Recording): Listing | undefined {
  const exchanges = group.flatMap((index) => recording[index] ?? []);
  const [first] = exchanges;
  if (first === undefined || !exchanges.every(({ response }) => "json" in response.body)) return undefined;
  const list = itemListOf(exchanges.map(jsonOf));
  if (list === undefined) return undefined;
  const pages: Page[] = group.map((exchange, position) => {
    const items = valueAt(jsonOf(exchanges[position] ?? first), list);
    return { exchange, items: Array.isArray(items) ? items : [] };
  });
  const items = pages.flatMap((page) => page.items);
  const { method, url } = first.request;
  return {
    name: `${method} ${new URL(url).pathname}`,
    pages,
    list,
    id: idOf(items),
    ...continuationOf(exchanges, list),
    totals: totalsOf(exchanges, list, items.length),
    pageCounts: pageCountsOf(exchanges, list),
  };
}

function identityOf({ request }: Exchange): string {
  return `${request.method} ${request.url} ${JSON.stringify(request.body ?? null)}`;
}

const TOTAL = /total|count|size|results|records|matches|hits/i;
const PAGES = /pages|page_?count|last_?page/i;

/** Where each page states the number of items in the whole list. */
function totalsOf(pages: readonly Exchange[], list: JsonPath, items: number): readonly AnswerPlace[] {
  return placesOfNumber(pages, list, items, (name, place) => {
    if (/page/i.test(name) || (place.in === "header" && /length/i.test(name))) return false;
    // The size of the only page isn't a total.
    return /total/i.test(name) || (pages.length > 1 && TOTAL.test(name));
  });
}

/** Where each page states the number of pages. */
function pageCountsOf(pages: readonly Exchange[], list: JsonPath): readonly AnswerPlace[] {
  return placesOfNumber(pages, list, pages.length, (name) => PAGES.test(name));
}

/** The places where all pages state the given number. */
function placesOfNumber(
  pages: readonly Exchange[],
  list: JsonPath,
  number: number,
  isCalled: (name: string, place: AnswerPlace) => boolean,
): readonly AnswerPlace[] {
  const [first] = pages;
  const values = first === undefined ? [] : [...answerValues(first, list)];
  return values
    .filter(({ place, value }) => value === (place.in === "header" ? `${number}` : number))
    .filter(({ place, name }) => isCalled(name, place))
    .filter(({ place, value }) => pages.every((page) => placeOf(page, place) === value))
    .map(({ place }) => place);
}

const ID_NAMES = /^(id|_id|uuid|guid|key|sourceId|source_id)$/i;
const ID_LIKE = /(_id|Id|ID)$|^(email|mail|login|username|userName|user_name|name)$/;

/** Path of the array that holds the items on all pages; undefined if there is none. */
function itemListOf(bodies: readonly unknown[]): JsonPath | undefined {
  const paths = new Map<string, JsonPath>();
  for (const body of bodies) for (const path of arraysOf(body)) paths.set(path.join("\n"), path);
  let best: { path: JsonPath; score: number } | undefined;
  for (const path of paths.values()) {
    const lists = bodies.map((body) => valueAt(body, path));
    if (!lists.every((list) => list === null || Array.isArray(list))) continue;
    const items = lists.flat();
    if (bodies.length === 1 && isInsideItem(bodies[0], path)) continue;
    const areObjects = items.every(isPlainObject);
    if (bodies.length === 1 && !areObjects) continue;
    const score = (areObjects ? 1_000_000 : 0) + items.length * 10 - path.length;
    if (best === undefined || score > best.score) best = { path, score };
  }
  return best?.path;
}

function* arraysOf(value: unknown, path: JsonPath = []): Generator<JsonPath, void, undefined> {
  if (Array.isArray(value)) yield path;
  else if (isPlainObject(value))
    for (const [key, inner] of Object.entries(value))
      if (key !== "errors" && key !== "warnings") yield* arraysOf(inner, [...path, key]);
}

/** Whether the object around a list has an id: if so, it's a single item that has a list, such as a user with roles. */
function isInsideItem(body: unknown, path: JsonPath): boolean {
  if (path.length === 0) return false;
  const around = valueAt(body, path.slice(0, -1));
  return isPlainObject(around) && Object.keys(around).some((key) => ID_NAMES.test(key));
}

/** Path of an id that is unique among the items. */
function idOf(items: readonly unknown[]): JsonPath | undefined {
  const candidates = [...idPaths(items[0])];
  const unique = candidates.filter((path) => {
    const ids = items.map((item) => valueAt(item, path));
    return (
      ids.every((id) => (typeof id === "string" && id !== "") || typeof id === "number") &&
      new Set(ids).size === ids.length
    );
  });
  return unique.find((path) => ID_NAMES.test(`${path.at(-1)}`)) ?? unique[0];
}

function* idPaths(item: unknown, path: JsonPath = []): Generator<JsonPath, void, undefined> {
  if (!isPlainObject(item) || path.length > 1) return;
  for (const [key, value] of Object.entries(item)) {
    if (isPlainObject(value)) yield* idPaths(value, [...path, key]);
    else if (ID_NAMES.test(key) || ID_LIKE.test(key)) yield [...path, key];
  }
}
