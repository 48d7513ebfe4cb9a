import { get, PAGE_SIZE, pagesOf, people } from "./people.js";

/** Numbered pages; each tells its number, how many there are, and the total in a header. */
export function byPageNumber(count = 30) {
  const users = people(count);
  const pages = pagesOf(users);
  return pages.map((data, index) =>
    get(
      `/api/users?page=${index + 1}&per_page=${PAGE_SIZE}`,
      { data, meta: { page: index + 1, pages: pages.length } },
      { "x-total-count": `${users.length}` },
    ),
  );
}
