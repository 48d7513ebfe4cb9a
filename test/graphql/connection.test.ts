import { type ApplicationState, InvalidInputError, PaginationError } from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { forwardPage, nodeIds, pageOf, type ServedPage, servePage } from "../support/http-pages.js";
import { answer, json, type Responder } from "../support/http-server.js";

/** A collection of `count` nodes. */
function collection(count: number): Responder {
  return (request, response) => servePage(response, pageOf(count, request));
}

/** Answers with these pages in turn, then always with the last page. */
function pages(...served: ServedPage[]): Responder {
  return (_, response, index) =>
    servePage(response, served[index] ?? served.at(-1) ?? forwardPage([], undefined));
}

async function ids(nodes: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const met: string[] = [];
  for await (const node of nodes) met.push(node.id);
  return met;
}

const idsOf = (from: number, to: number) => nodeIds(from, to).map(({ id }) => id);

test("requests nothing before a connection is used", async () => {
  const { client, server } = await connectClient(collection(3));
  const apps = client.applications();
  apps[Symbol.asyncIterator]();
  apps.pages();
  // If earlier requests had been sent, they would have arrived before this request.
  await client.request("{ a }", {});
  expect(server.requests).toHaveLength(1);
});

test("refuses options in a second argument, which would be ignored", async () => {
  const { client } = await connectClient(collection(3));
  const list = () => Reflect.apply(client.licenses, client, [{}, { limit: 1 }]);
  expect(list).toThrow(
    new InvalidInputError("licenses takes one object with all its options, got 2 arguments."),
  );
});

test("yields every node, page after page, 100 per page", async () => {
  const { client, server } = await connectClient(collection(250));
  const apps = client.applications();
  expect(await ids(apps)).toEqual(idsOf(0, 250));
  expect(server.requests.map(({ body }) => body.variables)).toEqual([
    { first: 100 },
    { first: 100, after: "c99" },
    { first: 100, after: "c199" },
  ]);
  // A second iteration begins at the first page again.
  expect(await apps.toArray()).toEqual(nodeIds(0, 250));
});

test("requests every page with the `where` and `order` of the call, even if the caller changes them later", async () => {
  const { client, server } = await connectClient(collection(3));
  const where: { state: { eq: ApplicationState } } = { state: { eq: "DISCOVERED" } };
  const order = [{ application: { name: "ASC" } }] as const;
  const apps = client.applications({ where, order, pageSize: 2 });
  where.state.eq = "ARCHIVED";
  await apps.toArray();
  const sent = { where: { state: { eq: "DISCOVERED" } }, order, first: 2 };
  expect(server.requests.map(({ body }) => body.variables)).toEqual([sent, { ...sent, after: "c1" }]);
});

test("applies request options to every page", async () => {
  const { client, server } = await connectClient((request, response, index) =>
    index === 3 ? json(response, {}, { status: 503 }) : servePage(response, pageOf(10, request)),
  );
  const options = { headers: { "x-run": "7" }, timeoutMs: 5_000, retry: false } as const;
  const error = await rejection(ids(client.applications({ pageSize: 3, ...options })));
  expect(error).toMatchObject({ attempts: 1 });
  expect(server.requests.map(({ headers }) => headers["x-run"])).toEqual(["7", "7", "7", "7"]);
});

test("yields pages with their index and the total count", async () => {
  const { client } = await connectClient(collection(3));
  const met = [];
  for await (const page of client.applications({ pageSize: 2 }).pages()) met.push(page);
  expect(met).toEqual([
    {
      nodes: nodeIds(0, 2),
      pageInfo: { hasNextPage: true, endCursor: "c1", hasPreviousPage: false, startCursor: "c0" },
      totalCount: 3,
    },
    {
      nodes: nodeIds(2, 3),
      pageInfo: { hasNextPage: false, endCursor: "c2", hasPreviousPage: true, startCursor: "c2" },
      totalCount: 3,
    },
  ]);
});

test("returns the first page and the total count with one request each", async () => {
  const { client, server } = await connectClient(collection(9));
  expect((await client.applications({ pageSize: 4 }).firstPage()).nodes).toEqual(nodeIds(0, 4));
  expect(await client.applications({ pageSize: 4, cursor: "c7", limit: 1 }).totalCount()).toBe(9);
  expect(server.requests.map(({ body }) => body.variables)).toEqual([{ first: 4 }, { first: 1 }]);
});

test("reads an empty collection, even if its nodes are null", async () => {
  const { client } = await connectClient(collection(0));
  expect(await client.applications().toArray()).toEqual([]);
  expect(await ids(client.applications())).toEqual([]);
  const { client: other } = await connectClient(pages({ ...forwardPage([], undefined), nodes: null }));
  expect(await other.applications().toArray()).toEqual([]);
});

test("walks backward from the end to the start, with pages in the server's order", async () => {
  const { client, server } = await connectClient(collection(5));
  const apps = client.applications({ from: "end", pageSize: 2 });
  expect(await ids(apps)).toEqual(idsOf(0, 5).reverse());
  expect(server.requests.map(({ body }) => body.variables)).toEqual([
    { last: 2 },
    { last: 2, before: "c3" },
    { last: 2, before: "c1" },
  ]);
  const met = [];
  for await (const page of apps.pages()) met.push(page.nodes.map(({ id }) => id));
  expect(met).toEqual([["n3", "n4"], ["n1", "n2"], ["n0"]]);
  expect(await apps.toArray()).toEqual(nodeIds(0, 5).reverse());
});

test("requests no more nodes than the limit allows, and none for a limit of 0", async () => {
  const { client, server } = await connectClient(collection(50));
  expect(await ids(client.applications({ pageSize: 4, limit: 6 }))).toEqual(idsOf(0, 6));
  expect(server.requests.map(({ body }) => body.variables["first"])).toEqual([4, 2]);
  expect(await client.applications({ limit: 0 }).toArray()).toEqual([]);
  expect(server.requests).toHaveLength(2);
});

test("rejects a limit for toArray", async () => {
  const { client, server } = await connectClient(collection(50));
  const all = client.applications();
  const error = await rejection(Reflect.apply(all.toArray, all, [{ limit: 3 }]));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(String(error)).toContain("limit");
  expect(server.requests).toHaveLength(0);
});

test("cuts a page that is larger than requested, and removes the cursor after the cut", async () => {
  const { client } = await connectClient(pages(forwardPage(["a", "b", "c"], "c")));
  const limited = client.applications({ pageSize: 2, limit: 2 });
  const cut = { nodes: [{ id: "a" }, { id: "b" }], pageInfo: { hasNextPage: true, endCursor: null } };
  expect(await limited.firstPage()).toMatchObject(cut);
  for await (const page of limited.pages()) expect(page).toMatchObject(cut);
  const complete = await client.applications({ pageSize: 3, limit: 3 }).firstPage();
  expect(complete.pageInfo.endCursor).toBe("c");
});

test("cuts a page of a backward walk at its start", async () => {
  const pageInfo = { hasPreviousPage: false, startCursor: "a", hasNextPage: true, endCursor: "c" };
  const nodes = [{ id: "a" }, { id: "b" }, { id: "c" }];
  const { client } = await connectClient(pages({ nodes, pageInfo, totalCount: 3 }));
  const limited = client.applications({ from: "end", pageSize: 2, limit: 2 });
  const cut = await limited.firstPage();
  expect(cut.nodes).toMatchObject([{ id: "b" }, { id: "c" }]);
  expect(cut.pageInfo).toEqual({ ...pageInfo, hasPreviousPage: true, startCursor: null });
  expect(await ids(limited)).toEqual(["c", "b"]);
});

test.each<[string, object]>([
  ["a page size of 0", { pageSize: 0 }],
  ["a negative page size", { pageSize: -1 }],
  ["a page size that is not whole", { pageSize: 1.5 }],
  ["a page size of NaN", { pageSize: Number.NaN }],
  ["an infinite page size", { pageSize: Number.POSITIVE_INFINITY }],
  ["a page size of null", { pageSize: null }],
  ["a negative limit", { limit: -1 }],
  ["a limit that is not whole", { limit: 1.5 }],
  ["a limit of NaN", { limit: Number.NaN }],
  ["an empty cursor", { cursor: "" }],
  ["a cursor of null, which would read everything again", { cursor: null }],
  ["another place to read from", { from: "middle" }],
])("rejects %s", async (_, args) => {
  const { client } = await connectClient(collection(1));
  expect(() => client.licenses(args)).toThrow(InvalidInputError);
});

test.each(["first", "last", "after", "before"])(
  "suggests the options that replace %s, an argument of the API",
  async (argument) => {
    const { client } = await connectClient(collection(1));
    const list = async () => Reflect.apply(client.licenses, client, [{ [argument]: "1" }]);
    const error = await rejection(list());
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(String(error)).toContain(`${argument}. Known: signal`);
    expect(String(error)).toContain("limit, pageSize, from, cursor");
  },
);

test("adds no position to the caller's reason, even if it is an SDK error", async () => {
  const { client } = await connectClient(collection(1));
  const reason = new InvalidInputError("The caller's reason.");
  await expect(client.licenses({ signal: AbortSignal.abort(reason) }).toArray()).rejects.toBe(reason);
  expect(reason.position).toBeUndefined();
});

test("rejects with a PaginationError after 100 empty pages", async () => {
  const { client, server } = await connectClient((_, response, index) =>
    servePage(response, forwardPage([], `cursor-${index}`)),
  );
  const error = await rejection(ids(client.applications()));
  expect(error).toBeInstanceOf(PaginationError);
  expect(error).toMatchObject({ position: { nodesYielded: 0, cursor: "cursor-99" } });
  expect(server.requests).toHaveLength(101);
});

test("rejects with a PaginationError at the first cursor that repeats", async () => {
  const { client, server } = await connectClient((_, response, index) =>
    servePage(response, forwardPage([`n${index}`], index % 2 === 0 ? "A" : "B")),
  );
  const error = await rejection(ids(client.applications({ prefetch: false })));
  expect(error).toBeInstanceOf(PaginationError);
  expect(error).toMatchObject({ position: { cursor: "B", nodesYielded: 2 }, retryable: false });
  expect(server.requests).toHaveLength(3);
  const again = await rejection(client.applications({ cursor: "A" }).toArray());
  expect(again).toMatchObject({ code: "PAGINATION", position: { cursor: "A", nodesYielded: 0 } });
});

test.each([null, "", 7])("rejects a page with hasNextPage and the cursor %j", async (endCursor) => {
  const bad = { nodes: [{ id: "n1" }], pageInfo: { hasNextPage: true, endCursor } };
  const { client } = await connectClient((_, response, index) =>
    json(response, { data: { applications: index === 0 ? forwardPage(["n0"], "A") : bad } }),
  );
  const error = await rejection(ids(client.applications()));
  expect(error).toBeInstanceOf(PaginationError);
  expect(error).toMatchObject({ position: { cursor: "A", nodesYielded: 1 } });
});

test.each([
  ["connection", { applications: null, other: 1 }],
  ["pageInfo", { applications: { nodes: [] } }],
  ["list of nodes", { applications: { nodes: "abc", pageInfo: { hasNextPage: false } } }],
  ["nodes", { applications: { pageInfo: { hasNextPage: false } } }],
  ["hasNextPage", { applications: { nodes: [], pageInfo: { endCursor: "A" } } }],
])("rejects a response without %s", async (_, data) => {
  const { client } = await connectClient(answer({ data }));
  expect(await rejection(client.applications().toArray())).toBeInstanceOf(PaginationError);
  expect(await rejection(client.applications().firstPage())).toBeInstanceOf(PaginationError);
});

test("rejects a page with entries in errors, even if it has a connection", async () => {
  const data = { applications: forwardPage(["a"], undefined) };
  const { client } = await connectClient(answer({ data, errors: [{ message: "m" }] }));
  expect(await rejection(client.applications().toArray())).toMatchObject({ code: "GRAPHQL_ERRORS" });
});
