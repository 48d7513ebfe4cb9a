import { expect, test } from "vitest";
import { readStructure } from "../../../../src/testing/kit/structure/read-structure.js";
import { RECORDINGS } from "../recordings/index.js";
import { get } from "../recordings/people.js";

const PAGES_OF_TEN = [10, 10, 10];

test.each([
  {
    recording: "by token",
    name: "GET /v1/users",
    list: ["users"],
    next: [{ in: "body", path: ["nextPageToken"] }],
    totals: [{ in: "body", path: ["total"] }],
    asks: "query pageToken",
    counts: undefined,
    size: "query limit",
    id: ["id"],
  },
  {
    recording: "by page number",
    name: "GET /api/users",
    list: ["data"],
    next: [],
    totals: [{ in: "header", name: "x-total-count" }],
    asks: "query page",
    counts: "pages",
    size: "query per_page",
    id: ["id"],
  },
  {
    recording: "by offset",
    name: "POST /search",
    list: ["result", "rows"],
    next: [],
    totals: [{ in: "body", path: ["result", "totalSize"] }],
    asks: "json offset",
    counts: "items",
    size: "json limit",
    id: ["id"],
  },
  {
    recording: "by link",
    name: "GET /users",
    list: [],
    next: [{ in: "header", name: "link" }],
    totals: [],
    asks: "query cursor",
    counts: undefined,
    size: undefined,
    id: ["id"],
  },
  {
    recording: "by cursor",
    name: "POST /graphql",
    list: ["data", "organization", "members", "edges"],
    next: [
      { in: "body", path: ["data", "organization", "members", "pageInfo", "hasNextPage"] },
      { in: "body", path: ["data", "organization", "members", "pageInfo", "endCursor"] },
    ],
    totals: [{ in: "body", path: ["data", "organization", "members", "totalCount"] }],
    asks: "json variables.after",
    counts: undefined,
    size: "json variables.first",
    id: ["node", "id"],
  },
] as const)("finds the pages of a listing $recording", ({ recording, ...expected }) => {
  const { listings } = readStructure(RECORDINGS[recording]);
  const [listing] = listings;
  expect(listing?.pages.map(({ items }) => items.length)).toEqual(PAGES_OF_TEN);
  expect(listing?.pages.map(({ exchange }) => exchange)).toEqual([0, 1, 2]);
  const partName = (part: { in: string; name: string } | undefined) => part && `${part.in} ${part.name}`;
  expect({ ...listing, asks: partName(listing?.asks), size: partName(listing?.size) }).toMatchObject(
    expected,
  );
});

test("finds each listing of a recording", () => {
  const { listings } = readStructure(RECORDINGS["by token"]);
  expect(listings.map(({ name }) => name)).toEqual(["GET /v1/users", "GET /v1/licenses"]);
});

test("tells a token, a list and details apart", () => {
  const { token, listings, details } = readStructure(RECORDINGS["with details"]);
  expect(token).toBe(0);
  expect(listings.map(({ name, pages }) => [name, pages.length])).toEqual([["GET /v2/users", 1]]);
  expect(details).toEqual([2, 3, 4, 5, 6, 7]);
});

test("takes a file as one text", () => {
  expect(readStructure(RECORDINGS["csv export"])).toMatchObject({ listings: [], texts: [0] });
});

test("takes what was asked again for one page", () => {
  const [first, ...others] = RECORDINGS["by link"];
  if (first === undefined) throw new Error("The recording is empty.");
  const failed = { ...first, response: { ...first.response, status: 503 } };
  const recording = [failed, first, first, ...others];
  const [listing] = readStructure(recording).listings;
  expect(listing?.pages.map(({ exchange }) => exchange)).toEqual([1, 3, 4]);
});

test("follows addresses that differ in their path", () => {
  const pages = ["/users/start", "/users/k7f3", "/users/p2q9"];
  const recording = pages.map((path, index) =>
    get(path, { users: [{ id: `u${index}` }], nextUrl: pages[index + 1] ?? null }),
  );
  const [listing] = readStructure(recording).listings;
  expect(listing?.pages.map(({ exchange }) => exchange)).toEqual([0, 1, 2]);
  expect(listing?.next).toEqual([{ in: "body", path: ["nextUrl"] }]);
});

/** Pages of events, each asked for with a number. */
const eventsAfter = (name: string, asked: readonly number[], size = 3) =>
  asked.map((after) => {
    const events = Array.from({ length: size }, (_, i) => ({ seq: after + i + 1, user: i + 1 }));
    return get(`/audit?${name}=${after}`, { events, more: after < (asked.at(-1) ?? 0) });
  });

test("follows the number of the last item, under whatever name", () => {
  const [listing, ...others] = readStructure(eventsAfter("since", [0, 3, 6])).listings;
  expect(listing?.pages.map(({ exchange }) => exchange)).toEqual([0, 1, 2]);
  expect(listing?.asks?.name).toBe("since");
  expect(others).toEqual([]);
});

test("takes lists of several groups for several, although an item has the number of a group", () => {
  const { listings } = readStructure(eventsAfter("group", [1, 3, 9]));
  expect(listings.map(({ pages }) => pages.length)).toEqual([1, 1, 1]);
});
