import {
  fromPages,
  InvalidInputError,
  LOCATE,
  type Page,
  type PageRequest,
  type PagesOptions,
} from "@saas-management/sdk/sources";
import { describe, expect, it } from "vitest";
import { all } from "./files.js";

/** A vendor that answers with these pages, one after the other, under tokens "2", "3", … */
function vendor(pages: readonly (readonly string[])[], rest: Partial<Page<string>> = {}) {
  return async (cursor: string | undefined): Promise<Page<string>> => {
    const at = cursor === undefined ? 0 : Number(cursor) - 1;
    return { items: pages[at] ?? [], next: at + 1 < pages.length ? String(at + 2) : null, ...rest };
  };
}

const read = (pages: readonly (readonly string[])[], options?: PagesOptions, rest?: Partial<Page<string>>) =>
  all(fromPages(vendor(pages, rest), options));

describe("a vendor's pages", () => {
  it("are read to the last one, each as an array that knows the places of its records", async () => {
    const source = fromPages(vendor([["a", "b"], [], ["c", "d", "e"]]), {
      map: (item, place) => (item === "c" ? undefined : `${item} at ${place.location}`),
    });
    const places: string[] = [];
    const seen: string[] = [];
    for await (const records of source) {
      seen.push(...records);
      places.push(...records.map((_, position) => records[LOCATE](position)));
    }
    expect(places).toEqual(["page 1, item 1", "page 1, item 2", "page 3, item 2", "page 3, item 3"]);
    expect(seen).toEqual(["a", "b", "d", "e"].map((item, i) => `${item} at ${places[i]}`));
    expect(source.figures).toEqual({ pages: 3, read: 5, leftOut: 1 });
  });

  it("can be read again from the first one, as a restart of a run does", async () => {
    const source = fromPages(vendor([["a"], ["b"]]));
    expect(await all(source)).toEqual(["a", "b"]);
    expect(await all(source)).toEqual(["a", "b"]);
  });

  it.each([[null], [undefined], [""]])("end where next is %j", async (next) => {
    expect(await all(fromPages(async () => ({ items: ["a"], next })))).toEqual(["a"]);
  });

  it("may be equal where that is said to be right", async () => {
    expect(await read([["a"], ["a"]], { allowRepeatedPages: true })).toEqual(["a", "a"]);
  });

  it.each([false, true])(
    "are held against each other by their records where an item has a method, prefetch %s",
    async (prefetch) => {
      const pagesOf =
        (ids: (page: number) => readonly string[]) =>
        async (_: string | undefined, { page }: PageRequest) => ({
          items: ids(page).map((id) => ({ id, refresh() {} })),
          next: page < 4 ? String(page + 1) : null,
        });
      const map = ({ id }: { readonly id: string }) => (id === "x" ? undefined : { generic: { id } });
      const repeated = fromPages(
        pagesOf(() => ["u1", "u2"]),
        { map, prefetch },
      );
      await expect(all(repeated)).rejects.toThrow(/^page 2 has the same records as page 1/);
      const different = fromPages(
        pagesOf((page) => [`u${page}`]),
        { map, prefetch },
      );
      expect(await all(different)).toHaveLength(4);
      // What is left out on every page tells nothing of the pages.
      expect(
        await all(
          fromPages(
            pagesOf(() => ["x"]),
            { map, prefetch },
          ),
        ),
      ).toEqual([]);
    },
  );

  it("may hold what cannot be compared", async () => {
    const items = [() => 1];
    const pages = fromPages(async (cursor) => ({ items, next: cursor === undefined ? "2" : null }));
    expect(await all(pages)).toHaveLength(2);
  });
});

describe("a vendor's client that fills one array anew for each page", () => {
  it.each([false, true])("loses nothing, with prefetch %s", async (prefetch) => {
    const pages = [["a", "b"], ["c", "d"], ["e"]];
    const items: string[] = [];
    const fetchPage = async (cursor = "0") => {
      const next = Number(cursor) + 1;
      items.splice(0, items.length, ...(pages[next - 1] ?? []));
      return { items, next: next < pages.length ? String(next) : null, total: 5 };
    };
    expect(await all(fromPages(fetchPage, { prefetch }))).toEqual(["a", "b", "c", "d", "e"]);
  });
});

describe("the end is not believed, and the page is named, where", () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      "a token comes again",
      () => {
        const next: Record<string, string> = { "": "A", A: "B", B: "A" };
        return all(fromPages(async (cursor = "") => ({ items: [cursor], next: next[cursor] })));
      },
      /^page 3 has the token that led to page 2/,
    ],
    [
      "a page comes again under a new token",
      () => read([["a", "b"], ["c"], ["a", "b"]]),
      /^page 3 has the same items as page 1/,
    ],
    [
      "there are more pages than maxPages",
      () => read([["a"], ["b"], ["c"]], { maxPages: 2 }),
      /^page 2 is not the last one, but maxPages is 2/,
    ],
    [
      "empty pages go on and on",
      () => read([["a"], [], [], [], ["b"]], { maxEmptyPages: 2 }),
      /^page 4 is empty, as are the 2 before it/,
    ],
    [
      "the vendor's total is larger",
      () => read([["a"], ["b"]], {}, { total: 3 }),
      /^page 2 is the last one, with 2 items in all, but the total is 3/,
    ],
    [
      "the vendor's total is smaller",
      () => read([["a"], ["b"]], {}, { total: 1 }),
      /with 2 items in all, but the total is 1/,
    ],
    [
      "the expected total differs, although the vendor's does not",
      () => read([["a"]], { expectedTotal: 2 }, { total: 1 }),
      /with 1 items in all, but the total is 2/,
    ],
  ])("%s", async (_, reading, expected) => {
    await expect(reading()).rejects.toThrow(InvalidInputError);
    await expect(reading()).rejects.toThrow(expected);
  });

  it.each<[string, unknown, RegExp]>([
    [
      "the answer is an error page",
      { error: { message: "rate limited s3cret" } },
      /^page 1 has no array of items/,
    ],
    ["the items are no array", { items: "s3cret" }, /^page 1 has no array of items/],
    ["there is no answer", undefined, /^page 1 is not an object/],
    ["next is a number", { items: [], next: 17 }, /^page 1 has a next that is neither/],
    ["the total is a text", { items: [], total: "17" }, /^page 1 has a total that is not/],
  ])("%s", async (_, page, expected) => {
    const source: AsyncIterable<readonly unknown[]> = Reflect.apply(fromPages, undefined, [async () => page]);
    await expect(all(source)).rejects.toThrow(expected);
    await expect(all(source)).rejects.not.toThrow(/s3cret/);
  });
});

describe("a page is asked for", () => {
  it("with its number, and a signal that fires when nobody wants it any more", async () => {
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

  it("only when it is wanted, or one ahead", async () => {
    for (const prefetch of [false, true]) {
      let asked = 0;
      const fetch = vendor([["a"], ["b"], ["c"]]);
      const source = fromPages(
        (cursor) => {
          asked += 1;
          return fetch(cursor);
        },
        { prefetch },
      );
      const iterator = source[Symbol.asyncIterator]();
      await iterator.next();
      expect(asked).toBe(prefetch ? 2 : 1);
      await iterator.return?.();
    }
  });

  it("and a failure comes back unchanged, also of one that was asked for ahead", async () => {
    const own = new Error("HTTP 503");
    for (const prefetch of [false, true]) {
      const source = fromPages(
        async (cursor) => {
          if (cursor !== undefined) throw own;
          return { items: ["a"], next: "2" };
        },
        { prefetch },
      );
      const iterator = source[Symbol.asyncIterator]();
      await iterator.next();
      await expect(iterator.next()).rejects.toBe(own);
    }
  });

  it("no more after the signal fired, and the reading ends with its reason", async () => {
    const stop = new AbortController();
    const reason = new Error("SIGTERM");
    const source = fromPages(
      async () => {
        stop.abort(reason);
        return { items: ["a"] };
      },
      { signal: stop.signal },
    );
    await expect(all(source)).rejects.toBe(reason);
  });
});

it("a signal ends the reading also while a page is waited for that never comes", async () => {
  const stop = new AbortController();
  const reason = new Error("SIGTERM");
  const hanging = fromPages<string>(
    () => {
      setImmediate(() => stop.abort(reason));
      return new Promise(() => {});
    },
    { signal: stop.signal },
  );
  await expect(all(hanging)).rejects.toBe(reason);
});
