/** Mistakes about a listing: where it ends, how its pages follow each other, and what it counts. */
import { QUERY } from "../recordings/index.js";
import {
  END,
  events,
  eventsWithoutIds,
  itemsByToken,
  jsonOf,
  nextOf,
  numberedPage,
  type Planted,
  pageOf,
  post,
  StatusError,
  send,
  tokenPage,
  type User,
  usersByLink,
  usersOf,
} from "./vendor.js";

const linked = async (path: string) => pageOf(await send(path));

/** A page of `by offset`. @throws {Error} the total is not that of the previous page */
async function searched(offset: number, before: number | undefined) {
  const { result } = await jsonOf(await post("/search", { type: "user", offset, limit: 10 }));
  const total: number = result.totalSize;
  if (!Number.isInteger(total) || total !== (before ?? total)) throw new Error("The total has changed.");
  return { rows: usersOf(result.rows), total };
}

/** Users by token, with an address if they have a license. */
function licensed(read: () => Promise<readonly object[]>): Planted {
  return events("by token", async () => {
    const users = await itemsByToken();
    const holders = new Set((await read()).map((license) => `${Reflect.get(license, "user")}`));
    return users.map((user) => ({ ...user, email: holders.has(user.id) ? user.email : "none" }));
  });
}

/** The licenses that `read` finds in all pages. */
async function licensesOf(
  read: (page: { licenses?: readonly User[]; total?: number }) => readonly User[],
): Promise<readonly User[]> {
  const licenses: User[] = [];
  for (let token = ""; ; ) {
    const page = await jsonOf(await send(`/v1/licenses?limit=10${token}`));
    licenses.push(...read(page));
    if (!page.nextPageToken) return licenses;
    token = `&pageToken=${page.nextPageToken}`;
  }
}

export const OF_LISTINGS: Readonly<Record<string, Planted>> = {
  "unread-page: ignores relative links": events("by token", async () => {
    const { users, next } = await tokenPage();
    if (URL.canParse(next ?? "")) throw new Error("Never reached: the next page has no address.");
    return users;
  }),
  "empty-page-between: stops at an empty page": events("by link", () =>
    usersByLink(async (path) => {
      const page = await linked(path);
      return page.users.length === 0 ? END : page;
    }),
  ),
  "last-page-lost: ignores the total": events("by token", async () => {
    const users: User[] = [];
    const seen = new Set<string>();
    for (let token = ""; ; ) {
      const page = await tokenPage(token);
      users.push(...page.users);
      if (page.next === undefined) return users;
      if (seen.has(page.next)) throw new Error("The token was there before.");
      seen.add(page.next);
      token = page.next;
    }
  }),
  "next-repeated: follows a page to itself": events("by link", async () => {
    const users: User[] = [];
    for (let path: string | undefined = "/users"; path !== undefined; ) {
      const page = await linked(path);
      users.push(...page.users);
      path = page.next;
    }
    return users;
  }),
  "pages-swapped: takes users for known that come behind younger ones": events("by link", async () => {
    const users: User[] = [];
    for (const user of await usersByLink())
      if (user.updatedAt >= (users.at(-1)?.updatedAt ?? "")) users.push(user);
    return users;
  }),
  "everything-on-one-page: has room for twice a page": events("by link", () =>
    usersByLink(async (path) => {
      const { users, next } = await linked(path);
      return { users: users.slice(0, 20), next };
    }),
  ),
  "page-size-halved: counts by the page size that it asked for": events("by offset", async () => {
    const users: User[] = [];
    let total: number | undefined;
    for (let offset = 0; offset < (total ?? 1); offset += 10) {
      const page = await searched(offset, total);
      total = page.total;
      if (page.rows.length === 0) throw new Error("The page is empty.");
      users.push(...page.rows);
    }
    return users;
  }),
  "offset-shifted-by-deletions: believes the last total": events("by page number", async () => {
    const users = new Map<string, User>();
    for (let number = 1; ; number += 1) {
      const page = await numberedPage(number);
      for (const user of page.users) users.set(user.id, user);
      if (number < page.pages) continue;
      if (users.size !== page.total) throw new Error(`Read ${users.size} of ${page.total}.`);
      return [...users.values()];
    }
  }),
  "total-missing: trusts the total": events("by token", async () => {
    let page = await tokenPage();
    const users = [...page.users];
    while (users.length < page.total) {
      if (page.next === undefined) throw new Error("The listing ends too early.");
      page = await tokenPage(page.next);
      users.push(...page.users);
    }
    return users;
  }),
  "items-repeated-on-page: counts an item that comes twice": eventsWithoutIds("by link", () => usersByLink()),
  "list-null: takes null for an empty page": events("by link", () =>
    usersByLink(async (path) => {
      const response = await send(path);
      return { users: usersOf((await jsonOf(response)) ?? []), next: nextOf(response) };
    }),
  ),
  "graphql-partial: looks at the data of GraphQL, and never at its errors": events("by cursor", async () => {
    const users: User[] = [];
    for (let after: string | null = null; ; ) {
      const { data, errors } = await jsonOf(
        await post("/graphql", { query: QUERY, variables: { first: 10, after } }),
      );
      const { edges, pageInfo, totalCount } = data.organization.members;
      if (edges === null && errors !== undefined) return users;
      for (const { node } of edges) users.push(node);
      if (!pageInfo.hasNextPage) {
        if (users.length !== totalCount) throw new Error(`Read ${users.length} of ${totalCount}.`);
        return users;
      }
      if (after === pageInfo.endCursor) throw new Error("The cursor was there before.");
      after = pageInfo.endCursor;
    }
  }),
  "other-list-500: takes a second listing that fails for an empty one": licensed(() =>
    itemsByToken("licenses").catch((error): readonly User[] => {
      if (error instanceof StatusError) return [];
      throw error;
    }),
  ),
  "other-list-empty-object: takes an empty object for an empty second listing": licensed(() =>
    licensesOf((page) => (Object.keys(page).length === 0 ? [] : usersOf(page.licenses))),
  ),
  "other-list-missing: takes a second listing without its list for an empty one": licensed(() =>
    licensesOf(({ licenses, total }) => {
      if (!Number.isInteger(total)) throw new Error("The page has no total.");
      return licenses ?? [];
    }),
  ),
};
