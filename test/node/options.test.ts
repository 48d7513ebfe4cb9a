import { inspect } from "node:util";
import {
  ConfigurationError,
  SaasManagementClient,
  type SaasManagementClientOptions,
} from "@saas-management/sdk";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { SyncClient } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { everythingIn } from "../support/http-client.js";
import { identity } from "../support/tls-certificates.js";

const OPTIONS = {
  baseUrl: "https://api.example.com",
  syncUrl: "https://sync.example.com",
  apiKey: "key-1",
};

function refusal(options: Partial<SaasManagementClientOptions>): unknown {
  return thrownBy(() => new SaasManagementClient({ ...OPTIONS, ...options }));
}

function thrownBy(make: () => unknown): unknown {
  try {
    make();
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

  it.each<[string, object, RegExp]>([
    ["tls", { tls: {} }, /: tls has no effect on a GraphQLClient.* fetch.* SaasManagementClient/],
    ["a proxy", { proxy: "http://ada:canary@p" }, /: proxy has no effect on a GraphQLClient.* fetch/],
  ])("are refused by a GraphQLClient alone, where they would have no effect: %s", (_, given, message) => {
    const options = { baseUrl: OPTIONS.baseUrl, apiKey: OPTIONS.apiKey, ...given };
    const error = thrownBy(() => new GraphQLClient(options));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toMatch(message);
    expect(everythingIn(error)).not.toContain("canary");
    expect(() => new GraphQLClient({ ...options, ...{ tls: undefined, proxy: undefined } })).not.toThrow();
  });

  it("reach both APIs of one client", async () => {
    const client = new SaasManagementClient({ ...OPTIONS, tls: {}, proxy: "http://p" });
    expect([client.graphql, client.sync]).toHaveLength(2);
    await client.close();
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

describe("a SyncClient alone", () => {
  const { syncUrl: endpoint, apiKey } = OPTIONS;

  it.each<[string, object, RegExp]>([
    ["a fetch", { endpoint, fetch }, /: fetch has no effect on a SyncClient.* gRPC: use tls or proxy/],
    [
      "tuning",
      { endpoint, sync: { messageBytes: 1 } },
      /: sync has no effect .*: give its fields themselves/,
    ],
    ["the endpoint by another name", { syncUrl: endpoint }, /: syncUrl .* SyncClient calls it endpoint/],
  ])("refuses what it would pass over in silence: %s", (_, given, message) => {
    const options = { apiKey, ...given };
    // @ts-expect-error -- the types know that the endpoint may be missing
    const error = thrownBy(() => new SyncClient(options));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toMatch(message);
  });

  it("takes options that hold the addresses of both APIs: they change nothing of what it does", () => {
    expect(() => new SyncClient({ ...OPTIONS, endpoint })).not.toThrow();
  });
});
