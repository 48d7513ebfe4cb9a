import { ClosedError, GraphQLClient } from "@saas-management/sdk/graphql";
import { expect, onTestFinished, test, vi } from "vitest";
import { API_KEY, connectClient, rejection } from "../support/http-client.js";
import { pageOf, servePage, startBusyServer } from "../support/http-pages.js";
import { answer, type Responder } from "../support/http-server.js";

const refuses = answer({}, { status: 400 });
const silent: Responder = () => {};

/** Serves `count` nodes, but lets `fail` answer `times` requests, the first of them at index `at`. */
function nodesUntil(count: number, at: number, fail: Responder, times = 1): Responder {
  return (request, response, index) =>
    index >= at && index < at + times
      ? fail(request, response, index)
      : servePage(response, pageOf(count, request));
}

const nodes = (count: number) => nodesUntil(count, 0, silent, 0);

/** Waits for this many turns of the event loop, so that everything that is ready has run. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test.each(["nodes", "pages"])("rejects with the reason of the signal between two %s", async (kind) => {
  const { client, server } = await connectClient(nodes(5));
  const abort = new AbortController();
  const apps = client.applications({ pageSize: 2, signal: abort.signal });
  const iterator = (kind === "nodes" ? apps : apps.pages())[Symbol.asyncIterator]();
  await iterator.next();
  // The next node and the next page have already arrived.
  await server.arrived(2);
  await turns(50);
  abort.abort("enough");
  expect(await rejection(iterator.next())).toBe("enough");
});

test("leaves the caller's own reason unchanged, even if it is an error of the SDK", async () => {
  const { client, server } = await connectClient(nodesUntil(10, 1, silent));
  const reason = new ClosedError("the caller's own");
  const abort = new AbortController();
  const pages = client.applications({ pageSize: 3, signal: abort.signal }).pages()[Symbol.asyncIterator]();
  await pages.next();
  const left = rejection(pages.next());
  await server.arrived(2);
  abort.abort(reason);
  expect(await left).toBe(reason);
  expect(reason.position).toBeUndefined();
});

test.each(["nodes", "pages"])("reads %s under fake timers that nobody advances", async (kind) => {
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

test("requests a page again if its prefetch timed out before it was due", async () => {
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
  // A page that the consumer awaits fails at the time limit.
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
      // This is longer than a slow consumer takes.
      const [slowAt, giveUpAt] = [performance.now() + 2, performance.now() + 5_000];
      while (performance.now() < slowAt || (server.arrived() < page + 1 && performance.now() < giveUpAt));
      expect(server.arrived()).toBe(page + 1);
    }
    await iterator.return?.();
  },
);
