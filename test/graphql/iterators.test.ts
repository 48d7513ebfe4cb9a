import { ClosedError, GraphQLClient, SaasManagementError } from "@saas-management/sdk/graphql";
import { expect, onTestFinished, test, vi } from "vitest";
import { API_KEY, connectClient, rejection } from "../support/http-client.js";
import { forwardPage, nodeIds, pageOf, servePage, startBusyServer } from "../support/http-pages.js";
import { answer, type Responder } from "../support/http-server.js";

const refuses = answer({}, { status: 400 });
const silent: Responder = () => {};

/** So many nodes; requests from index `at` on, `times` of them, are answered by `fail`. */
function nodesUntil(count: number, at: number, fail: Responder, times = 1): Responder {
  return (request, response, index) =>
    index >= at && index < at + times
      ? fail(request, response, index)
      : servePage(response, pageOf(count, request));
}

const nodes = (count: number) => nodesUntil(count, 0, silent, 0);

/** Lets everything run that is ready. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The nodes of a walk until the error that ended it. */
async function walk(connection: AsyncIterable<{ readonly id: string }>) {
  const met: string[] = [];
  const error = await rejection(
    (async () => {
      for await (const node of connection) met.push(node.id);
    })(),
  );
  if (!(error instanceof SaasManagementError)) throw error;
  return { met, error };
}

const idsOf = (from: number, to: number) => nodeIds(from, to).map(({ id }) => id);

test("rejects with the reason of the signal, also between two nodes of a page", async () => {
  const { client } = await connectClient(nodes(5));
  const abort = new AbortController();
  const met: string[] = [];
  const walking = async () => {
    for await (const node of client.applications({ signal: abort.signal })) {
      met.push(node.id);
      if (met.length === 2) abort.abort("enough");
    }
  };
  expect(await rejection(walking())).toBe("enough");
  expect(met).toEqual(["n0", "n1"]);
});

test.each(["nodes", "pages"])("walks %s under fake timers that nobody advances", async (kind) => {
  const { client } = await connectClient(nodes(3));
  vi.useFakeTimers({ toFake: ["setImmediate"] });
  onTestFinished(() => void vi.useRealTimers());
  const apps = client.applications({ pageSize: 1 });
  let met = 0;
  for await (const _ of kind === "nodes" ? apps : apps.pages()) met += 1;
  expect(met).toBe(3);
});

test("reports a failed prefetch only when its page is due", async () => {
  const { client, server } = await connectClient(nodesUntil(3, 1, refuses));
  const iterator = client.applications({ pageSize: 2 })[Symbol.asyncIterator]();
  await iterator.next();
  await server.arrived(2);
  await turns(50);
  expect((await iterator.next()).value?.id).toBe("n1");
  expect(await rejection(iterator.next())).toMatchObject({ code: "TRANSPORT_FAILED" });
});

test("requests a page again whose prefetch timed out before it was due", async () => {
  const { client, server, clock } = await connectClient((request, response, index) => {
    if (index === 0 || index === 2) servePage(response, pageOf(6, request));
  });
  const iterator = client.applications({ pageSize: 2, timeoutMs: 5_000 }).pages()[Symbol.asyncIterator]();
  await iterator.next();
  await server.arrived(2);
  clock.advance(5_000);
  await server.requests[1]?.cancelled;
  expect((await iterator.next()).value?.nodes).toMatchObject([{ id: "n2" }, { id: "n3" }]);
  expect(server.requests[2]?.body.variables).toEqual(server.requests[1]?.body.variables);
  // A page that is due fails when its time is up.
  const last = rejection(iterator.next());
  await server.arrived(4);
  await turns(50);
  clock.advance(5_000);
  expect(await last).toMatchObject({ code: "TIMEOUT", position: { cursor: "c3", nodesYielded: 4 } });
  expect(server.requests).toHaveLength(4);
});

test.each(["nodes", "pages"])(
  "sends the next request while a consumer of %s never yields the thread",
  async (kind) => {
    const server = await startBusyServer();
    const client = new GraphQLClient({ baseUrl: server.baseUrl, apiKey: API_KEY });
    const apps = client.applications({ pageSize: 2 });
    const iterator = (kind === "nodes" ? apps : apps.pages())[Symbol.asyncIterator]();
    const perPage = kind === "nodes" ? 2 : 1;
    for (let page = 1; page <= 5; page++) {
      for (let step = 0; step < perPage; step++) await iterator.next();
      // Long enough for a slow consumer.
      const [slowAt, giveUpAt] = [performance.now() + 2, performance.now() + 5_000];
      while (performance.now() < slowAt || (server.arrived() < page + 1 && performance.now() < giveUpAt));
      expect(server.arrived()).toBe(page + 1);
    }
    await iterator.return?.();
  },
);

test.each<[string, Responder, string]>([
  ["HTTP 400", refuses, "TRANSPORT_FAILED"],
  ["HTTP 429", answer({}, { status: 429 }), "RATE_LIMITED"],
  ["a dropped connection", (_, response) => response.destroy(), "TRANSPORT_FAILED"],
  ["a page without a cursor", (_, response) => servePage(response, forwardPage([], null)), "PAGINATION"],
])("tells the position of a walk that ends by %s", async (_, fail, code) => {
  const { client } = await connectClient(nodesUntil(10, 2, fail), { retry: false });
  const { met, error } = await walk(client.applications({ pageSize: 3 }));
  expect(error).toMatchObject({ code, position: { cursor: "c5", nodesYielded: 6 } });
  const rest = await client.applications({ pageSize: 3, cursor: error.position?.cursor }).toArray();
  expect([...met, ...rest.map(({ id }) => id)]).toEqual(idsOf(0, 10));
  // The cursor may contain parts of a record.
  expect(error.toJSON()).toMatchObject({ nodesYielded: 6 });
  expect(JSON.stringify(error)).not.toContain("c5");
});

test("leaves the caller's own reason as it is, also if it is an error of the SDK", async () => {
  const { client, server } = await connectClient(nodesUntil(10, 1, silent));
  const reason = new ClosedError("the caller's own");
  const abort = new AbortController();
  const left = walk(client.applications({ pageSize: 3, signal: abort.signal }));
  await server.arrived(2);
  abort.abort(reason);
  expect((await left).error).toBe(reason);
  expect(reason.position).toBeUndefined();
});

test.each([
  ["nodes", true],
  ["nodes", false],
  ["pages", true],
  ["pages", false],
])("requests a failed page again with the next next() of %s (prefetch: %j)", async (kind, prefetch) => {
  const { client, server } = await connectClient(nodesUntil(5, 1, refuses, 2));
  const apps = client.applications({ from: "end", pageSize: 2, prefetch });
  const iterator = (kind === "nodes" ? apps : apps.pages())[Symbol.asyncIterator]();
  const perPage = kind === "nodes" ? 2 : 1;
  for (let step = 0; step < perPage; step++) expect((await iterator.next()).done).toBe(false);
  for (let failure = 0; failure < 2; failure++) {
    expect(await rejection(iterator.next())).toMatchObject({ position: { cursor: "c3", nodesYielded: 2 } });
  }
  const rest = [];
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
    rest.push("nodes" in next.value ? next.value.nodes.map(({ id }) => id).reverse() : next.value.id);
  expect(rest.flat()).toEqual(["n2", "n1", "n0"]);
  const cursors = server.requests.map(({ body }) => body.variables["before"]);
  expect(cursors).toEqual([undefined, "c3", "c3", "c3", "c1"]);
});
