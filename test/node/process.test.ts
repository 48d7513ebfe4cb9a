import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { SaasManagementClientOptions } from "@saas-management/sdk";
import { describe, expect, it } from "vitest";
import { startConnectProxy } from "../support/connect-proxy.js";
import { json, startHttpServer } from "../support/http-server.js";
import { certificate, identity } from "../support/tls-certificates.js";
import { startTlsGraphQLServer } from "../support/tls-graphql-server.js";

const SCRIPT = fileURLToPath(new URL("../support/node-network-script.ts", import.meta.url));
const CERTIFICATES = fileURLToPath(new URL("../support/certs/authority-cert.pem", import.meta.url));
const tls = { ca: certificate("authority") };

/** Runs a request in a process of its own, which must end by itself. */
async function run(options: SaasManagementClientOptions, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", SCRIPT, JSON.stringify({ apiKey: "key-1", ...options })],
    { timeout: 15_000, env: { ...process.env, ...env } },
  );
  return JSON.parse(stdout);
}

describe("a process", () => {
  it("does not load undici where neither tls nor proxy is set, and keeps loopback from proxies of its environment", async () => {
    const proxy = await startConnectProxy();
    const { baseUrl, requests } = await startHttpServer((_, response) => json(response, { data: {} }));
    const url = `http://127.0.0.1:${proxy.port}`;
    const env = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, http_proxy: url, https_proxy: url };
    expect(await run({ baseUrl }, env)).toMatchObject({ undici: false, globalFetchIsNodes: true });
    expect(requests).toHaveLength(1);
    expect(proxy.accepted()).toBe(0);
  });

  it("loads it for tls, ends after close(), and keeps its own fetch as it was", async () => {
    const proxy = await startConnectProxy();
    const { port, peers } = await startTlsGraphQLServer(identity("server"));
    const url = `http://127.0.0.1:${proxy.port}`;
    const env = { HTTPS_PROXY: url, https_proxy: url };
    expect(await run({ baseUrl: `https://localhost:${port}`, tls }, env)).toEqual({
      undici: true,
      globalFetchIsNodes: true,
      sockets: [],
    });
    expect(peers).toHaveLength(1);
    expect(proxy.accepted()).toBe(0);
  });

  it("reaches a proxy over TLS that is signed by an authority which the process trusts, and ends after close()", async () => {
    const proxy = await startConnectProxy({ tls: identity("server"), credentials: "ada:secret" });
    const { port, peers } = await startTlsGraphQLServer(identity("named"));
    const options = {
      baseUrl: `https://sync.example.test:${port}`,
      tls,
      proxy: `https://ada:secret@localhost:${proxy.port}`,
    };
    expect(await run(options, { NODE_EXTRA_CA_CERTS: CERTIFICATES })).toMatchObject({ sockets: [] });
    expect(proxy.requests.map((request) => request.target)).toEqual([`sync.example.test:${port}`]);
    expect(peers).toHaveLength(1);
  });
});
