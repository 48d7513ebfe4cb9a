import { getEventListeners } from "node:events";
import { InvalidInputError, PaginationError, TransportError } from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { forwardPage, nodeIds, pageOf, servePage } from "../support/http-pages.js";
import { json, type Responder } from "../support/http-server.js";

/** A collection of so many nodes. */
function collection(count: number): Responder {
  return (request, response) => servePage(response, pageOf(count, request));
}

async function ids(nodes: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const met: string[] = [];
  for await (const node of nodes) met.push(node.id);
  return met;
}

const idsOf = (from: number, to: number) => nodeIds(from, to).map((node) => node.id);

describe("a connection", () => {
  it("requests nothing before it is used", async () => {
    const { client, server } = await connectClient(collection(3));
    const apps = client.applications();
    apps[Symbol.asyncIterator]();
    apps.pages();
    // Whatever had been sent before would have arrived with it.
    await client
      .licenses()
      .firstPage()
      .catch(() => {});
    expect(server.requests).toHaveLength(1);
  });

  it("yields every node, page after page, 100 a page", async () => {
    const { client, server } = await connectClient(collection(250));
    expect(await ids(client.applications())).toEqual(idsOf(0, 250));
    expect(server.requests.map(({ body }) => body.variables)).toEqual([
      { first: 100 },
      { first: 100, after: "c99" },
      { first: 100, after: "c199" },
    ]);
  });

  it("sends where and order with every page", async () => {
    const { client, server } = await connectClient(collection(3));
    const args = {
      where: { state: { eq: "DISCOVERED" } },
      order: [{ application: { name: "ASC" } }],
    } as const;
    await client.applications({ ...args, first: 2 }).toArray();
    for (const { body } of server.requests) expect(body.variables).toMatchObject(args);
    expect(server.requests).toHaveLength(2);
  });

  it("refuses a condition that stands outside of where, which would read everything", async () => {
    const { client, server } = await connectClient(collection(3));
    const args: object = { state: { eq: "DISCOVERED" } };
    expect(() => client.applications(args)).toThrow(/there is no state\. .*Conditions belong into where/);
    expect(server.requests).toEqual([]);
  });

  it("begins after the cursor that it is given", async () => {
    const { client } = await connectClient(collection(10));
    expect(await ids(client.applications({ first: 4, after: "c5" }))).toEqual(idsOf(6, 10));
  });

  it("can be iterated again, from the start", async () => {
    const { client } = await connectClient(collection(5));
    const apps = client.applications({ first: 2 });
    expect(await ids(apps)).toEqual(idsOf(0, 5));
    expect(await ids(apps)).toEqual(idsOf(0, 5));
    expect(await apps.toArray()).toEqual(nodeIds(0, 5));
  });

  it("does not change with the filter that it was made with", async () => {
    const { client, server } = await connectClient(collection(3));
    const where = { state: { eq: "DISCOVERED" } };
    const apps = client.applications({ where });
    where.state.eq = "ARCHIVED";
    await apps.toArray();
    expect(server.requests[0]?.body.variables).toMatchObject({ where: { state: { eq: "DISCOVERED" } } });
  });

  it("gives pages with their place and the total count", async () => {
    const { client } = await connectClient(collection(3));
    const pages = [];
    for await (const page of client.applications({ first: 2 }).pages()) pages.push(page);
    expect(pages).toEqual([
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

  it("gives its first page with one request", async () => {
    const { client, server } = await connectClient(collection(9));
    const page = await client.applications({ first: 4 }).firstPage();
    expect(page.nodes).toEqual(nodeIds(0, 4));
    expect(server.requests).toHaveLength(1);
  });

  it("counts all nodes with a page of one, whatever its limit", async () => {
    const { client, server } = await connectClient(collection(9));
    expect(await client.applications({ first: 4, after: "c7" }, { limit: 1 }).totalCount()).toBe(9);
    expect(server.requests[0]?.body.variables).toEqual({ first: 1 });
  });

  it("of nothing is one empty page", async () => {
    const { client, server } = await connectClient(collection(0));
    expect(await client.applications().toArray()).toEqual([]);
    expect(await ids(client.applications())).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  it("takes a page whose nodes are null for an empty one", async () => {
    const { client } = await connectClient((_, response) =>
      servePage(response, { ...forwardPage([], undefined), nodes: null }),
    );
    expect(await client.applications().toArray()).toEqual([]);
  });
});

describe("paging backward", () => {
  it("yields nodes from the end toward the start, pages in the server's order", async () => {
    const { client, server } = await connectClient(collection(5));
    const apps = client.applications({ last: 2 });
    expect(await ids(apps)).toEqual(["n4", "n3", "n2", "n1", "n0"]);
    expect(server.requests.map(({ body }) => body.variables)).toEqual([
      { last: 2 },
      { last: 2, before: "c3" },
      { last: 2, before: "c1" },
    ]);
    const pages = [];
    for await (const page of apps.pages()) pages.push(page.nodes.map((node) => node.id));
    expect(pages).toEqual([["n3", "n4"], ["n1", "n2"], ["n0"]]);
    expect((await apps.toArray()).map((node) => node.id)).toEqual(["n4", "n3", "n2", "n1", "n0"]);
  });

  it("begins before the cursor that it is given", async () => {
    const { client } = await connectClient(collection(5));
    expect(await ids(client.applications({ before: "c2" }))).toEqual(["n1", "n0"]);
  });

  it("keeps, of a page that is too long, the nodes nearest to the end", async () => {
    const { client } = await connectClient((_, response) =>
      servePage(response, pageOf(5, fakeRequest({ last: 5 }))),
    );
    expect(await ids(client.applications({ last: 2 }, { limit: 2 }))).toEqual(["n4", "n3"]);
  });
});

describe("a limit", () => {
  it("ends the iteration, and no more nodes are asked for than it allows", async () => {
    const { client, server } = await connectClient(collection(50));
    expect(await ids(client.applications({ first: 4 }, { limit: 6 }))).toEqual(idsOf(0, 6));
    expect(server.requests.map(({ body }) => body.variables["first"])).toEqual([4, 2]);
  });

  it("of toArray and of the connection: the smaller holds", async () => {
    const { client } = await connectClient(collection(50));
    expect(await client.applications({}, { limit: 6 }).toArray({ limit: 3 })).toHaveLength(3);
    expect(await client.applications({}, { limit: 3 }).toArray({ limit: 6 })).toHaveLength(3);
    expect(await client.applications({ first: 4 }).toArray({ limit: 6 })).toHaveLength(6);
  });

  it("of 0 requests nothing", async () => {
    const { client, server } = await connectClient(collection(50));
    expect(await client.applications({}, { limit: 0 }).toArray()).toEqual([]);
    expect(server.requests).toHaveLength(0);
  });

  it("cuts a page that is longer than asked for", async () => {
    const { client } = await connectClient((_, response) =>
      servePage(response, forwardPage(["a", "b", "c"], undefined)),
    );
    expect(await ids(client.applications({ first: 2 }, { limit: 2 }))).toEqual(["a", "b"]);
  });

  it("that cuts a page takes its cursor away: to go on from there would leave nodes out", async () => {
    const { client } = await connectClient((_, response) =>
      servePage(response, forwardPage(["a", "b", "c"], "c")),
    );
    const own = client.applications({ first: 2 }, { limit: 2 });
    const cut = { nodes: [{ id: "a" }, { id: "b" }], pageInfo: { hasNextPage: true, endCursor: null } };
    expect(await own.firstPage()).toMatchObject(cut);
    for await (const page of own.pages()) expect(page).toMatchObject(cut);
    const whole = await client.applications({ first: 3 }, { limit: 3 }).firstPage();
    expect(whole.pageInfo.endCursor).toBe("c");
  });

  it("that cuts a page of a walk from the end takes the cursor of that direction", async () => {
    const pageInfo = { hasPreviousPage: false, startCursor: "a", hasNextPage: true, endCursor: "c" };
    const { client } = await connectClient((_, response) =>
      servePage(response, { nodes: [{ id: "a" }, { id: "b" }, { id: "c" }], pageInfo, totalCount: 3 }),
    );
    const { nodes, pageInfo: cut } = await client.applications({ last: 2 }, { limit: 2 }).firstPage();
    expect(nodes).toMatchObject([{ id: "b" }, { id: "c" }]);
    expect(cut).toEqual({ ...pageInfo, hasPreviousPage: true, startCursor: null });
  });

  it("that is reached makes a cursor that is missing irrelevant", async () => {
    const { client } = await connectClient((_, response) => servePage(response, forwardPage(["a"], null)));
    expect(await ids(client.applications({}, { limit: 1 }))).toEqual(["a"]);
  });
});

describe("arguments", () => {
  it.each([
    ["first and last", { first: 1, last: 1 }],
    ["first and before", { first: 1, before: "c" }],
    ["after and last", { after: "c", last: 1 }],
    ["after and before", { after: "c", before: "c" }],
  ])("%s together are refused before any request", async (_, args) => {
    const { client, server } = await connectClient(collection(1));
    // @ts-expect-error the types refuse it too
    expect(() => client.applications(args)).toThrow(InvalidInputError);
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    { first: 0 },
    { first: -1 },
    { first: 1.5 },
    { first: Number.NaN },
    { last: Number.POSITIVE_INFINITY },
    { after: "" },
    { before: "" },
  ])("%j are refused", async (args) => {
    const { client } = await connectClient(collection(1));
    expect(() => client.licenses(args)).toThrow(InvalidInputError);
  });

  it.each([-1, 1.5, Number.NaN])("with a limit of %d are refused", async (limit) => {
    const { client } = await connectClient(collection(1));
    expect(() => client.licensePlans({}, { limit })).toThrow(InvalidInputError);
    expect(await rejection(client.licensePlans().toArray({ limit }))).toBeInstanceOf(InvalidInputError);
  });

  it("may be null, as a page's cursor is at the end", async () => {
    const { client, server } = await connectClient(collection(1));
    await client.applications({ first: null, after: null }).toArray();
    expect(server.requests[0]?.body.variables).toEqual({ first: 100 });
  });
});

describe("an unsound server", () => {
  it("may leave pages empty: they are followed", async () => {
    const { client } = await connectClient((_, response, index) =>
      servePage(
        response,
        [forwardPage([], "A"), forwardPage(["a"], "B"), forwardPage([], "C"), forwardPage(["b"], undefined)][
          index
        ] ?? forwardPage([], undefined),
      ),
    );
    expect(await ids(client.applications())).toEqual(["a", "b"]);
  });

  it("that sends empty pages for ever is left after 100 of them", async () => {
    const { client, server } = await connectClient((_, response, index) =>
      servePage(response, forwardPage([], `cursor-${index}`)),
    );
    const error = await rejection(ids(client.applications()));
    expect(error).toBeInstanceOf(PaginationError);
    expect(error).toMatchObject({ nodesYielded: 0, cursor: "cursor-99" });
    expect(server.requests).toHaveLength(101);
  });

  it("that goes in a circle is left at the first cursor that repeats", async () => {
    const { client, server } = await connectClient((_, response, index) =>
      servePage(response, forwardPage([`n${index}`], index % 2 === 0 ? "A" : "B")),
    );
    const met: string[] = [];
    const error = await rejection(
      (async () => {
        for await (const node of client.applications({}, { prefetch: false })) met.push(node.id);
      })(),
    );
    expect(error).toBeInstanceOf(PaginationError);
    expect(error).toMatchObject({ cursor: "B", nodesYielded: 2, retryable: false });
    expect(met).toEqual(["n0", "n1"]);
    expect(server.requests).toHaveLength(3);
  });

  it("that returns to the cursor where the walk began is left", async () => {
    const { client, server } = await connectClient((_, response) =>
      servePage(response, forwardPage(["a"], "START")),
    );
    const error = await rejection(client.applications({ after: "START" }).toArray());
    expect(error).toMatchObject({ code: "PAGINATION", cursor: "START", nodesYielded: 0 });
    expect(server.requests).toHaveLength(1);
  });

  it.each([null, "", 7])("that says hasNextPage with the cursor %j is left", async (endCursor) => {
    const bad = { nodes: [{ id: "n1" }], pageInfo: { hasNextPage: true, endCursor } };
    const { client } = await connectClient((_, response, index) =>
      json(response, { data: { applications: index === 0 ? forwardPage(["n0"], "A") : bad } }),
    );
    const error = await rejection(ids(client.applications()));
    expect(error).toBeInstanceOf(PaginationError);
    expect(error).toMatchObject({ cursor: "A", nodesYielded: 1 });
  });

  it.each([
    ["no connection", { applications: null, other: 1 }],
    ["no page info", { applications: { nodes: [] } }],
    ["a text for nodes", { applications: { nodes: "abc", pageInfo: { hasNextPage: false } } }],
    ["no nodes", { applications: { pageInfo: { hasNextPage: false } } }],
    ["no hasNextPage", { applications: { nodes: [], pageInfo: { endCursor: "A" } } }],
  ])("that sends %s is left", async (_, data) => {
    const { client } = await connectClient((_request, response) => json(response, { data }));
    expect(await rejection(client.applications().toArray())).toBeInstanceOf(PaginationError);
    expect(await rejection(client.applications().firstPage())).toBeInstanceOf(PaginationError);
  });
});

describe("a page that failed", () => {
  /** Page 2 (index 1) fails twice. */
  const failsTwice: Responder = (request, response, index) =>
    index === 1 || index === 2
      ? json(response, {}, { status: 400 })
      : servePage(response, pageOf(3, request));

  it.each([true, false])("can be asked for again with next() (prefetch: %j)", async (prefetch) => {
    const { client } = await connectClient(failsTwice);
    const nodes = client.applications({ first: 2 }, { prefetch })[Symbol.asyncIterator]();
    expect((await nodes.next()).value?.id).toBe("n0");
    expect((await nodes.next()).value?.id).toBe("n1");
    expect(await rejection(nodes.next())).toBeInstanceOf(TransportError);
    expect(await rejection(nodes.next())).toBeInstanceOf(TransportError);
    expect((await nodes.next()).value?.id).toBe("n2");
    expect(await nodes.next()).toEqual({ done: true, value: undefined });
  });

  it("can be asked for again where it was unsound", async () => {
    const { client } = await connectClient((_, response, index) =>
      servePage(response, index === 0 ? forwardPage(["a"], null) : forwardPage(["a"], undefined)),
    );
    const pages = client.applications().pages();
    expect(await rejection(pages.next())).toBeInstanceOf(PaginationError);
    expect((await pages.next()).value?.nodes).toHaveLength(1);
  });

  it("with entries in errors is a GraphQLResponseError, even beside a connection", async () => {
    const { client } = await connectClient((_, response) =>
      json(response, { data: { applications: forwardPage(["a"], undefined) }, errors: [{ message: "m" }] }),
    );
    expect(await rejection(client.applications().toArray())).toMatchObject({ code: "GRAPHQL_ERRORS" });
  });
});

describe("an iterator", () => {
  it("answers calls of next() that do not wait for each other in their order", async () => {
    const { client, server } = await connectClient(collection(5));
    const nodes = client.applications({ first: 2 })[Symbol.asyncIterator]();
    const results = await Promise.all(Array.from({ length: 7 }, () => nodes.next()));
    expect(results.map(({ value }) => value?.id)).toEqual([...idsOf(0, 5), undefined, undefined]);
    expect(server.requests).toHaveLength(3);
  });

  it("rejects with the signal's reason, also between two nodes of a page", async () => {
    const { client } = await connectClient(collection(5));
    const abort = new AbortController();
    const met: string[] = [];
    const error = await rejection(
      (async () => {
        for await (const node of client.applications({}, { signal: abort.signal })) {
          met.push(node.id);
          if (met.length === 2) abort.abort("enough");
        }
      })(),
    );
    expect(error).toBe("enough");
    expect(met).toEqual(["n0", "n1"]);
  });

  it("leaves no listener on the signal", async () => {
    const { client } = await connectClient(collection(5));
    const { signal } = new AbortController();
    const apps = client.applications({ first: 2 }, { signal });
    await apps.toArray();
    await ids(apps);
    for await (const _ of apps) break;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("that is left while a page is on its way ends, and the request is cancelled", async () => {
    const { client, server } = await connectClient(() => {});
    const pages = client.applications().pages();
    const next = pages.next();
    await server.arrived(1);
    await pages.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    await server.requests[0]?.cancelled;
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });
});

function fakeRequest(variables: Readonly<Record<string, unknown>>): Parameters<typeof pageOf>[1] {
  return {
    method: "POST",
    path: "/graphql",
    headers: {},
    body: { query: "", variables },
    cancelled: Promise.resolve(),
  };
}
