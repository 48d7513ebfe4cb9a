import { getEventListeners } from "node:events";
import { ClosedError, GraphQLClient } from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { API_KEY, connectClient, rejection, until } from "../support/http-client.js";
import { json } from "../support/http-server.js";
import { observedHooks } from "../support/observed.js";

const QUERY = "query Names { applications { nodes { id } } }";
const never = new Promise<never>(() => {});

test.each([
  ["before the answer", undefined],
  ["within the body", '{"data":'],
])("cancels a request on the server too when its signal aborts %s", async (_, begun) => {
  const { client, server } = await connectClient((_request, response) => {
    if (begun !== undefined) response.writeHead(200, { "content-type": "application/json" }).write(begun);
  });
  const abort = new AbortController();
  const error = rejection(client.request(QUERY, {}, { signal: abort.signal }));
  await server.arrived(1);
  const reason = { any: "value" };
  abort.abort(reason);
  expect(await error).toBe(reason);
  await server.requests[0]?.cancelled;
});

test("any number of requests share one listener on a signal, and the last of them removes it", async () => {
  const { client, clock, server } = await connectClient((_, response, index) => {
    if (index === 0) json(response, { data: { applications: null } });
  });
  const abort = new AbortController();
  const { signal } = abort;
  const requests = Array.from({ length: 20 }, () => client.request(QUERY, {}, { signal }));
  const ends = Promise.allSettled(requests);
  await server.arrived(20);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await Promise.race(requests);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  abort.abort("enough");
  const failed = (await ends).filter((end) => end.status === "rejected");
  expect(failed.map((end): unknown => end.reason)).toEqual(Array.from({ length: 19 }, () => "enough"));
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  expect(clock.sleeping).toBe(0);
});

test.each([
  ["apiKey function", { apiKey: () => never }],
  ["fetch", { apiKey: API_KEY, fetch: () => never }],
])("obeys the signal while the caller's %s never settles", async (_, options) => {
  const client = new GraphQLClient({ baseUrl: "https://api.example.com", ...options });
  const abort = new AbortController();
  const error = rejection(client.request(QUERY, {}, { signal: abort.signal }));
  setImmediate(() => abort.abort("enough"));
  expect(await error).toBe("enough");
});

test("gives a request 100 seconds by default, including its retries", async () => {
  const { client, clock, server } = await connectClient((_, response, index) => {
    if (index === 0) json(response, {}, { status: 503, headers: { "retry-after": "99" } });
  });
  const error = rejection(client.request(QUERY, {}));
  await until(() => clock.sleeping === 2);
  clock.advance(99_000);
  await server.arrived(2);
  clock.advance(1_000);
  expect(await error).toMatchObject({ code: "TIMEOUT", timeoutMs: 100_000, attempts: 2 });
});

test("cancels running requests on close, and refuses later ones", async () => {
  const { client, server } = await connectClient(() => {});
  const error = rejection(client.request(QUERY, {}));
  await server.arrived(1);
  await client.close();
  expect(await error).toBeInstanceOf(ClosedError);
  await server.requests[0]?.cancelled;
  await client[Symbol.asyncDispose]();
  expect(await rejection(client.request(QUERY, {}))).toBeInstanceOf(ClosedError);
  expect(server.requests).toHaveLength(1);
});

test("an abort during a pause settles a query at once and leaves neither listener nor timer", async () => {
  const { hooks, retries } = observedHooks();
  const { client, clock, server } = await connectClient(
    (_, response) => json(response, {}, { status: 503 }),
    { retry: { retries: 4, minDelayMs: 1e9, maxDelayMs: 1e9 }, timeoutMs: 2e9, ...hooks },
  );
  const stop = new AbortController();
  const error = rejection(client.request(QUERY, {}, { signal: stop.signal }));
  await until(() => retries.length === 1);
  stop.abort("enough");
  expect(await error).toBe("enough");
  expect(server.requests).toHaveLength(1);
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
  expect(clock.sleeping).toBe(0);
});
