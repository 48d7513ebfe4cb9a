import { inspect } from "node:util";
import { TransportError } from "@saas-management/sdk";
import { expect, onTestFinished, test } from "vitest";
import { createSyncClient } from "../../src/sync/client.js";
import type { SyncEngine } from "../../src/sync/engine.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { startConnectProxy } from "../support/connect-proxy.js";
import { everythingIn, rejection } from "../support/http-client.js";
import { startSyncServer } from "../support/sync-server.js";
import { listenTcp, unusedPort } from "../support/tcp-peers.js";
import { certificate, identity } from "../support/tls-certificates.js";

const START = { installationId: "installation-1" };
const tls = { ca: certificate("authority") };

function connect(endpoint: string, options: Partial<SyncClientOptions>): SyncEngine {
  const client = createSyncClient({ endpoint, apiKey: "key-1", retry: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

test("the Sync API goes through a tunnel, and the certificate is still checked for the endpoint", async () => {
  const proxy = await startConnectProxy();
  const server = await startSyncServer(identity("named"));
  const endpoint = `https://sync.example.test:${server.port}`;
  const client = connect(endpoint, { tls, proxy: `http://localhost:${proxy.port}` });
  expect((await client.startBatch(START)).id).toBe("batch-1");
  expect(proxy.requests).toEqual([{ target: `sync.example.test:${server.port}`, authorization: undefined }]);
  expect(server.headers.map((headers) => headers[":authority"])).toEqual([
    `sync.example.test:${server.port}`,
  ]);
});

test("the Sync API tunnels loopback without TLS, and sends the proxy its credentials", async () => {
  const proxy = await startConnectProxy({ credentials: "ada:p@ss:wörd" });
  const server = await startSyncServer();
  const endpoint = `http://127.0.0.1:${server.port}`;
  const url = `http://ada:p%40ss%3Aw%C3%B6rd@127.0.0.1:${proxy.port}`;
  const client = connect(endpoint, { proxy: url });
  expect((await client.startBatch(START)).id).toBe("batch-1");
  expect(proxy.requests.map((request) => request.target)).toEqual([`127.0.0.1:${server.port}`]);
  expect(inspect(client, { depth: 9, showHidden: true })).not.toContain("p@ss");
});

test("a proxy of the Sync API that refuses or is absent is named in an error without the password", async () => {
  const proxy = await startConnectProxy({ credentials: "ada:right" });
  const server = await startSyncServer();
  const endpoint = `http://127.0.0.1:${server.port}`;
  const url = `http://ada:secret-canary@127.0.0.1:${proxy.port}`;
  for (const bad of [url, `http://127.0.0.1:${await unusedPort()}`]) {
    const error = await rejection(connect(endpoint, { proxy: bad }).startBatch(START));
    expect(error).toBeInstanceOf(TransportError);
    expect(String(error)).toContain("the proxy");
    expect(everythingIn(error)).not.toContain("canary");
  }
  expect(server.accepted()).toBe(0);
});

test("a proxy of the Sync API that accepts and closes gets one connection per attempt and is named", async () => {
  const proxy = await listenTcp((socket) => void socket.once("data", () => socket.end()));
  const server = await startSyncServer();
  const retry = { retries: 2, minDelayMs: 1, maxDelayMs: 1 };
  const options = { proxy: `http://127.0.0.1:${proxy.port}`, retry, timeoutMs: 5000 };
  const error = await rejection(connect(`http://127.0.0.1:${server.port}`, options).startBatch(START));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", attempts: 3 });
  expect(String(error)).toContain("the proxy did not open a tunnel");
  expect(proxy.accepted()).toBe(3);
  expect(server.accepted()).toBe(0);
});

test("close() of the Sync API leaves the proxy", async () => {
  const proxy = await startConnectProxy();
  const server = await startSyncServer();
  const client = connect(`http://127.0.0.1:${server.port}`, { proxy: `http://127.0.0.1:${proxy.port}` });
  await client.startBatch(START);
  expect(proxy.open()).toBe(1);
  await client.close();
  await expect.poll(() => proxy.open()).toBe(0);
});
