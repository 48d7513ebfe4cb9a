import { inspect } from "node:util";
import {
  ConfigurationError,
  SaasManagementClient,
  type SaasManagementClientOptions,
} from "@saas-management/sdk";
import { describe, expect, it } from "vitest";
import { everythingIn } from "../support/http-client.js";
import { identity } from "../support/tls-certificates.js";

const OPTIONS = {
  baseUrl: "https://api.example.com",
  syncUrl: "https://sync.example.com",
  apiKey: "key-1",
};

function refusal(options: Partial<SaasManagementClientOptions>): unknown {
  try {
    new SaasManagementClient({ ...OPTIONS, ...options });
  } catch (error) {
    return error;
  }
  throw new Error("The client was expected to refuse.");
}

describe("tls and proxy", () => {
  it.each<[string, Partial<SaasManagementClientOptions>, RegExp]>([
    ["tls beside fetch", { tls: {}, fetch }, /tls and fetch are both set/],
    ["a proxy beside fetch", { proxy: "http://p", fetch }, /proxy and fetch are both set/],
    ["both, for the Sync API alone", { baseUrl: undefined, tls: {}, fetch }, /tls and fetch/],
    ["a certificate without its key", { tls: { cert: "x" } }, /tls\.cert and tls\.key/],
    ["a key without its certificate", { syncUrl: undefined, tls: { key: "x" } }, /tls\.cert and tls\.key/],
    [
      "tls for GraphQL without TLS",
      { baseUrl: "http://localhost:1", syncUrl: undefined, tls: {} },
      /tls is set but baseUrl begins with http:/,
    ],
    ["an https:// proxy for gRPC", { proxy: "https://p.example.com" }, /http:\/\/ for the Sync API/],
    ["an address that gRPC cannot ask for", { syncUrl: "https://[::1]", proxy: "http://p" }, /IPv6/],
  ])("are refused: %s", (_, options, message) => {
    const error = refusal(options);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toMatch(message);
  });

  it.each([
    ["", /absolute URL/],
    ["ada:canary@proxy.example.com:3128", /absolute URL|begin with http/],
    ["http://ada:canary@proxy.example.com:99999", /absolute URL/],
    ["socks5://ada:canary@proxy.example.com", /begin with http/],
    ["http://ada:canary@proxy.example.com/path", /must not have a path/],
    ["http://ada:canary@proxy.example.com?a=b", /must not have a path, a query/],
    ["http://ada:canary%@proxy.example.com", /write it as %25/],
  ])("are refused without being quoted: the proxy %s", (proxy, message) => {
    const error = refusal({ proxy });
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toMatch(message);
    expect(everythingIn(error)).not.toContain("canary");
  });

  it("never show the proxy's password or the client's key", () => {
    const tls = identity("client");
    // A line of the key's base64.
    const secret = tls.key.split("\n")[1] ?? "";
    expect(secret.length).toBeGreaterThan(20);
    const client = new SaasManagementClient({
      ...OPTIONS,
      tls,
      proxy: "http://ada:canary@proxy.example.com",
    });
    for (const part of [client, client.graphql, client.sync]) {
      expect(inspect(part, { depth: 9, showHidden: true, getters: true })).not.toContain("canary");
      expect(JSON.stringify(part)).not.toContain("canary");
      expect(inspect(part, { depth: 9, showHidden: true, getters: true })).not.toContain(secret);
      expect(JSON.stringify(part)).not.toContain(secret);
    }
  });
});
