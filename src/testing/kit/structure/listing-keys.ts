/** Which requests belong to one listing. */
import type { Exchange } from "../cassette/cassette.js";
import { jsonOf } from "./edit.js";
import { leavesOf } from "./json-path.js";
import { isPaging, partsOf, type RequestPart } from "./request-parts.js";
import type { Recording } from "./structure.js";

const SHORTEST_TOKEN = 4;

/** What earlier answers say about later requests. */
interface Seen {
  /** Maps a request's method and address to the key of the earlier exchange whose answer links to it. */
  readonly links: Map<string, string>;
  /** Values in answers, by the address that returned them. */
  readonly values: Map<string, Set<string>>;
  /** The address and name of each request part that asks for what follows the last item. */
  readonly counting: ReadonlySet<string>;
}

/** A key for each exchange: requests with the same key differ only in the page that they ask for. */
export function listingKeys(recording: Recording): readonly string[] {
  const seen: Seen = { links: new Map(), values: new Map(), counting: countingParts(recording) };
  return recording.map((exchange) => {
    const { method, url } = exchange.request;
    const key = seen.links.get(`${method} ${url}`) ?? keyOf(exchange, seen);
    remember(exchange, key, seen);
    return key;
  });
}

function remember(exchange: Exchange, key: string, { links, values }: Seen): void {
  const { method, url } = exchange.request;
  for (const link of linksOf(exchange)) {
    const isWhole = URL.canParse(link) && link.length - new URL(link).origin.length >= SHORTEST_TOKEN;
    if (isWhole && link !== url) links.set(`${method} ${link}`, key);
  }
  const given = values.get(addressOf(exchange)) ?? new Set();
  values.set(addressOf(exchange), given);
  const asked = new Set(partsOf(exchange.request).map(({ value }) => value));
  const add = (value: unknown) => {
    if (typeof value === "string" && value.length >= SHORTEST_TOKEN && !asked.has(value)) given.add(value);
  };
  for (const value of Object.values(exchange.response.headers)) add(value);
  for (const { value } of leavesOf(jsonOf(exchange))) add(value);
}

/** Parts that always ask for what follows the last item: `since=300` after a page whose last item is number 300. */
function countingParts(recording: Recording): ReadonlySet<string> {
  const follows = new Map<string, boolean>();
  const previous = new Map<string, { readonly numbers: ReadonlySet<string>; readonly asked: string }>();
  for (const exchange of recording) {
    const numbers = new Set(lastNumbers(jsonOf(exchange)));
    for (const { in: where, name, value } of partsOf(exchange.request)) {
      const part = `${addressOf(exchange)} ${where} ${name}`;
      const page = previous.get(part);
      previous.set(part, { numbers, asked: value });
      if (page === undefined || value === page.asked) continue;
      follows.set(part, page.numbers.has(value) && follows.get(part) !== false);
    }
  }
  return new Set([...follows].flatMap(([part, isFollowing]) => (isFollowing ? [part] : [])));
}

/** The numbers in the last item of each list, in the form in which a request sends them. */
function* lastNumbers(body: unknown): Generator<string, void, undefined> {
  const fields =
    typeof body === "object" && body !== null && !Array.isArray(body) ? Object.values(body) : [body];
  for (const list of fields) {
    if (!Array.isArray(list)) continue;
    for (const { value } of leavesOf(list.at(-1))) if (Number.isSafeInteger(value)) yield `${value}`;
  }
}

function addressOf({ request }: Exchange): string {
  const { origin, pathname } = new URL(request.url);
  return `${request.method} ${origin}${pathname}`;
}

/** Addresses in an answer that look like links to a next page. */
function* linksOf(exchange: Exchange): Generator<string, void, undefined> {
  const { link } = exchange.response.headers;
  const next = link === undefined ? undefined : nextLink(link);
  if (next !== undefined) yield resolved(next, exchange);
  for (const { path, value } of leavesOf(jsonOf(exchange)))
    if (typeof value === "string" && path.some((key) => /next|continu/i.test(`${key}`)) && isAddress(value))
      yield resolved(value, exchange);
}

export function nextLink(header: string): string | undefined {
  return /<([^>]*)>\s*;[^<]*\brel="?next\b/i.exec(header)?.[1];
}

export function isAddress(value: string): boolean {
  return /^(https?:\/\/|\/|\?)/.test(value) && URL.canParse(value, "https://vendor.invalid");
}

export function resolved(address: string, { request }: Exchange): string {
  return URL.canParse(address, request.url) ? new URL(address, request.url).href : address;
}

function keyOf(exchange: Exchange, { values, counting }: Seen): string {
  const { method, url } = exchange.request;
  const parts = partsOf(exchange.request);
  const given = values.get(addressOf(exchange));
  // A value from an earlier answer at the same address is a cursor, whatever its name.
  const isToken = ({ in: where, value }: RequestPart) => where !== "path" && given?.has(value) === true;
  const isCounting = ({ in: where, name }: RequestPart) =>
    counting.has(`${addressOf(exchange)} ${where} ${name}`);
  const rest = parts.filter((part) => !isPaging(part, parts) && !isToken(part) && !isCounting(part));
  const names = rest.map(({ in: where, name, value }) => `${where} ${name}=${value}`).sort();
  return [method, new URL(url).origin, ...names].join("\n");
}
