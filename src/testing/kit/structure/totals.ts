import type { Exchange } from "../cassette/cassette.js";
import { jsonOf } from "./edit.js";
import { isWithin, type JsonPath, leavesOf, valueAt } from "./json-path.js";
import type { AnswerPlace } from "./structure.js";

const TOTAL = /total|count|size|results|records|matches|hits/i;
const PAGES = /pages|page_?count|last_?page/i;

/** Where each page tells how many items the whole list has. */
export function totalsOf(pages: readonly Exchange[], list: JsonPath, items: number): readonly AnswerPlace[] {
  return placesOfNumber(pages, list, items, (name, place) => {
    if (/page/i.test(name) || (place.in === "header" && /length/i.test(name))) return false;
    // The size of the only page is not a total.
    return /total/i.test(name) || (pages.length > 1 && TOTAL.test(name));
  });
}

/** Where each page tells how many pages there are. */
export function pageCountsOf(pages: readonly Exchange[], list: JsonPath): readonly AnswerPlace[] {
  return placesOfNumber(pages, list, pages.length, (name) => PAGES.test(name));
}

/** Where all pages have the same number. */
function placesOfNumber(
  pages: readonly Exchange[],
  list: JsonPath,
  number: number,
  isCalled: (name: string, place: AnswerPlace) => boolean,
): readonly AnswerPlace[] {
  const places: AnswerPlace[] = [];
  const [first] = pages;
  if (first === undefined) return places;
  for (const [name, value] of Object.entries(first.response.headers)) {
    const place = { in: "header", name } as const;
    if (value !== `${number}` || !isCalled(name, place)) continue;
    if (pages.every(({ response }) => response.headers[name] === value)) places.push(place);
  }
  for (const { path, value } of leavesOf(jsonOf(first))) {
    const place = { in: "body", path } as const;
    if (value !== number || isWithin(path, list) || !isCalled(path.slice(-2).join("."), place)) continue;
    if (pages.every((page) => valueAt(jsonOf(page), path) === value)) places.push(place);
  }
  return places;
}
