import { SaasManagementClient } from "@saas-management/sdk";
import { createGraphQLHandler, GraphQLClient } from "@saas-management/sdk/graphql";
import { expect, onTestFinished, test } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { json, type Responder, serveHandler } from "../support/http-server.js";
import { testService } from "../support/test-service.js";

const applications = Array.from({ length: 120 }, (_, index) => ({
  name: `App ${String(index).padStart(3, "0")}`,
  vendorName: `Vendor ${index % 70}`,
}));
const service = testService({ server: { pageSize: 50, portfolio: { applications } } });

const NAMES = `query Names($first: Int, $after: String, $last: Int, $before: String) {
  applications(first: $first, after: $after, last: $last, before: $before) {
    nodes { application { name } }
    pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
  }
}`;
interface Names {
  readonly applications: {
    readonly nodes: readonly { readonly application: { readonly name: string } }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}
const select = (data: Names) => data.applications;

/** A client that counts what it sent and notes what it logged at level info. */
function counting(pageSize?: number) {
  const sizes: unknown[] = [];
  const infos: unknown[] = [];
  const ignore = () => {};
  const client = new GraphQLClient({
    baseUrl: service.server.baseUrl,
    apiKey: service.server.apiKey,
    ...(pageSize !== undefined && { pageSize }),
    logger: { debug: ignore, warn: ignore, error: ignore, info: (...line) => void infos.push(line) },
    fetch: (url, init) => {
      const { variables } = JSON.parse(String(init?.body));
      sizes.push(variables.first ?? variables.last);
      return fetch(url, init);
    },
  });
  onTestFinished(() => client.close());
  return { client, sizes, infos };
}

test("learns the largest page size from a refusal, once per client, and logs it", async () => {
  const { client, sizes, infos } = counting();
  const names = await client.applications().toArray();
  expect(new Set(names.map(({ application }) => application.name)).size).toBe(120);
  expect(sizes).toEqual([100, 50, 50, 50]);
  await client.applications({ from: "end" }).toArray();
  await client.licenses().firstPage();
  expect(sizes.slice(4)).toEqual([50, 50, 50, 50]);
  expect(infos).toEqual([[expect.stringContaining("refused a larger page"), { pageSize: 50 }]]);
});

test.each<[string, (client: GraphQLClient) => Promise<number>, sizes: readonly number[], count: number]>([
  ["firstPage", async (client) => (await client.applications().firstPage()).nodes.length, [100, 50], 50],
  [
    "a walk from the end",
    async (client) => (await client.applications({ from: "end", limit: 70 }).toArray()).length,
    [70, 50, 20],
    70,
  ],
  [
    "a document of the caller",
    async (client) => (await client.paginate<Names, object>(NAMES, {}, { select }).toArray()).length,
    [100, 50, 50, 50],
    120,
  ],
  [
    "a document of the caller, from the end",
    async (client) =>
      (await client.paginate<Names, object>(NAMES, {}, { select, from: "end" }).toArray()).length,
    [100, 50, 50, 50],
    120,
  ],
  [
    "previewVendorsState",
    async (client) => (await client.previewVendorsState({ state: "ARCHIVED" }, "all")).vendorNames.length,
    [1, 100, 50, 50, 50],
    70,
  ],
])("learns the largest page size in %s", async (_, read, sizes, count) => {
  const counted = counting();
  expect(await read(counted.client)).toBe(count);
  expect(counted.sizes).toEqual(sizes);
});

test("uses the client's pageSize, including that of fromEnv, and learns a smaller one", async () => {
  const small = counting(40);
  expect(await small.client.applications({ limit: 50 }).toArray()).toHaveLength(50);
  expect(small.sizes).toEqual([40, 10]);
  const large = counting(200);
  expect(await large.client.applications().toArray()).toHaveLength(120);
  expect(large.sizes).toEqual([200, 50, 50, 50]);
  const { baseUrl, apiKey } = service.server;
  const whole = SaasManagementClient.fromEnv({ baseUrl, apiKey, pageSize: 30 });
  onTestFinished(() => whole.close());
  expect((await whole.graphql.applications().firstPage()).nodes).toHaveLength(30);
  expect(() => counting(0)).toThrow("pageSize must be a whole number, 1 or more");
});

test.each([
  ["pageSize", (client: GraphQLClient) => client.applications({ pageSize: 60 })],
  ["a variable", (client: GraphQLClient) => client.paginate<Names, object>(NAMES, { first: 60 }, { select })],
])("refuses a page that %s makes too large, and names the limit", async (_, list) => {
  const { client, sizes } = counting();
  const error = await rejection(list(client).toArray());
  expect(error).toMatchObject({ code: "GRAPHQL_ERRORS", retryable: false });
  expect(String(error)).toContain("the service allows at most 50 items per page. Lower pageSize.");
  expect(sizes).toEqual([60]);
});

test("learns the page size through the SDK's own handler, which passes on the service's messages", async () => {
  const handler = createGraphQLHandler({ client: service.client().graphql, allow: ["applications"] });
  const page = new GraphQLClient({ baseUrl: await serveHandler(handler), authorization: "none" });
  onTestFinished(() => page.close());
  expect(await page.applications().toArray()).toHaveLength(120);
});

/** Serves pages of at most 30 nodes, and refuses larger ones with these entries of `errors`. */
const refusing =
  (...entries: readonly object[]): Responder =>
  ({ body }, response) => {
    const { first } = body.variables;
    if (Number(first) > 30) return json(response, { data: { applications: null }, errors: entries });
    const pageInfo = { hasNextPage: false, endCursor: null };
    return json(response, { data: { applications: { nodes: [{ id: "a" }], pageInfo, totalCount: 1 } } });
  };
const sizesOf = (requests: readonly { readonly body: { readonly variables: object } }[]) =>
  requests.map(({ body }) => Reflect.get(body.variables, "first"));

test.each<[string, entry: object]>([
  ["Hot Chocolate without a limit", { message: "m", extensions: { code: "HC0051" } }],
  ["Hot Chocolate's cost", { message: "m", extensions: { code: "HC0047", maxFieldCost: 1000 } }],
  ["another code", { message: "m", extensions: { code: "PAGE_SIZE_TOO_LARGE" } }],
  ["an error about the argument", { message: "m", extensions: { code: "BAD", argument: "first" } }],
  ["an error about the variable", { message: "m", extensions: { variable: "$first" } }],
  ["an error at the argument", { message: "m", path: ["applications", "first"] }],
])("halves the page size at most twice after %s", async (_, entry) => {
  const { client, server } = await connectClient(refusing({ message: "other" }, entry));
  expect(await client.applications().toArray()).toHaveLength(1);
  expect(await client.applications().toArray()).toHaveLength(1);
  expect(sizesOf(server.requests)).toEqual([100, 50, 25, 25]);
  const { client: larger, server: other } = await connectClient(refusing(entry), { pageSize: 400 });
  expect(await rejection(larger.applications().toArray())).toMatchObject({ code: "GRAPHQL_ERRORS" });
  expect(sizesOf(other.requests)).toEqual([400, 200, 100]);
});

test.each<[string, entry: object]>([
  ["is about a list inside of the nodes", { extensions: { code: "HC0051", requestedItems: 500 } }],
  ["allows what was asked for", { extensions: { code: "HC0051", maxAllowedItems: 100 } }],
  ["is about another argument", { extensions: { code: "BAD", argument: "where.name" } }],
  ["only speaks of first", { message: "first things first", path: ["applications", "nodes", 1, "id"] }],
])("asks for no smaller page after an error that %s", async (_, entry) => {
  const { client, server } = await connectClient(refusing({ message: "m", ...entry }));
  expect(await rejection(client.applications().firstPage())).toMatchObject({ code: "GRAPHQL_ERRORS" });
  expect(sizesOf(server.requests)).toEqual([100]);
});
