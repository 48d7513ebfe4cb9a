import type { Socket } from "node:net";
import { type ClientOptions, SaasManagementClient } from "@saas-management/sdk";
import { expect, onTestFinished, test } from "vitest";
import { startConnectProxy } from "../support/connect-proxy.js";
import { everythingIn, rejection } from "../support/http-client.js";
import { json, startHttpServer, startTlsServer } from "../support/http-server.js";
import { listenTcp, unusedPort } from "../support/tcp-peers.js";
import { startTestService } from "../support/test-service.js";
import { certificate, identity } from "../support/tls-certificates.js";

const QUERY = "query Probe { __typename }";
const tls = { ca: certificate("authority") };

function connect(options: ClientOptions): SaasManagementClient {
  const client = new SaasManagementClient({ apiKey: "key-1", retry: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

test("GraphQL requests go through a tunnel to the host of baseUrl, which the proxy resolves", async () => {
  const proxy = await startConnectProxy();
  const { port, requests } = await startTlsServer(identity("named"));
  const baseUrl = `https://sync.example.test:${port}`;
  const client = connect({ baseUrl, tls, proxy: `http://127.0.0.1:${proxy.port}` });
  expect(await client.graphql.request(QUERY, {})).toEqual({});
  expect(requests.map(({ peer }) => peer)).toEqual([{ serverName: "sync.example.test", client: undefined }]);
  expect(proxy.requests).toEqual([{ target: `sync.example.test:${port}`, authorization: undefined }]);
  expect(proxy.others()).toBe(0);
});

test("loopback goes through a tunnel too, and tunnels are reused", async () => {
  const proxy = await startConnectProxy();
  const { baseUrl, apiKey } = (await startTestService()).server;
  const client = connect({ baseUrl, apiKey, proxy: `http://127.0.0.1:${proxy.port}` });
  for (let count = 0; count < 10; count += 1) {
    expect(await client.graphql.licenses().totalCount()).toBe(0);
  }
  const targets = proxy.requests.map((request) => request.target);
  expect(new Set(targets)).toEqual(new Set([new URL(baseUrl).host]));
  expect(targets.length).toBeLessThan(10);
  expect(proxy.others()).toBe(0);
});

test("the proxy gets the credentials of its URL, and the server does not", async () => {
  const proxy = await startConnectProxy({ credentials: "ada:p@ss:wörd" });
  const server = await startHttpServer((_, response) => json(response, { data: {} }));
  const url = `http://ada:p%40ss%3Aw%C3%B6rd@127.0.0.1:${proxy.port}`;
  await connect({ baseUrl: server.baseUrl, proxy: url }).graphql.request(QUERY, {});
  expect(server.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  expect(server.requests[0]?.headers.authorization).toBe("key-1");
});

test("a proxy that refuses is named in the error and not retried", async () => {
  const proxy = await startConnectProxy({ credentials: "ada:right" });
  const { baseUrl } = await startHttpServer((_, response) => json(response, { data: {} }));
  const url = `http://ada:secret-canary@127.0.0.1:${proxy.port}`;
  const client = connect({ baseUrl, proxy: url, retry: { retries: 3, minDelayMs: 1, maxDelayMs: 1 } });
  const error = await rejection(client.graphql.request(QUERY, {}));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false, attempts: 1 });
  expect(String(error)).toContain(`http://127.0.0.1:${proxy.port}`);
  expect(everythingIn(error)).not.toContain("canary");
  expect(proxy.requests).toHaveLength(1);

  const strict = await startConnectProxy({ status: 403 });
  const refused = connect({ baseUrl, proxy: `http://127.0.0.1:${strict.port}` });
  await expect(refused.graphql.request(QUERY, {})).rejects.toMatchObject({ retryable: false });
});

test("a proxy that fails or cannot be reached is retried for a query, not for a mutation", async () => {
  const failing = await startConnectProxy({ status: 503 });
  const { baseUrl, requests } = await startHttpServer((_, response) => json(response, { data: {} }));
  const retry = { retries: 1, minDelayMs: 1, maxDelayMs: 1 };
  const client = connect({ baseUrl, proxy: `http://127.0.0.1:${failing.port}`, retry });
  await expect(client.graphql.request(QUERY, {})).rejects.toMatchObject({
    attempts: 2,
    retryable: true,
  });
  await expect(client.graphql.request("mutation M { m }", {})).rejects.toMatchObject({ attempts: 1 });
  const absent = connect({ baseUrl, proxy: `http://127.0.0.1:${await unusedPort()}`, retry });
  await expect(absent.graphql.request(QUERY, {})).rejects.toMatchObject({
    attempts: 2,
    retryable: true,
  });
  expect(requests).toEqual([]);
});

test.each([
  ["at once", (socket: Socket) => void socket.destroy()],
  ["when it has read the request", (socket: Socket) => void socket.once("data", () => socket.end())],
  ["with a reset", (socket: Socket) => void socket.once("data", () => socket.resetAndDestroy())],
])(
  "a proxy that accepts and closes %s gets one connection per attempt and is named",
  async (_, onConnection) => {
    const proxy = await listenTcp(onConnection);
    const { baseUrl, requests } = await startHttpServer((_, response) => json(response, { data: {} }));
    const retry = { retries: 2, minDelayMs: 1, maxDelayMs: 1 };
    const client = connect({ baseUrl, proxy: `http://127.0.0.1:${proxy.port}`, retry, timeoutMs: 5000 });
    const error = await rejection(client.graphql.request(QUERY, {}));
    expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: true, attempts: 3 });
    expect(String(error)).toContain("the proxy closed the connection");
    expect(proxy.accepted()).toBe(3);
    expect(requests).toEqual([]);
  },
);

test("an abort ends a request through a proxy at once", async () => {
  const proxy = await startConnectProxy();
  const server = await startHttpServer(() => {});
  const client = connect({ baseUrl: server.baseUrl, proxy: `http://127.0.0.1:${proxy.port}` });
  const abort = new AbortController();
  const running = rejection(client.graphql.request(QUERY, {}, { signal: abort.signal }));
  await server.arrived(1);
  const reason = new Error("enough");
  abort.abort(reason);
  expect(await running).toBe(reason);
  await server.requests[0]?.cancelled;
});

test("close() ends running requests through a proxy", async () => {
  const proxy = await startConnectProxy();
  const server = await startHttpServer(() => {});
  const client = connect({ baseUrl: server.baseUrl, proxy: `http://127.0.0.1:${proxy.port}` });
  const running = rejection(client.graphql.request(QUERY, {}));
  await server.arrived(1);
  await client.close();
  expect(await running).toMatchObject({ code: "CLOSED" });
  await server.requests[0]?.cancelled;
});
