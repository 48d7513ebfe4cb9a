import { disposition } from "@saas-management/sdk";
import { fromPages, type PagesOptions, type SourcePage } from "@saas-management/sdk/sources";
import { expect, test } from "vitest";
import { locationOf } from "../../src/core/record-location.js";
import { all, refusalOf } from "../support/source-reading.js";

type FetchPage = Parameters<typeof fromPages<string>>[0];
type PageRequest = Parameters<FetchPage>[1];

/** A vendor that answers with these pages, one after the other, under tokens "2", "3", … */
function vendor(pages: readonly (readonly string[])[], rest: Partial<SourcePage<string>> = {}): FetchPage {
  return async (cursor = "1") => {
    const at = Number(cursor);
    return { items: pages[at - 1] ?? [], next: at < pages.length ? String(at + 1) : null, ...rest };
  };
}

const read = (
  pages: readonly (readonly string[])[],
  options?: PagesOptions<string, string>,
  rest?: Partial<SourcePage<string>>,
) => all(fromPages(vendor(pages, rest), options));

test("reads a listing to its last page, and yields arrays that know where each record was", async () => {
  const source = fromPages(vendor([["a", "b"], [], ["c", "d", "e"]]), {
    map: (item, place) => (item === "c" ? undefined : `${item} at ${place.location}`),
  });
  const places: (string | undefined)[] = [];
  const seen: string[] = [];
  for await (const records of source) {
    seen.push(...records);
    places.push(...records.map((_, position) => locationOf(records, position)));
  }
  expect(places).toEqual(["page 1, item 1", "page 1, item 2", "page 3, item 2", "page 3, item 3"]);
  expect(seen).toEqual(["a", "b", "d", "e"].map((item, i) => `${item} at ${places[i]}`));
  expect(source.stats).toEqual({ read: 5, skipped: 1 });
});

test("reads a listing again from the first page", async () => {
  const source = fromPages(vendor([["a"], ["b"]]));
  expect(await all(source)).toEqual(["a", "b"]);
  expect(await all(source)).toEqual(["a", "b"]);
});

test.each([[null], [undefined], [""]])("ends where next is %j", async (next) => {
  expect(await all(fromPages(async () => ({ items: ["a"], next })))).toEqual(["a"]);
});

test("accepts equal pages if allowRepeatedPages is set", async () => {
  expect(await read([["a"], ["a"]], { allowRepeatedPages: true })).toEqual(["a", "a"]);
});

test("compares the records made from the items if the items have methods", async () => {
  const pagesOf = (idsOf: (page: number) => readonly string[]) => {
    const fetchPage = async (_: string | undefined, { page }: PageRequest) => ({
      items: idsOf(page).map((id) => ({ id, refresh() {} })),
      next: page < 4 ? String(page + 1) : null,
    });
    return all(fromPages(fetchPage, { map: ({ id }) => (id === "x" ? undefined : { id }) }));
  };
  const { error, issue } = await refusalOf(pagesOf(() => ["u1", "u2"]));
  expect(issue).toMatchObject({ location: "page 2" });
  expect(disposition(error)).toBe("retry-after");
  expect(await pagesOf((page) => [`u${page}`])).toHaveLength(4);
  // Pages whose items are all left out don't count as repeated.
  expect(await pagesOf(() => ["x"])).toEqual([]);
});

test("accepts items that cannot be compared", async () => {
  const items = [() => 1];
  const pages = fromPages(async (cursor) => ({ items, next: cursor === undefined ? "2" : null }));
  expect(await all(pages)).toHaveLength(2);
});

test("loses nothing if the vendor's client reuses one array and its items", async () => {
  const pages = [["a", "b"], ["c", "d"], ["e"]];
  const refilled = [{ id: "" }, { id: "" }];
  const fetchPage = async (cursor = "1") => {
    const number = Number(cursor);
    const ids = pages[number - 1] ?? [];
    for (const [i, id] of ids.entries()) Object.assign(refilled[i] ?? {}, { id });
    refilled.length = ids.length;
    return { items: refilled, next: number < pages.length ? String(number + 1) : null, total: 5 };
  };
  const seen: string[] = [];
  for await (const records of fromPages(fetchPage)) seen.push(...records.map(({ id }) => id));
  expect(seen).toEqual(["a", "b", "c", "d", "e"]);
});

test.each<[string, () => Promise<unknown>, string]>([
  [
    "repeats a token",
    () => {
      const next: Record<string, string> = { "": "A", A: "B", B: "A" };
      return all(fromPages(async (cursor = "") => ({ items: [cursor], next: next[cursor] })));
    },
    "page 3",
  ],
  ["repeats a page under a new token", () => read([["a", "b"], ["c"], ["a", "b"]]), "page 3"],
  ["has more pages than maxPages", () => read([["a"], ["b"], ["c"]], { maxPages: 2 }), "page 2"],
  ["has empty pages without end", () => read([["a"], [], [], [], ["b"]], { maxEmptyPages: 2 }), "page 4"],
  ["has fewer items than its total", () => read([["a"], ["b"]], {}, { total: 3 }), "page 2"],
  ["has more items than its total", () => read([["a"], ["b"]], {}, { total: 1 }), "page 2"],
  [
    "has a total that shrinks",
    () =>
      all(
        fromPages(async (cursor) =>
          cursor === undefined ? { items: ["a"], next: "2", total: 2 } : { items: [], total: 1 },
        ),
      ),
    "page 2",
  ],
])("rejects a listing that %s, and names the page", async (_, reading, location) => {
  expect((await refusalOf(reading())).issue).toMatchObject({ location });
});

test.each<[string, unknown]>([
  ["an error page", { error: { message: "rate limited s3cret" } }],
  ["items that are not an array", { items: "s3cret" }],
  ["nothing", undefined],
  ["a next that is a number", { items: [], next: 17 }],
  ["a total that is a string", { items: [], total: "17" }],
])("rejects %s in place of a page", async (_, page) => {
  const source: AsyncIterable<readonly unknown[]> = Reflect.apply(fromPages, undefined, [async () => page]);
  const { error, issue } = await refusalOf(all(source));
  expect(issue).toMatchObject({ location: "page 1" });
  expect(error.message).not.toContain("s3cret");
});

test("passes the page number, and a signal that fires when the page is no longer needed", async () => {
  const requests: PageRequest[] = [];
  const source = fromPages(async (_cursor, request) => {
    requests.push(request);
    if (request.page === 2) {
      await new Promise((_, reject) =>
        request.signal.addEventListener("abort", () => reject(request.signal.reason)),
      );
    }
    return { items: ["a"], next: `after ${request.page}` };
  });
  const iterator = source[Symbol.asyncIterator]();
  await iterator.next();
  const second = iterator.next().catch(() => {});
  await iterator.return?.();
  await second;
  expect(requests.map(({ page, signal }) => [page, signal.aborted])).toEqual([
    [1, true],
    [2, true],
  ]);
});

test("rethrows the error of fetchPage", async () => {
  const own = new Error("HTTP 503");
  const source = fromPages(async (cursor) => {
    if (cursor !== undefined) throw own;
    return { items: ["a"], next: "2" };
  });
  const iterator = source[Symbol.asyncIterator]();
  await iterator.next();
  await expect(iterator.next()).rejects.toBe(own);
});

test.each<[string, (stop: () => void) => Promise<SourcePage<string>>]>([
  [
    "before the page arrived",
    async (stop) => {
      stop();
      return { items: ["a"] };
    },
  ],
  [
    "while a page never arrives",
    (stop) => {
      setImmediate(stop);
      return new Promise(() => {});
    },
  ],
])("rejects with the signal's reason if the signal fired %s", async (_, fetchPage) => {
  const stop = new AbortController();
  const reason = new Error("SIGTERM");
  const source = fromPages<string>(() => fetchPage(() => stop.abort(reason)), { signal: stop.signal });
  await expect(all(source)).rejects.toBe(reason);
});
