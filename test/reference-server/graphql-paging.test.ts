import { expect, test } from "vitest";
import { schemaType } from "../support/adopted.js";
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
  query ($first: Int, $after: String, $last: Int, $before: String, $order: [${schemaType("LicenseOrder")}!]) {
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
    expect([status, data, errors?.[0]?.path]).toEqual([200, { licenses: null }, ["licenses"]]);
    return errors?.[0]?.extensions;
  };
  return { ...server, setIds, page, errorOf };
}

test("pages forward through all rows", async () => {
  const { page } = await startWithLicenses(7);
  const first = await page({ first: 3 });
  expect(idsOf(first)).toEqual(["l0000", "l0001", "l0002"]);
  expect(first).toMatchObject({ totalCount: 7, pageInfo: { hasNextPage: true, hasPreviousPage: false } });
  const second = await page({ first: 3, after: first.pageInfo.endCursor });
  expect(idsOf(second)).toEqual(["l0003", "l0004", "l0005"]);
  expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  const third = await page({ first: 3, after: second.pageInfo.endCursor });
  expect(idsOf(third)).toEqual(["l0006"]);
  expect(third).toMatchObject({ totalCount: 7, pageInfo: { hasNextPage: false, hasPreviousPage: true } });
});

test("pages backward through all rows, each page in ascending order", async () => {
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

test("gives every edge its cursor", async () => {
  const { page } = await startWithLicenses(4);
  const all = await page({ first: 4 });
  expect(all.edges.map(({ node }) => node.id)).toEqual(all.nodes.map(({ id }) => id));
  expect(all.pageInfo.startCursor).toBe(all.edges[0]?.cursor);
  expect(all.pageInfo.endCursor).toBe(all.edges[3]?.cursor);
  expect(idsOf(await page({ first: 1, after: all.edges[1]?.cursor }))).toEqual(["l0002"]);
});

test("returns 10 rows by default: the first, or the last before a cursor", async () => {
  const { page } = await startWithLicenses(14);
  expect(idsOf(await page({}))).toEqual(numbered(10));
  const { pageInfo } = await page({ last: 2 });
  expect(idsOf(await page({ before: pageInfo.startCursor }))).toEqual(numbered(14).slice(2, 12));
});

test("returns null cursors on an empty page", async () => {
  const { page } = await startWithLicenses(3);
  const none = { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: null };
  expect(await page({ first: 0 })).toEqual({ nodes: [], edges: [], totalCount: 3, pageInfo: none });
});

test("returns the first or last rows between two cursors", async () => {
  const { page } = await startWithLicenses(8);
  const { edges } = await page({ first: 8 });
  const [after, before] = [edges[1]?.cursor, edges[6]?.cursor];
  expect(idsOf(await page({ last: 2, after, before }))).toEqual(["l0004", "l0005"]);
  expect(idsOf(await page({ first: 2, after, before }))).toEqual(["l0002", "l0003"]);
  expect(idsOf(await page({ first: 2, after: before, before: after }))).toEqual([]);
});

test("repeats no row and loses none that stays while others come and go", async () => {
  const { page, setIds } = await startWithLicenses(40);
  const seen: string[] = [];
  let after: string | null = null;
  let ids = numbered(40);
  for (let round = 0; ; round += 1) {
    const current: Page = await page({ first: 7, after, order: { plan: { name: "DESC" } } });
    seen.push(...idsOf(current));
    if (!current.pageInfo.hasNextPage) break;
    after = current.pageInfo.endCursor;
    // Rows leave and come before and after the cursor; the row of the cursor leaves too.
    const cursorId = idsOf(current).at(-1);
    const staying = ids.filter((id) => id !== cursorId && id !== `l003${round}`);
    ids = [...staying, `l000${round}x`, `l002${round}x`];
    setIds(ids);
  }
  expect(new Set(seen).size).toBe(seen.length);
  const stayed = ids.filter((id) => !id.endsWith("x"));
  expect(stayed.length).toBeGreaterThan(20);
  expect(seen).toEqual(expect.arrayContaining(stayed));
  expect(seen.some((id) => id.endsWith("x"))).toBe(true);
});

test("keeps a cursor valid after its row is gone", async () => {
  const { page, setIds } = await startWithLicenses(6);
  const { edges } = await page({ first: 6 });
  setIds(["l0000", "l0001", "l0002", "l0004", "l0005"]);
  expect(idsOf(await page({ first: 2, after: edges[3]?.cursor }))).toEqual(["l0004", "l0005"]);
  expect(idsOf(await page({ last: 2, before: edges[3]?.cursor }))).toEqual(["l0001", "l0002"]);
});

test.each([
  ["first beside last", { first: 1, last: 1 }, "HC0052", "last"],
  ["a negative first", { first: -1 }, "HC0079", "first"],
  ["a negative last", { last: -1 }, "HC0079", "last"],
  ["a first above 1,000", { first: 1001 }, "HC0051", "first"],
  ["a last above 1,000", { last: 1001 }, "HC0051", "last"],
  ["an empty cursor", { after: "" }, "HC0078", "after"],
  ["a random cursor", { before: "nonsense" }, "HC0078", "before"],
  ["a cursor with null", { after: "bnVsbA" }, "HC0078", "after"],
  ["a cursor with one value", { after: Buffer.from('["x"]').toString("base64url") }, "HC0078", "after"],
])("refuses %s", async (_, variables, code, argument) => {
  const { errorOf } = await startWithLicenses(1);
  expect(await errorOf(variables)).toEqual({ code, argument });
});

test("limits pages, and their default size, to the pageSize of the server", async () => {
  const { errorOf, page } = await startWithLicenses(9, 5);
  expect(await errorOf({ first: 6 })).toMatchObject({ code: "HC0051" });
  expect(idsOf(await page({}))).toEqual(numbered(5));
});

test("refuses a cursor of another order or field", async () => {
  const { errorOf, page, send } = await startWithLicenses(3);
  const { pageInfo } = await page({ first: 1, order: [{ plan: { name: "ASC" } }] });
  const after = pageInfo.endCursor;
  for (const order of [undefined, [{ plan: { name: "DESC" } }], [{ plan: { id: "ASC" } }]]) {
    expect(await errorOf({ after, order })).toMatchObject({ code: "HC0078" });
  }
  const { errors } = await send(
    "query ($after: String) { licensePlans(after: $after, order: [{ name: ASC }]) { totalCount } }",
    { after },
  );
  expect(errors?.[0]?.extensions.code).toBe("HC0078");
});
