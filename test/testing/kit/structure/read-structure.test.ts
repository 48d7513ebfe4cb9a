import { expect, test } from "vitest";
import { readStructure } from "../../../../src/testing/kit/structure/read-structure.js";
import { RECORDINGS } from "../recordings/index.js";
import { get } from "../recordings/people.js";

test("counts a repeated request as one page", () => {
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

/** Pages of events; each request has the number after which its page begins. */
const eventsAfter = (name: string, asked: readonly number[], size = 3) =>
  asked.map((after) => {
    const events = Array.from({ length: size }, (_, i) => ({ seq: after + i + 1, user: i + 1 }));
    return get(`/audit?${name}=${after}`, { events, more: after < (asked.at(-1) ?? 0) });
  });

test("follows the number of the last item, no matter what the field is called", () => {
  const [listing, ...others] = readStructure(eventsAfter("since", [0, 3, 6])).listings;
  expect(listing?.pages.map(({ exchange }) => exchange)).toEqual([0, 1, 2]);
  expect(listing?.asks?.name).toBe("since");
  expect(others).toEqual([]);
});

test("keeps the lists of several groups apart, even if an item has the number of a group", () => {
  const { listings } = readStructure(eventsAfter("group", [1, 3, 9]));
  expect(listings.map(({ pages }) => pages.length)).toEqual([1, 1, 1]);
});
