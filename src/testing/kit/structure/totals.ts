import type { Exchange } from "../cassette/cassette.js";
import { answerValues, placeOf } from "./edit.js";
import type { JsonPath } from "./json-path.js";
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
  const [first] = pages;
  const values = first === undefined ? [] : [...answerValues(first, list)];
  return values
    .filter(({ place, value }) => value === (place.in === "header" ? `${number}` : number))
    .filter(({ place, name }) => isCalled(name, place))
    .filter(({ place, value }) => pages.every((page) => placeOf(page, place) === value))
    .map(({ place }) => place);
}
