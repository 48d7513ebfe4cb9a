import { execFile } from "node:child_process";
import type { ServerOptions } from "node:https";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startConnectProxy } from "../support/connect-proxy.js";
import { json, startHttpServer } from "../support/http-server.js";
import { startBareServer } from "../support/tls-bare-server.js";
import { certificate, identity } from "../support/tls-certificates.js";
import { startTlsGraphQLServer } from "../support/tls-graphql-server.js";

const SCRIPT = fileURLToPath(new URL("../support/weakened-script.ts", import.meta.url));
const PROXIED_FETCH = fileURLToPath(new URL("../support/proxied-fetch.ts", import.meta.url));
const KEY = "canary-key-6f1d";
const tls = { ca: certificate("authority") };
const OLD = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;

/** What becomes of the calls with each of the options, in a process of its own; and all that it wrote. */
async function callsOf(options: readonly object[], flags: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--import=tsx", ...flags, SCRIPT, JSON.stringify(options)],
    { env: { ...process.env, ...env } },
  );
  const outcomes: unknown = JSON.parse(stdout);
  return { outcomes, written: stdout + stderr };
}

/** Both APIs of a server with this identity; `requests` counts what they saw. */
async function startServers(options: ServerOptions) {
  const graphql = await startTlsGraphQLServer(options);
  const sync = await startBareServer(options);
  const urls = { baseUrl: `https://localhost:${graphql.port}`, syncUrl: `https://localhost:${sync.port}` };
  return { urls, requests: () => graphql.peers.length + sync.calls.length };
}

describe("a process that was told to be careless", { timeout: 60_000 }, () => {
  it("with NODE_TLS_REJECT_UNAUTHORIZED=0 sends no key to a server whose certificate is not right", async () => {
    const expired = await startServers(identity("expired"));
    const named = await startServers(identity("named"));
    const right = await startServers(identity("server"));
    const tried = [expired.urls, { ...expired.urls, tls }, { ...named.urls, tls }, right.urls];
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const { outcomes, written } = await callsOf(tried, [], env);
    const alone = expect.stringContaining("it checks no certificates (NODE_TLS_REJECT_UNAUTHORIZED=0)");
    const refused = (graphql: string, sync: string) => ({
      graphql: expect.stringContaining(graphql),
      alone,
      sync: expect.stringContaining(sync),
    });
    expect(outcomes).toEqual([
      refused("CERT_HAS_EXPIRED", "its certificate has expired"),
      refused("CERT_HAS_EXPIRED", "its certificate has expired"),
      refused("ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another host name"),
      refused("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "not signed by an authority that is trusted here"),
    ]);
    expect(expired.requests() + named.requests() + right.requests()).toBe(0);
    expect(written).not.toContain(KEY);
    expect(await callsOf([{ ...right.urls, tls }], [], env)).toMatchObject({
      outcomes: [{ graphql: "answered", alone, sync: "answered" }],
    });
  });

  it("with a TLS floor of 1.0 speaks no TLS below 1.2, in either API and with or without tls", async () => {
    const old = await startServers({ ...identity("server"), ...OLD });
    const flags = ["--tls-min-v1.0", "--tls-cipher-list=DEFAULT@SECLEVEL=0"];
    const env = {
      NODE_EXTRA_CA_CERTS: fileURLToPath(new URL("../support/certs/authority-cert.pem", import.meta.url)),
    };
    const { outcomes } = await callsOf([old.urls, { ...old.urls, tls }], flags, env);
    const refused = {
      graphql: expect.stringContaining("TransportError"),
      alone: expect.stringContaining("it would speak TLSv1, which this process allows"),
      sync: expect.stringContaining("it speaks no TLS version that is accepted here"),
    };
    expect(outcomes).toEqual([refused, refused]);
    expect(old.requests()).toBe(0);
  });

  it.each([
    { NODE_USE_ENV_PROXY: "1" },
    { NODE_USE_ENV_PROXY: "true" },
    { NODE_USE_ENV_PROXY: "1", no_proxy: "", NO_PROXY: "127.0.0.1" },
    { NODE_USE_ENV_PROXY: "1", no_proxy: "*,intern" },
  ])(
    "with a proxy of the environment for every fetch keeps from it what is for loopback: %o",
    async (told) => {
      const proxy = await startConnectProxy();
      const { baseUrl } = await startHttpServer((_, response) => json(response, { data: {} }));
      const { port } = await startBareServer();
      const url = `http://127.0.0.1:${proxy.port}`;
      const env = { ...told, http_proxy: url, https_proxy: url, grpc_proxy: url };
      const { outcomes } = await callsOf([{ baseUrl, syncUrl: `http://127.0.0.1:${port}` }], [], env);
      expect(outcomes).toEqual([
        {
          graphql: "answered",
          alone: expect.stringContaining("sends what is for loopback, unencrypted, to a proxy"),
          sync: "answered",
        },
      ]);
      expect(proxy.accepted()).toBe(0);
    },
  );

  it("whose global fetch was given a proxy by the program keeps from it what is for loopback", async () => {
    const proxy = await startConnectProxy();
    const { baseUrl } = await startHttpServer((_, response) => json(response, { data: {} }));
    const { port } = await startBareServer();
    const env = { http_proxy: `http://127.0.0.1:${proxy.port}` };
    const options = { baseUrl, syncUrl: `http://127.0.0.1:${port}` };
    const { outcomes } = await callsOf([options], [`--import=${PROXIED_FETCH}`], env);
    const alone = expect.stringContaining("sends what is for loopback, unencrypted, to a proxy");
    expect(outcomes).toEqual([{ graphql: "answered", alone, sync: "answered" }]);
    expect(proxy.accepted()).toBe(0);
  });
});
