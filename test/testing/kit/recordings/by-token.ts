import { get, pagesOf, people } from "./people.js";

/** Pages of users and of their licenses; each names the token of the next one, and the total. */
export function byToken(count = 30) {
  const users = people(count);
  const licenses = users.map(({ id }, index) => ({ id: `l-${index + 1}`, user: id, plan: "pro" }));
  return [...listing("/v1/users", "users", users), ...listing("/v1/licenses", "licenses", licenses)];
}

function listing(path: string, key: string, items: readonly { readonly id: string }[]) {
  const pages = pagesOf(items);
  return pages.map((page, index) => {
    const tokenOf = (number: number) => `${key}-token-${number}`;
    const token = index === 0 ? "" : `&pageToken=${tokenOf(index + 1)}`;
    const next = index + 1 < pages.length ? tokenOf(index + 2) : null;
    return get(`${path}?limit=10${token}`, { [key]: page, nextPageToken: next, total: items.length });
  });
}
