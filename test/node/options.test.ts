import { inspect } from "node:util";
import { type ClientOptions, SaasManagementClient } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { everythingIn } from "../support/http-client.js";
import { identity } from "../support/tls-certificates.js";

const OPTIONS = {
  baseUrl: "https://api.example.com",
  syncUrl: "https://sync.example.com",
  apiKey: "key-1",
};

function refusal(options: Partial<ClientOptions>): unknown {
  try {
    new SaasManagementClient({ ...OPTIONS, ...options });
  } catch (error) {
    return error;
  }
  throw new Error("The client was expected to refuse.");
}

test.each<[string, Partial<ClientOptions>]>([
  ["tls with fetch", { tls: {}, fetch }],
  ["a proxy with fetch", { proxy: "http://p", fetch }],
  ["tls with fetch, for the Sync API only", { baseUrl: undefined, tls: {}, fetch }],
  ["a certificate without its key", { tls: { cert: "x" } }],
  ["a key without its certificate", { syncUrl: undefined, tls: { key: "x" } }],
  ["tls for http://", { baseUrl: "http://localhost:1", syncUrl: undefined, tls: {} }],
  ["an https:// proxy for gRPC", { proxy: "https://p.example.com" }],
  ["a proxy for an IPv6 address with gRPC", { syncUrl: "https://[::1]", proxy: "http://p" }],
])("refuses %s", (_, options) => {
  expect(refusal(options)).toMatchObject({ code: "INVALID_CONFIGURATION" });
});

test.each([
  "",
  "ada:canary@proxy.example.com:3128",
  "http://ada:canary@proxy.example.com:99999",
  "socks5://ada:canary@proxy.example.com",
  "http://ada:canary@proxy.example.com/path",
  "http://ada:canary@proxy.example.com?a=b",
  "http://ada:canary%@proxy.example.com",
])("an invalid proxy is refused without being quoted: %s", (proxy) => {
  const error = refusal({ proxy });
  expect(error).toMatchObject({ code: "INVALID_CONFIGURATION" });
  expect(everythingIn(error)).not.toContain("canary");
});

test("a client never shows its key, the proxy's password or its private key", () => {
  const tls = identity("client");
  // One line of the base64 text of the private key.
  const secret = tls.key.split("\n")[1] ?? "";
  expect(secret.length).toBeGreaterThan(20);
  const client = new SaasManagementClient({
    ...OPTIONS,
    apiKey: "sk-canary",
    tls,
    proxy: "http://ada:canary@proxy.example.com",
  });
  for (const part of [client, client.graphql, client.graphql.applications(), client.sync]) {
    const shown = inspect(part, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(part);
    expect(shown).not.toContain("canary");
    expect(shown).not.toContain(secret);
  }
});
