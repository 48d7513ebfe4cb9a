import {
  ClosedError,
  PaginationError,
  RateLimitError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";
import { connectClient, rejection, until } from "../support/http-client.js";
import { forwardPage, pageOf, servePage } from "../support/http-pages.js";
import { json, type Responder } from "../support/http-server.js";

/** Ten nodes; the request with this index is answered by `fail`. */
function failsAt(index: number, fail: Responder): Responder {
  return (request, response, at) =>
    at === index ? fail(request, response, at) : servePage(response, pageOf(10, request));
}

const refuses: Responder = (_, response) => json(response, {}, { status: 400 });

/** Nodes that were met until the walk ended, and the error that ended it. */
async function walk(nodes: AsyncIterable<{ readonly id: string }>) {
  const met: string[] = [];
  const error = await rejection(
    (async () => {
      for await (const node of nodes) met.push(node.id);
    })(),
  );
  if (!(error instanceof SaasManagementError)) throw error;
  return { met, error };
}

describe("an error that ends a walk", () => {
  it.each<[string, Responder, abstract new (...parameters: never[]) => SaasManagementError]>([
    ["HTTP 400", refuses, TransportError],
    ["HTTP 429", (_, response) => json(response, {}, { status: 429 }), RateLimitError],
    ["a dropped connection", (_, response) => response.destroy(), TransportError],
    ["a page without a cursor", (_, response) => servePage(response, forwardPage([], null)), PaginationError],
  ])("by %s tells where to go on and how many nodes were handed out", async (_, fail, errorClass) => {
    const { client } = await connectClient(failsAt(2, fail), { retry: false });
    const { met, error } = await walk(client.applications({ first: 3 }));
    expect(error).toBeInstanceOf(errorClass);
    expect(error.position).toEqual({ cursor: "c5", nodesYielded: 6 });
    const rest = await client.applications({ first: 3, after: error.position?.cursor }).toArray();
    expect([...met, ...rest.map(({ id }) => id)]).toEqual(Array.from({ length: 10 }, (_, i) => `n${i}`));
  });

  it("backward gives the cursor to go on with before", async () => {
    const { client } = await connectClient(failsAt(2, refuses));
    const { met, error } = await walk(client.applications({ last: 3 }));
    expect(error.position).toEqual({ cursor: "c4", nodesYielded: 6 });
    const rest = await client.applications({ last: 3, before: error.position?.cursor }).toArray();
    expect([...met, ...rest.map(({ id }) => id)]).toEqual(Array.from({ length: 10 }, (_, i) => `n${9 - i}`));
  });

  it("before its first page gives the cursor that it began with", async () => {
    const { client } = await connectClient(refuses);
    const { error } = await walk(client.applications({ first: 3, after: "c1" }));
    expect(error.position).toEqual({ cursor: "c1", nodesYielded: 0 });
    expect((await walk(client.applications())).error.position).toEqual({
      cursor: undefined,
      nodesYielded: 0,
    });
  });

  it("by its time or by close() tells it too", async () => {
    const { client, clock, server } = await connectClient(failsAt(1, () => {}));
    const slow = walk(client.applications({ first: 3 }, { timeoutMs: 5_000, prefetch: false }));
    await server.arrived(2);
    await until(() => clock.sleeping > 0);
    clock.advance(5_000);
    expect((await slow).error).toBeInstanceOf(TimeoutError);
    expect((await slow).error.position).toEqual({ cursor: "c2", nodesYielded: 3 });
    const closed = await connectClient(failsAt(1, () => {}));
    const left = walk(closed.client.applications({ first: 3 }));
    await closed.server.arrived(2);
    await closed.client.close();
    expect((await left).error).toBeInstanceOf(ClosedError);
    expect((await left).error.position).toEqual({ cursor: "c2", nodesYielded: 3 });
  });

  it("of toArray gives the cursor where it began: what it had read is lost with it", async () => {
    const { client } = await connectClient(failsAt(2, refuses));
    const error = await rejection(client.applications({ first: 3, after: "c0" }).toArray());
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ position: { cursor: "c0", nodesYielded: 0 } });
  });

  it("shows the number of nodes in JSON, and not the cursor, which may hold parts of a record", async () => {
    const { client } = await connectClient(failsAt(1, refuses));
    const { error } = await walk(client.applications({ first: 3 }));
    expect(error.toJSON()).toMatchObject({ nodesYielded: 3 });
    expect(JSON.stringify(error)).not.toContain("c2");
  });

  it("of a request has no position", async () => {
    const { client } = await connectClient(refuses);
    expect(await rejection(client.request("{ a }"))).toMatchObject({ position: undefined });
  });

  it("that is the caller's own reason stays as it is, an error of the SDK too", async () => {
    const { client, server } = await connectClient(failsAt(1, () => {}));
    const reason = new ClosedError("the caller's own");
    const abort = new AbortController();
    const left = walk(client.applications({ first: 3 }, { signal: abort.signal }));
    await server.arrived(2);
    abort.abort(reason);
    expect((await left).error).toBe(reason);
    expect(reason.position).toBeUndefined();
    expect(reason.stack).not.toContain("async walk");
  });
});

describe("an iterator whose page failed", () => {
  /** The second page fails twice. */
  const failsTwice: Responder = (request, response, index) =>
    index === 1 || index === 2
      ? json(response, {}, { status: 400 })
      : servePage(response, pageOf(5, request));

  it.each([true, false])("of pages asks for the same page again (prefetch: %j)", async (prefetch) => {
    const { client } = await connectClient(failsTwice);
    const pages = client.applications({ first: 2 }, { prefetch }).pages();
    const next = async () => (await pages.next()).value?.nodes.map(({ id }) => id);
    expect(await next()).toEqual(["n0", "n1"]);
    for (let failure = 0; failure < 2; failure++) {
      expect(await rejection(next())).toMatchObject({ position: { cursor: "c1", nodesYielded: 2 } });
    }
    expect(await next()).toEqual(["n2", "n3"]);
    expect(await next()).toEqual(["n4"]);
    expect(await next()).toBeUndefined();
  });

  it.each([true, false])("backward asks for the same page again (prefetch: %j)", async (prefetch) => {
    const { client, server } = await connectClient(failsTwice);
    const nodes = client.applications({ last: 2 }, { prefetch })[Symbol.asyncIterator]();
    const next = async () => (await nodes.next()).value?.id;
    expect([await next(), await next()]).toEqual(["n4", "n3"]);
    for (let failure = 0; failure < 2; failure++) {
      expect(await rejection(next())).toMatchObject({ position: { cursor: "c3", nodesYielded: 2 } });
    }
    expect([await next(), await next(), await next(), await next()]).toEqual(["n2", "n1", "n0", undefined]);
    expect(server.requests.map(({ body }) => body.variables["before"])).toEqual([
      undefined,
      "c3",
      "c3",
      "c3",
      "c1",
    ]);
  });
});

describe("the options of a connection", () => {
  it("apply to every page", async () => {
    const { client, server, clock } = await connectClient(failsAt(3, refuses));
    const options = { headers: { "x-run": "7" }, timeoutMs: 5_000, retry: false } as const;
    const { error } = await walk(client.applications({ first: 3 }, options));
    expect(error).toMatchObject({ attempts: 1 });
    expect(server.requests.map(({ headers }) => headers["x-run"])).toEqual(["7", "7", "7", "7"]);
    expect(clock.sleeping).toBe(0);
  });
});
