import { type ClientOptions, SaasManagementClient } from "@saas-management/sdk";
import { expect, onTestFinished, test, vi } from "vitest";
import { rejection } from "../support/http-client.js";
import { startConnectProxy, startTlsServer } from "../support/http-server.js";
import { startSyncServer } from "../support/sync-server.js";
import { unusedPort } from "../support/tcp-peers.js";
import { certificate, identity } from "../support/tls-certificates.js";

const HOST = "sync.example.test";
const NAMES = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

/** Sets the variables of proxies, and no others. */
function environment(variables: Readonly<Record<string, string>>): void {
  for (const name of NAMES) vi.stubEnv(name, variables[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Calls both APIs at a host that only a proxy can resolve. @returns how each call ended */
async function callBoth(host: string, options: ClientOptions = {}) {
  const graphql = await startTlsServer(identity("named"));
  const sync = await startSyncServer(identity("named"));
  await using client = new SaasManagementClient({
    apiKey: "key-1",
    retry: false,
    tls: { ca: certificate("authority"), serverName: HOST },
    baseUrl: `https://${host}:${graphql.port}`,
    syncUrl: `https://${host}:${sync.port}`,
    ...options,
  });
  const calls = [
    client.graphql.request("query Probe { __typename }", {}),
    client.sync.startBatch({ installationId: "installation-1" }),
  ];
  const errors = await Promise.all(calls.map((call) => call.then(() => undefined, String)));
  return { errors, ports: [graphql.port, sync.port] };
}

test.each([
  ["HTTPS_PROXY", "http://127.0.0.1:"],
  ["https_proxy", "http://127.0.0.1:"],
  ["HTTPS_PROXY", "127.0.0.1:"],
])("both APIs go through the proxy of %s, %s", async (name, address) => {
  const proxy = await startConnectProxy();
  environment({ [name]: `${address}${proxy.port}`, NO_PROXY: "example.org" });
  const { errors, ports } = await callBoth(HOST);
  expect(errors).toEqual([undefined, undefined]);
  expect(proxy.requests.map(({ target }) => target).sort()).toEqual(
    ports.map((port) => `${HOST}:${port}`).sort(),
  );
});

test("the proxy option takes precedence over the environment, and lowercase variables over uppercase ones", async () => {
  const [chosen, other] = [await startConnectProxy(), await startConnectProxy()];
  const url = ({ port }: { readonly port: number }) => `http://127.0.0.1:${port}`;
  environment({ HTTPS_PROXY: url(other), https_proxy: url(other) });
  await callBoth(HOST, { proxy: url(chosen) });
  environment({ HTTPS_PROXY: url(other), https_proxy: url(chosen) });
  await callBoth(HOST);
  expect([chosen.requests.length, other.accepted()]).toEqual([4, 0]);
});

test.each([
  ["sync.example.test", HOST],
  [".example.test", HOST],
  ["localhost, test", HOST],
  ["*", HOST],
  ["SYNC.EXAMPLE.TEST", HOST],
  ["127.0.0.0/8,10.0.0.0/8", "10.255.255.1"],
  ["", "127.0.0.1"],
  ["", "localhost"],
])("NO_PROXY=%s and loopback keep %s from the proxy", async (except, host) => {
  const proxy = await startConnectProxy();
  environment({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: except });
  await callBoth(host, { timeoutMs: 300 });
  expect(proxy.accepted()).toBe(0);
});

test("HTTP_PROXY applies to http:// only, as in curl, and NO_PROXY matches whole labels only", async () => {
  const proxy = await startConnectProxy();
  environment({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` });
  await callBoth(HOST, { timeoutMs: 300 });
  expect(proxy.accepted()).toBe(0);
  environment({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "ample.test,10.0.0.0/8" });
  expect((await callBoth(HOST)).errors).toEqual([undefined, undefined]);
});

test("errors name the proxy and the variable that set it, but never its password", async () => {
  const port = await unusedPort();
  environment({ https_proxy: `http://ada:canary@127.0.0.1:${port}` });
  const { errors } = await callBoth(HOST);
  for (const error of errors) {
    expect(error).toContain(`(proxy: http://127.0.0.1:${port} of https_proxy)`);
    expect(error).not.toContain("canary");
  }
  environment({ HTTPS_PROXY: "socks5://ada:canary@127.0.0.1" });
  const error = await rejection(callBoth(HOST));
  expect(error).toMatchObject({ code: "INVALID_CONFIGURATION" });
  expect(String(error)).toMatch(/HTTPS_PROXY must begin with http:\/\/ or https:\/\/\.$/);
});
