/** How each page of a listing leads to the next one. */
import type { Exchange } from "../cassette/cassette.js";
import { answerValues, jsonOf } from "./edit.js";
import { type JsonPath, valueAt } from "./json-path.js";
import { isAddress, nextLink, resolved } from "./listing-keys.js";
import { isPageSize, isPaging, partsOf, partValue, type RequestPart } from "./request-parts.js";
import type { AnswerPlace, Listing } from "./structure.js";

type Continuation = Pick<Listing, "next" | "asks" | "counts" | "size">;

export function continuationOf(pages: readonly Exchange[], list: JsonPath): Continuation {
  const asks = askingPart(pages);
  const size = pages.flatMap((page) => partsOf(page.request)).find(isPageSize);
  const counts = asks === undefined ? undefined : countingOf(asks, pages, list);
  return { next: nextPlaces(pages, list, asks), asks, counts, size };
}

/** The part of the requests that changes with each page after the first. */
function askingPart(pages: readonly Exchange[]): RequestPart | undefined {
  const [first, ...later] = pages.map((page) => partsOf(page.request));
  if (first === undefined) return undefined;
  const [second = first] = later;
  const varies = second.filter(
    ({ in: where, name, value }) =>
      !first.some((part) => part.in === where && part.name === name && part.value === value),
  );
  const known = varies.find((part) => isPaging(part, second)) ?? varies[0];
  return known ?? (later.length === 0 ? first.find((part) => isPaging(part, first)) : undefined);
}

function countingOf(asks: RequestPart, pages: readonly Exchange[], list: JsonPath): Listing["counts"] {
  const values = pages.map((page) => {
    const value = partValue(page.request, asks);
    return value === undefined ? undefined : Number(value);
  });
  const [first, second, third] = values;
  const from = second ?? first;
  if (from === undefined || values.some((value) => Number.isNaN(value))) return undefined;
  if (/offset|skip|start|position/i.test(asks.name)) return "items";
  const items = valueAt(jsonOf(pages[0] as Exchange), list);
  const step = third === undefined ? from - (first ?? 0) : third - from;
  return step > 1 && Array.isArray(items) && step >= items.length ? "items" : "pages";
}

/** The places where answers name the next page, or say that there is one. Last pages lack these places. */
function nextPlaces(
  pages: readonly Exchange[],
  list: JsonPath,
  asks: RequestPart | undefined,
): readonly AnswerPlace[] {
  const [first] = pages;
  const values = first === undefined ? [] : [...answerValues(first, list)];
  const isNext = ({ place, name, value }: (typeof values)[number]) => {
    if (place.in === "header" && name === "link") return nextLink(`${value}`) !== undefined;
    if (typeof value === "boolean" && place.in === "body") return isMoreFlag(place.path, pages);
    const isToken = value !== null && first !== undefined && leads(`${value}`, first, pages[1], asks);
    return isToken && (place.in === "header" || !isSameOn(place.path, pages));
  };
  return values.filter(isNext).map(({ place }) => place);
}

/** Whether a value names the next page, by its token or its address. */
function leads(
  value: string,
  page: Exchange,
  next: Exchange | undefined,
  asks: RequestPart | undefined,
): boolean {
  if (next === undefined) return false;
  if (isAddress(value) && resolved(value, page) === next.request.url) return true;
  if (asks === undefined) return false;
  const asked = partValue(next.request, asks);
  if (asked === undefined || asked === "") return false;
  const address = { method: "GET", url: resolved(value, page), headers: {} };
  return value === asked || (isAddress(value) && partValue(address, asks) === asked);
}

/** Whether a flag differs only on the last page; the flag of a single page needs a typical name instead. */
function isMoreFlag(path: JsonPath, pages: readonly Exchange[]): boolean {
  const flags = pages.map((page) => valueAt(jsonOf(page), path));
  if (!flags.every((flag) => typeof flag === "boolean")) return false;
  const last = flags.at(-1);
  if (pages.length === 1) return /more|next|last/i.test(`${path.at(-1)}`);
  return flags.slice(0, -1).every((flag) => flag !== last);
}

/** A number such as the page size may equal the next offset by chance, but it stays the same from page to page. */
function isSameOn(path: JsonPath, pages: readonly Exchange[]): boolean {
  const values = pages.map((page) => valueAt(jsonOf(page), path));
  return values.length > 1 && values.every((value) => value === values[0]);
}
