import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ClientOptions } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { json, startConnectProxy, startHttpServer, startTlsServer } from "../../support/http-server.js";
import { certificate, certificateFile, identity } from "../../support/tls-certificates.js";
import { programFile } from "../programs.js";

const tls = { ca: certificate("authority") };

/** Runs a request in its own process, which must exit by itself. */
async function run(options: ClientOptions, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [programFile("node-network-script"), JSON.stringify({ apiKey: "key-1", ...options })],
    { timeout: 50_000, env: { ...process.env, ...env } },
  );
  return JSON.parse(stdout);
}

test("undici is not loaded without tls and proxy, and the environment's proxy never captures loopback", async () => {
  const proxy = await startConnectProxy();
  const { baseUrl, requests } = await startHttpServer((_, response) => json(response, { data: {} }));
  const url = `http://127.0.0.1:${proxy.port}`;
  const env = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, http_proxy: url, https_proxy: url };
  expect(await run({ baseUrl }, env)).toMatchObject({ undici: false, globalFetchIsNodes: true });
  expect(requests).toHaveLength(1);
  expect(proxy.accepted()).toBe(0);
});

test("tls loads undici, the process ends after close(), and globalThis.fetch is unchanged", async () => {
  const proxy = await startConnectProxy();
  const { port, requests } = await startTlsServer(identity("server"));
  const url = `http://127.0.0.1:${proxy.port}`;
  const env = { HTTPS_PROXY: url, https_proxy: url };
  expect(await run({ baseUrl: `https://localhost:${port}`, tls }, env)).toEqual({
    undici: true,
    globalFetchIsNodes: true,
    sockets: [],
  });
  expect(requests).toHaveLength(1);
  expect(proxy.accepted()).toBe(0);
});

test("tls works where jsdom replaced AbortController and AbortSignal before undici was loaded", async () => {
  const { port, requests } = await startTlsServer(identity("server"));
  const env = { FOREIGN_SIGNALS: "1" };
  expect(await run({ baseUrl: `https://localhost:${port}`, tls, timeoutMs: 10_000 }, env)).toMatchObject({
    undici: true,
    sockets: [],
  });
  expect(requests).toHaveLength(1);
});

test("a proxy over TLS is trusted if the process trusts its authority", async () => {
  const proxy = await startConnectProxy({ tls: identity("server"), credentials: "ada:secret" });
  const { port, requests } = await startTlsServer(identity("named"));
  const options = {
    baseUrl: `https://sync.example.test:${port}`,
    tls,
    proxy: `https://ada:secret@localhost:${proxy.port}`,
  };
  expect(await run(options, { NODE_EXTRA_CA_CERTS: certificateFile("authority") })).toMatchObject({
    sockets: [],
  });
  expect(proxy.requests.map((request) => request.target)).toEqual([`sync.example.test:${port}`]);
  expect(requests).toHaveLength(1);
});
