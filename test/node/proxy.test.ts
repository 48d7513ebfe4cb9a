import type { Socket } from "node:net";
import { inspect } from "node:util";
import { type ClientOptions, SaasManagementClient } from "@saas-management/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { everythingIn, rejection } from "../support/http-client.js";
import { answer, startConnectProxy, startHttpServer } from "../support/http-server.js";
import { until } from "../support/promises.js";
import { startSyncServer } from "../support/sync-server.js";
import { listenTcp, unusedPort } from "../support/tcp-peers.js";
import { startTestService } from "../support/test-service.js";
import { certificate, identity } from "../support/tls-certificates.js";

const QUERY = "query Probe { __typename }";
const tls = { ca: certificate("authority") };
const retries = (count: number) => ({ retries: count, minDelayMs: 1, maxDelayMs: 1 });

function connect(options: ClientOptions): SaasManagementClient {
  const client = new SaasManagementClient({ apiKey: "key-1", retry: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** For each API: the option for its endpoint, a call, and a server that records the headers it got. */
const APIS = {
  GraphQL: {
    option: "baseUrl",
    call: ({ graphql }: SaasManagementClient) => graphql.request(QUERY, {}),
    start: async (secure?: ReturnType<typeof identity>) => {
      const { requests, ...server } = await startHttpServer(answer({ data: {} }), secure);
      return { ...server, headers: () => requests.map(({ headers }) => headers) };
    },
  },
  "the Sync API": {
    option: "syncUrl",
    call: ({ sync }: SaasManagementClient) => sync.startBatch({ installationId: "installation-1" }),
    start: async (secure?: ReturnType<typeof identity>) => {
      const server = await startSyncServer(secure);
      return { ...server, headers: () => server.headers };
    },
  },
} as const;

describe.each(Object.entries(APIS))("%s", (_, { option, call, start }) => {
  test("tunnels to a host that the proxy resolves, and still checks the certificate against that host", async () => {
    const proxy = await startConnectProxy();
    const { port, headers } = await start(identity("named"));
    const endpoint = `https://sync.example.test:${port}`;
    const client = connect({ [option]: endpoint, tls, proxy: `http://localhost:${proxy.port}` });
    await call(client);
    expect(headers()).toHaveLength(1);
    expect(proxy.requests).toEqual([{ target: `sync.example.test:${port}`, authorization: undefined }]);
    expect(proxy.others()).toBe(0);
    const stranger = connect({ [option]: endpoint, proxy: `http://localhost:${proxy.port}` });
    await expect(call(stranger)).rejects.toMatchObject({ code: "TRANSPORT_FAILED", retryable: false });
  });

  test("tunnels loopback without TLS, and doesn't send the credentials of the proxy's URL to the server", async () => {
    const proxy = await startConnectProxy({ credentials: "ada:p@ss:wörd" });
    const { port, headers } = await start();
    const url = `http://ada:p%40ss%3Aw%C3%B6rd@127.0.0.1:${proxy.port}`;
    const client = connect({ [option]: `http://127.0.0.1:${port}`, proxy: url });
    await call(client);
    expect(proxy.requests.map(({ target }) => target)).toEqual([`127.0.0.1:${port}`]);
    expect(headers()).toHaveLength(1);
    expect(headers()[0]).not.toHaveProperty("proxy-authorization");
    expect(inspect(client, { depth: 9, showHidden: true })).not.toContain("p@ss");
  });

  test("names a refusing or absent proxy without its password, and doesn't retry a refused request", async () => {
    const proxy = await startConnectProxy({ credentials: "ada:right" });
    const { port, accepted } = await start();
    const urls = [`127.0.0.1:${proxy.port}`, `127.0.0.1:${await unusedPort()}`];
    for (const [index, url] of urls.entries()) {
      const options = { proxy: `http://ada:secret-canary@${url}`, retry: retries(1) };
      const error = await rejection(call(connect({ [option]: `http://127.0.0.1:${port}`, ...options })));
      expect(error).toMatchObject({
        code: "TRANSPORT_FAILED",
        attempts: option === "baseUrl" ? 1 + index : 2,
      });
      expect(String(error)).toContain(url);
      expect(everythingIn(error)).not.toContain("canary");
    }
    expect(accepted()).toBe(0);
  });

  test.each([
    ["at once", (socket: Socket) => void socket.destroy()],
    ["when it has read the request", (socket: Socket) => void socket.once("data", () => socket.end())],
    ["with a reset", (socket: Socket) => void socket.once("data", () => socket.resetAndDestroy())],
  ])(
    "names a proxy that accepts a connection and closes it %s, with one connection per attempt",
    async (_how, onConnection) => {
      const proxy = await listenTcp(onConnection);
      const { port, accepted } = await start();
      const options = { proxy: `http://127.0.0.1:${proxy.port}`, retry: retries(2) };
      const error = await rejection(call(connect({ [option]: `http://127.0.0.1:${port}`, ...options })));
      expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: true, attempts: 3 });
      expect(String(error)).toMatch(
        /the proxy (closed the connection|cannot be reached, or opened no tunnel)/,
      );
      expect([proxy.accepted(), accepted()]).toEqual([3, 0]);
    },
  );

  test("disconnects from the proxy when the client is closed", async () => {
    const proxy = await startConnectProxy();
    const { port } = await start();
    const client = connect({
      [option]: `http://127.0.0.1:${port}`,
      proxy: `http://127.0.0.1:${proxy.port}`,
    });
    await call(client);
    expect(proxy.open()).toBe(1);
    await client.close();
    await until(() => proxy.open() === 0);
  });
});

test("tunnels are reused", async () => {
  const proxy = await startConnectProxy();
  const { baseUrl, apiKey } = (await startTestService()).server;
  const client = connect({ baseUrl, apiKey, proxy: `http://127.0.0.1:${proxy.port}` });
  for (let count = 0; count < 10; count += 1) await client.graphql.licenses().totalCount();
  expect(proxy.requests.length).toBeLessThan(10);
});

test("a proxy that fails or cannot be reached is retried for a query, not for a mutation", async () => {
  const failing = await startConnectProxy({ status: 503 });
  const strict = await startConnectProxy({ status: 403 });
  const { baseUrl, requests } = await startHttpServer(answer({ data: {} }));
  for (const [port, document, expected] of [
    [failing.port, QUERY, { attempts: 2, retryable: true }],
    [await unusedPort(), QUERY, { attempts: 2, retryable: true }],
    [failing.port, "mutation M { m }", { attempts: 1 }],
    [strict.port, QUERY, { attempts: 1, retryable: false }],
  ] as const) {
    const client = connect({ baseUrl, proxy: `http://127.0.0.1:${port}`, retry: retries(1) });
    await expect(client.graphql.request(document, {})).rejects.toMatchObject(expected);
  }
  expect(requests).toEqual([]);
});

test.each([
  ["an abort", (stop: AbortController) => stop.abort("enough"), "enough"],
  ["close()", (_: AbortController, client: SaasManagementClient) => client.close(), { code: "CLOSED" }],
] as const)("%s ends a request through a proxy at once", async (_, end, expected) => {
  const proxy = await startConnectProxy();
  const server = await startHttpServer(() => {});
  const client = connect({ baseUrl: server.baseUrl, proxy: `http://127.0.0.1:${proxy.port}` });
  const stop = new AbortController();
  const running = rejection(client.graphql.request(QUERY, {}, { signal: stop.signal }));
  await server.arrived(1);
  await end(stop, client);
  if (typeof expected === "string") expect(await running).toBe(expected);
  else expect(await running).toMatchObject(expected);
  await server.requests[0]?.cancelled;
});
