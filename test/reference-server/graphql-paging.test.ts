import fc from "fast-check";
import { expect, test } from "vitest";
import { schemaType } from "../support/adopted.js";
import { LIMITS, RUNS } from "../support/property-runs.js";
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

const documentOf = (list: string, order: string) => `
  query ($first: Int, $after: String, $last: Int, $before: String, $order: [${schemaType(order)}!]) {
    ${list}(first: $first, after: $after, last: $last, before: $before, order: $order) {
      nodes { id }
      edges { cursor node { id } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      totalCount
    }
  }`;
const document = documentOf("licenses", "LicenseOrder");

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `l${String(i).padStart(4, "0")}`);
const idsOf = (page: Page): string[] => page.nodes.map(({ id }) => id.replace(/^\w+:/, ""));

type Variables = Readonly<Record<string, unknown>>;

async function startWithLicenses(count: number, pageSize?: number) {
  const planPrices = [
    { planName: "Basic", annualPricePerSeat: "200", currency: "EUR" },
    { planName: "Pro", annualPricePerSeat: "30", currency: "EUR" },
  ];
  const server = await startServer({ portfolio: { planPrices }, ...(pageSize && { pageSize }) });
  const setIds = (ids: readonly string[]) =>
    server.installation.set({ licenses: ids.map((id) => license(id, "nobody", id < "l0005" ? "p1" : "p2")) });
  server.installation.set({ plans: [plan("p1", "Basic"), plan("p2", "Pro")] });
  setIds(numbered(count).reverse());
  const page = async (variables: Variables): Promise<Page> =>
    (await server.query<{ licenses: Page }>(document, variables)).licenses;
  const errorOf = async (variables: Variables) => {
    const { status, data, errors } = await server.send<{ licenses: null }>(document, variables);
    expect([status, data, errors?.[0]?.path]).toEqual([200, { licenses: null }, ["licenses"]]);
    return errors?.[0]?.extensions;
  };
  return { ...server, setIds, page, errorOf };
}

/** Ids and names are unique; the other fields have ties, and vendor and category are missing in some rows. */
const APPLICATIONS = ["bb", "a", "B", "c", "Ä", "aB", "aa"].map((name, i) => ({
  id: `${i + 1}`,
  name,
  ...(i % 3 > 0 ? { vendorName: i % 3 === 1 ? "V" : "W" } : {}),
  ...(i % 4 > 1 ? { category: i % 4 === 2 ? "X" : "Y" } : {}),
  state: i % 3 === 0 ? ("SANCTIONED" as const) : ("ARCHIVED" as const),
}));

type Application = (typeof APPLICATIONS)[number];
const FIELDS: Readonly<Record<string, readonly [(by: string) => object, (row: Application) => unknown]>> = {
  id: [(by) => ({ application: { id: by } }), ({ id }) => id],
  name: [(by) => ({ application: { name: by } }), ({ name }) => name],
  vendorName: [(by) => ({ application: { vendorName: by } }), ({ vendorName, name }) => vendorName ?? name],
  category: [(by) => ({ application: { category: { name: by } } }), ({ category }) => category],
  state: [(by) => ({ state: by }), ({ state }) => state],
};
const order = fc.array(fc.tuple(fc.constantFrom(...Object.keys(FIELDS)), fc.constantFrom("ASC", "DESC")), {
  maxLength: 3,
});

/** Null first, strings by code units, ties by id. */
function sorted(keys: readonly (readonly [string, string])[]): string[] {
  const compare = (a: unknown, b: unknown) =>
    a === b ? 0 : a === undefined || (b !== undefined && `${a}` < `${b}`) ? -1 : 1;
  const by = (a: Application, b: Application) => {
    for (const [field, direction] of keys) {
      const value = FIELDS[field]?.[1] ?? expect.unreachable();
      const difference = compare(value(a), value(b));
      if (difference !== 0) return direction === "ASC" ? difference : -difference;
    }
    return compare(a.id, b.id);
  };
  return APPLICATIONS.toSorted(by).map(({ id }) => id);
}

test("pages forward and backward through all rows in any order, in pages of any size", async () => {
  const { query } = await startServer({ portfolio: { applications: APPLICATIONS } });
  const applications = documentOf("applications", "ApplicationOrder");
  const walk = fc.asyncProperty(
    order,
    fc.integer({ min: 1, max: 8 }),
    fc.boolean(),
    async (keys, size, back) => {
      const by = keys.map(([field, direction]) => FIELDS[field]?.[0](direction));
      const seen: string[][] = [];
      for (let cursor: string | null = null; ; ) {
        const place = back ? { last: size, before: cursor } : { first: size, after: cursor };
        const data: { applications: Page } = await query(applications, { order: by, ...place });
        const { nodes, edges, pageInfo, totalCount } = data.applications;
        const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo;
        expect(edges.map(({ node }) => node)).toEqual(nodes);
        expect([startCursor, endCursor]).toEqual([edges[0]?.cursor, edges.at(-1)?.cursor]);
        expect([totalCount, back ? hasNextPage : hasPreviousPage]).toEqual([7, cursor !== null]);
        seen.push(idsOf(data.applications));
        if (!(back ? hasPreviousPage : hasNextPage)) break;
        cursor = back ? startCursor : endCursor;
      }
      expect((back ? seen.toReversed() : seen).flat()).toEqual(sorted(keys));
    },
  );
  await fc.assert(walk, { ...LIMITS, numRuns: RUNS });
});

test("sorts by the fields of an `order` object in the schema's order, even if the object is not in a list", async () => {
  const { query } = await startServer({ portfolio: { applications: APPLICATIONS } });
  const ids = async (text: string) =>
    idsOf(
      (await query<{ applications: Page }>(`{ applications(order: ${text}) { nodes { id } } }`)).applications,
    );
  expect(await ids("{ application: { vendorName: ASC, name: DESC } }")).toEqual(sorted([["name", "DESC"]]));
});

test("refuses null as a direction", async () => {
  const { send } = await startServer();
  const document = documentOf("applications", "ApplicationOrder");
  const { errors } = await send(document, { order: { application: { name: null } } });
  expect(errors?.[0]?.extensions).toEqual({ code: "HC0026", argument: "order.application.name" });
});

test("returns 10 rows by default: the first, or the last before a cursor", async () => {
  const { page } = await startWithLicenses(14);
  expect(idsOf(await page({}))).toEqual(numbered(10));
  const { pageInfo } = await page({ last: 2 });
  expect(idsOf(await page({ before: pageInfo.startCursor }))).toEqual(numbered(14).slice(2, 12));
});

test("returns the first or last rows between two cursors", async () => {
  const { page } = await startWithLicenses(8);
  const { edges } = await page({ first: 8 });
  const [after, before] = [edges[1]?.cursor, edges[6]?.cursor];
  expect(idsOf(await page({ last: 2, after, before }))).toEqual(["l0004", "l0005"]);
  expect(idsOf(await page({ first: 2, after, before }))).toEqual(["l0002", "l0003"]);
  expect(idsOf(await page({ first: 2, after: before, before: after }))).toEqual([]);
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
  expect(await errorOf(variables)).toMatchObject({ code, argument });
});

test("limits pages, and their default size, to the server's pageSize", async () => {
  const { errorOf, page } = await startWithLicenses(9, 5);
  expect(await errorOf({ first: 6 })).toMatchObject({
    code: "HC0051",
    requestedItems: 6,
    maxAllowedItems: 5,
  });
  expect(idsOf(await page({}))).toEqual(numbered(5));
});

test("orders amounts as numbers", async () => {
  const { page } = await startWithLicenses(7);
  const order = [{ annualPrice: { amount: "ASC" } }];
  expect(idsOf(await page({ first: 3, order }))).toEqual(["l0005", "l0006", "l0000"]);
});

test("refuses a cursor of another order or field", async () => {
  const { errorOf, page, send } = await startWithLicenses(3);
  const { pageInfo } = await page({ first: 1, order: [{ plan: { name: "ASC" } }] });
  const after = pageInfo.endCursor;
  for (const order of [undefined, [{ plan: { name: "DESC" } }], [{ plan: { id: "ASC" } }]])
    expect(await errorOf({ after, order })).toMatchObject({ code: "HC0078" });
  const [name, id]: unknown[] = JSON.parse(Buffer.from(String(after), "base64url").toString());
  const forged = Buffer.from(JSON.stringify([name, id, {}])).toString("base64url");
  const order = [{ plan: { name: "ASC" } }];
  expect(await errorOf({ after: forged, order })).toMatchObject({ code: "HC0078" });
  const other =
    "query ($after: String) { licensePlans(after: $after, order: [{ name: ASC }]) { totalCount } }";
  expect((await send(other, { after })).errors?.[0]?.extensions.code).toBe("HC0078");
});
