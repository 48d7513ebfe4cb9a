import { get, ORIGIN, pagesOf, people } from "./people.js";

/** An array a page, and the address of the next page in a Link header; no total. */
export function byLink(count = 30) {
  const pages = pagesOf(people(count));
  return pages.map((page, index) => {
    const path = (number: number) => `/users${number === 1 ? "" : `?cursor=c${number}ff`}`;
    const first = `<${ORIGIN}${path(1)}>; rel="first"`;
    const isLast = index + 1 === pages.length;
    const link = isLast ? first : `<${ORIGIN}${path(index + 2)}>; rel="next", ${first}`;
    return get(path(index + 1), page, { link });
  });
}
