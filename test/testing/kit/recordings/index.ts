/** Recordings of one vendor's users, one for each way in which vendors page. */
import type { Exchange } from "../../../../src/testing/kit/cassette/cassette.js";
import { get, PAGE_SIZE, pagesOf, people, post } from "./people.js";

/** Pages of users and of their licenses. Each page names the total and the token of the next page. */
export function byToken(count = 30): readonly Exchange[] {
  const users = people(count);
  const licenses = users.map(({ id }, index) => ({ id: `l-${index + 1}`, user: id, plan: "pro" }));
  return [...tokenPages("/v1/users", "users", users), ...tokenPages("/v1/licenses", "licenses", licenses)];
}

function tokenPages(path: string, key: string, items: readonly object[]) {
  return pagesOf(items).map((page, index, { length }) => {
    const token = index === 0 ? "" : `&pageToken=${key}-token-${index + 1}`;
    const next = index + 1 < length ? `${key}-token-${index + 2}` : null;
    return get(`${path}?limit=10${token}`, { [key]: page, nextPageToken: next, total: items.length });
  });
}

/** Numbered pages. Each page has its number and the number of pages, and a header with the total. */
function byPageNumber(count = 30): readonly Exchange[] {
  return pagesOf(people(count)).map((data, index, { length: pages }) =>
    get(
      `/api/users?page=${index + 1}&per_page=${PAGE_SIZE}`,
      { data, meta: { page: index + 1, pages } },
      { "x-total-count": `${count}` },
    ),
  );
}

/** A POST search for users with numeric ids. Its body has an offset, and the answer has the total. */
function byOffset(count = 30): readonly Exchange[] {
  const users = people(count).map((user, index) => ({ ...user, id: index + 1 }));
  return pagesOf(users).map((rows, index) =>
    post(
      "/search",
      { json: { type: "user", offset: index * PAGE_SIZE, limit: PAGE_SIZE } },
      { result: { rows, totalSize: count } },
    ),
  );
}

/** Each page is an array, with a Link header to the next one and no total. Asking for a token is optional. */
export function byLink(count = 30): readonly Exchange[] {
  const path = (number: number) => `/users${number === 1 ? "" : `?cursor=c${number}ff`}`;
  const link = (number: number, rel: string) => `<https://api.vendor.example${path(number)}>; rel="${rel}"`;
  const pages = pagesOf(people(count)).map((page, index, { length }) => {
    const next = index + 1 < length ? `${link(index + 2, "next")}, ` : "";
    return get(path(index + 1), page, { link: `${next}${link(1, "first")}` });
  });
  return [...pages, grant()];
}

export const QUERY =
  "query Members($first: Int!, $after: String) { organization { members(first: $first, after: $after) { totalCount edges { node { id email } } pageInfo { hasNextPage endCursor } } } }";

/** A GraphQL connection inside an object. */
function byCursor(count = 30): readonly Exchange[] {
  return pagesOf(people(count)).map((page, index, { length }) => {
    const cursorAt = (items: number) => (items === 0 ? null : `cursor-${items}`);
    const members = {
      totalCount: count,
      edges: page.map((node) => ({ node })),
      pageInfo: { hasNextPage: index + 1 < length, endCursor: cursorAt(index * PAGE_SIZE + page.length) },
    };
    return post(
      "/graphql",
      { json: { query: QUERY, variables: { first: PAGE_SIZE, after: cursorAt(index * PAGE_SIZE) } } },
      { data: { organization: { id: "o-1", members } } },
    );
  });
}

/** A token exchange, one list of ids, and a request for each user. */
function withDetails(count = 6): readonly Exchange[] {
  const users = people(count);
  return [
    grant(),
    get("/v2/users", { users: users.map(({ id }) => ({ id })) }),
    ...users.map((user) => get(`/v2/users/${user.id}`, { ...user, groups: ["staff"] })),
  ];
}

function grant(): Exchange {
  const token = { access_token: "access-token-of-the-recording", token_type: "Bearer", expires_in: 3600 };
  return post("/oauth/token", { text: "grant_type=client_credentials&client_secret=own" }, token);
}

/** One answer with a whole file. */
function csvExport(count = 30): readonly Exchange[] {
  const rows = people(count).map(({ id, displayName, email }) => `${id},${displayName},${email}`);
  const { request, response } = get("/export.csv", {}, { "content-type": "text/csv; charset=utf-8" });
  const text = `${["id,name,email", ...rows].join("\n")}\n`;
  return [{ request, response: { ...response, body: { text } } }];
}

export const RECORDINGS = {
  "by token": byToken(),
  "by page number": byPageNumber(),
  "by offset": byOffset(),
  "by link": byLink(),
  "by cursor": byCursor(),
  "with details": withDetails(),
  "csv export": csvExport(),
} satisfies Record<string, readonly Exchange[]>;

export type RecordingName = keyof typeof RECORDINGS;

/** The text of a cassette. */
export function cassetteOf(...runs: readonly (readonly Exchange[])[]): string {
  const recorded = runs.map((exchanges, i) => ({ startedAt: `2026-05-0${i + 1}T02:00:00.000Z`, exchanges }));
  return JSON.stringify({ version: 2, salt: "", kept: [], runs: recorded });
}
