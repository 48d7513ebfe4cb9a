import { describe, expect, test } from "vitest";
import { license, plan, startServer } from "./graphql-setup.js";

interface Page {
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly totalCount: number;
}

const document = `
  query ($first: Int, $after: String, $last: Int, $before: String, $order: [LicenseSortInput!]) {
    licenses(first: $first, after: $after, last: $last, before: $before, order: $order) {
      nodes { id }
      edges { cursor node { id } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      totalCount
    }
  }`;

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `l${String(i).padStart(4, "0")}`);
const idsOf = (page: Page): string[] => page.nodes.map(({ id }) => id.replace("i1:", ""));

async function startWithLicenses(count: number, pageSize?: number) {
  const server = await startServer(pageSize === undefined ? {} : { pageSize });
  const setIds = (ids: readonly string[]) =>
    server.installation.set({ licenses: ids.map((id) => license(id, "nobody", id < "l0005" ? "p1" : "p2")) });
  server.installation.set({ plans: [plan("p1", "Basic"), plan("p2", "Pro")] });
  setIds(numbered(count).reverse());
  const page = async (variables: Readonly<Record<string, unknown>>): Promise<Page> =>
    (await server.query<{ licenses: Page }>(document, variables)).licenses;
  const errorOf = async (variables: Readonly<Record<string, unknown>>) => {
    const { status, data, errors } = await server.send<{ licenses: null }>(document, variables);
    expect(status).toBe(200);
    expect(data.licenses).toBeNull();
    expect(errors?.[0]?.path).toEqual(["licenses"]);
    return { code: errors?.[0]?.extensions.code, message: errors?.[0]?.message };
  };
  return { ...server, setIds, page, errorOf };
}

describe("forward", () => {
  test("goes through all rows, page after page", async () => {
    const { page } = await startWithLicenses(7);
    const first = await page({ first: 3 });
    expect(idsOf(first)).toEqual(["l0000", "l0001", "l0002"]);
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect(first.totalCount).toBe(7);
    const second = await page({ first: 3, after: first.pageInfo.endCursor });
    expect(idsOf(second)).toEqual(["l0003", "l0004", "l0005"]);
    expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const third = await page({ first: 3, after: second.pageInfo.endCursor });
    expect(idsOf(third)).toEqual(["l0006"]);
    expect(third.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect(third.totalCount).toBe(7);
  });

  test("gives every edge its cursor", async () => {
    const { page } = await startWithLicenses(4);
    const all = await page({ first: 4 });
    expect(all.edges.map(({ node }) => node.id)).toEqual(all.nodes.map(({ id }) => id));
    expect(all.pageInfo.startCursor).toBe(all.edges[0]?.cursor);
    expect(all.pageInfo.endCursor).toBe(all.edges[3]?.cursor);
    expect(idsOf(await page({ first: 1, after: all.edges[1]?.cursor }))).toEqual(["l0002"]);
  });

  test("has 10 rows where neither first nor last is given", async () => {
    const { page } = await startWithLicenses(12);
    expect(idsOf(await page({}))).toEqual(numbered(10));
  });

  test("has cursors of null where a page is empty", async () => {
    const { page } = await startWithLicenses(3);
    const none = await page({ first: 0 });
    expect(none).toMatchObject({ nodes: [], edges: [], totalCount: 3 });
    expect(none.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: null,
      endCursor: null,
    });
  });
});

describe("backward", () => {
  test("goes through all rows from the end, each page in the order of the whole", async () => {
    const { page } = await startWithLicenses(7);
    const first = await page({ last: 3 });
    expect(idsOf(first)).toEqual(["l0004", "l0005", "l0006"]);
    expect(first.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const second = await page({ last: 3, before: first.pageInfo.startCursor });
    expect(idsOf(second)).toEqual(["l0001", "l0002", "l0003"]);
    const third = await page({ last: 3, before: second.pageInfo.startCursor });
    expect(idsOf(third)).toEqual(["l0000"]);
    expect(third.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  });

  test("has the last 10 rows before a cursor where that is all that is given", async () => {
    const { page } = await startWithLicenses(14);
    const { pageInfo } = await page({ last: 2 });
    expect(idsOf(await page({ before: pageInfo.startCursor }))).toEqual(numbered(14).slice(2, 12));
  });

  test("takes the last of what lies between two cursors, as Relay allows", async () => {
    const { page } = await startWithLicenses(8);
    const { edges } = await page({ first: 8 });
    const between = await page({ last: 2, after: edges[1]?.cursor, before: edges[6]?.cursor });
    expect(idsOf(between)).toEqual(["l0004", "l0005"]);
    expect(idsOf(await page({ first: 2, after: edges[1]?.cursor, before: edges[6]?.cursor }))).toEqual([
      "l0002",
      "l0003",
    ]);
    expect(idsOf(await page({ first: 2, after: edges[6]?.cursor, before: edges[1]?.cursor }))).toEqual([]);
  });
});

describe("while rows come and go", () => {
  test("repeats no row and loses none that was there all the time", async () => {
    const { page, setIds } = await startWithLicenses(40);
    const seen: string[] = [];
    let after: string | null = null;
    let ids = numbered(40);
    for (let round = 0; ; round += 1) {
      const current: Page = await page({ first: 7, after, order: { plan: { name: "DESC" } } });
      seen.push(...idsOf(current));
      if (!current.pageInfo.hasNextPage) break;
      after = current.pageInfo.endCursor;
      // Rows leave and come before and behind the cursor; the row of the cursor leaves too.
      const cursorId = idsOf(current).at(-1);
      ids = [
        ...ids.filter((id) => id !== cursorId && id !== `l003${round}`),
        `l000${round}x`,
        `l002${round}x`,
      ];
      setIds(ids);
    }
    expect(new Set(seen).size).toBe(seen.length);
    const stayed = ids.filter((id) => !id.endsWith("x"));
    expect(stayed.length).toBeGreaterThan(20);
    expect(seen).toEqual(expect.arrayContaining(stayed));
    expect(seen.some((id) => id.endsWith("x"))).toBe(true);
  });

  test("keeps a cursor valid whose row has gone, backward too", async () => {
    const { page, setIds } = await startWithLicenses(6);
    const { edges } = await page({ first: 6 });
    setIds(["l0000", "l0001", "l0002", "l0004", "l0005"]);
    expect(idsOf(await page({ first: 2, after: edges[3]?.cursor }))).toEqual(["l0004", "l0005"]);
    expect(idsOf(await page({ last: 2, before: edges[3]?.cursor }))).toEqual(["l0001", "l0002"]);
  });
});

describe("is refused", () => {
  test("with first beside last", async () => {
    const { errorOf } = await startWithLicenses(1);
    expect(await errorOf({ first: 1, last: 1 })).toEqual({
      code: "HC0052",
      message: "Give either `first` or `last`, not both.",
    });
  });

  test.each(["first", "last"])("with a negative %s", async (argument) => {
    const { errorOf } = await startWithLicenses(1);
    expect(await errorOf({ [argument]: -1 })).toEqual({
      code: "HC0079",
      message: `\`${argument}\` must be 0 or more.`,
    });
  });

  test.each(["first", "last"])("with a %s above the maximum of 1,000", async (argument) => {
    const { errorOf, page } = await startWithLicenses(1);
    expect(await errorOf({ [argument]: 1001 })).toEqual({
      code: "HC0051",
      message: `\`${argument}\` is 1001: a page has at most 1000 items.`,
    });
    expect(idsOf(await page({ [argument]: 1000 }))).toEqual(["l0000"]);
  });

  test("above another maximum that the server was started with, which bounds the default too", async () => {
    const { errorOf, page } = await startWithLicenses(9, 5);
    expect((await errorOf({ first: 6 })).code).toBe("HC0051");
    expect(idsOf(await page({}))).toEqual(numbered(5));
  });

  const notCursors = ["", "nonsense", "bnVsbA", Buffer.from('["x"]').toString("base64url"), "é".repeat(9)];
  test.each(notCursors)("with %j as a cursor", async (cursor) => {
    const { errorOf } = await startWithLicenses(1);
    const message = "is no cursor of this server. Use the cursor of a page with the same `order`.";
    expect(await errorOf({ first: 1, after: cursor })).toEqual({
      code: "HC0078",
      message: `The cursor in \`after\` ${message}`,
    });
    expect((await errorOf({ last: 1, before: cursor })).message).toBe(`The cursor in \`before\` ${message}`);
  });

  test("with a cursor of another order", async () => {
    const { errorOf, page } = await startWithLicenses(3);
    const { pageInfo } = await page({ first: 1, order: [{ plan: { name: "ASC" } }] });
    const expected = {
      code: "HC0078",
      message:
        "The cursor in `after` was made for another `order` or another field. Use the cursor of a page with the same `order`.",
    };
    expect(await errorOf({ after: pageInfo.endCursor })).toEqual(expected);
    expect(await errorOf({ after: pageInfo.endCursor, order: [{ plan: { name: "DESC" } }] })).toEqual(
      expected,
    );
    expect(await errorOf({ after: pageInfo.endCursor, order: [{ plan: { id: "ASC" } }] })).toEqual(expected);
  });

  test("with a cursor of another field", async () => {
    const { page, send } = await startWithLicenses(3);
    const { pageInfo } = await page({ first: 1 });
    const { errors } = await send("query ($after: String) { licensePlans(after: $after) { totalCount } }", {
      after: pageInfo.endCursor,
    });
    expect(errors?.[0]?.extensions.code).toBe("HC0078");
  });
});
