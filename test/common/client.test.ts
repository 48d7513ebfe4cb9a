import { readFile } from "node:fs/promises";
import { inspect } from "node:util";
import { ConfigurationError, SaasManagementClient } from "@saas-management/sdk";
import { afterEach, describe, expect, it, vi } from "vitest";
import { VERSION } from "../../src/core/options.js";
import { json, startHttpServer } from "../support/http-server.js";
import { rejection } from "../support/promises.js";

const OPTIONS = {
  baseUrl: "https://api.example.com",
  syncUrl: "https://sync.example.com",
  apiKey: "sk-canary",
};

describe("the client", () => {
  it("may be made for one API, and touching the other names the missing option", () => {
    const { baseUrl, syncUrl, apiKey } = OPTIONS;
    expect(() => new SaasManagementClient({ baseUrl, apiKey }).sync).toThrow(/needs syncUrl/);
    expect(() => new SaasManagementClient({ syncUrl, apiKey }).graphql).toThrow(/needs baseUrl/);
    expect(() => new SaasManagementClient({ apiKey })).toThrow(ConfigurationError);
  });

  it("checks every option when it is made", () => {
    expect(() => new SaasManagementClient({ ...OPTIONS, sync: { messageBytes: 0.5 } })).toThrow(
      /messageBytes/,
    );
    expect(() => new SaasManagementClient({ ...OPTIONS, baseUrl: "http://api.example.com" })).toThrow(
      /loopback/,
    );
    expect(() => new SaasManagementClient({ ...OPTIONS, timeoutMs: -1 })).toThrow(/timeoutMs/);
  });

  it("never shows its key", () => {
    const client = new SaasManagementClient(OPTIONS);
    for (const part of [client, client.graphql, client.sync]) {
      expect(inspect(part, { depth: 9, showHidden: true })).not.toContain("sk-canary");
      expect(JSON.stringify(part)).not.toContain("sk-canary");
    }
  });

  it("can be closed before it is used, and twice", async () => {
    const client = new SaasManagementClient(OPTIONS);
    await client.close();
    await client.close();
    await expect(client.sync.startBatch({ installationId: "i" })).rejects.toMatchObject({ code: "CLOSED" });
  });
});

it("calls an endpoint by the name that its option has here", () => {
  const options = { ...OPTIONS, syncUrl: "http://sync.example.com" };
  expect(() => new SaasManagementClient(options)).toThrow(/^syncUrl must begin with https:/);
});

describe("fromEnv", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("reads the environment, and overrides win", () => {
    vi.stubEnv("SAAS_MANAGEMENT_BASE_URL", OPTIONS.baseUrl);
    vi.stubEnv("SAAS_MANAGEMENT_SYNC_URL", "");
    vi.stubEnv("SAAS_MANAGEMENT_API_KEY", OPTIONS.apiKey);
    const client = SaasManagementClient.fromEnv();
    expect(client.graphql).toBeDefined();
    expect(() => client.sync).toThrow(/SAAS_MANAGEMENT_SYNC_URL/);
    expect(SaasManagementClient.fromEnv({ syncUrl: OPTIONS.syncUrl, apiKey: undefined }).sync).toBeDefined();
    expect(() => SaasManagementClient.fromEnv({ authorization: () => "x" })).not.toThrow();
  });

  it("reads overrides that an object of a class inherits, as getters, and what is within them", async () => {
    const environment = await startHttpServer((_, response) => json(response, { data: {} }));
    const own = await startHttpServer((_, response) => json(response, {}, { status: 503 }));
    vi.stubEnv("SAAS_MANAGEMENT_BASE_URL", environment.baseUrl);
    vi.stubEnv("SAAS_MANAGEMENT_API_KEY", "of-the-environment");
    class Retry {
      get retries() {
        return 0;
      }
    }
    class Overrides {
      get baseUrl() {
        return own.baseUrl;
      }
      get apiKey() {
        return "of-the-overrides";
      }
      get retry() {
        return new Retry();
      }
    }
    await using client = SaasManagementClient.fromEnv(new Overrides());
    expect(await rejection(client.graphql.request("{ x }"))).toMatchObject({ status: 503 });
    expect(environment.requests).toHaveLength(0);
    expect(own.requests.map(({ headers }) => headers.authorization)).toEqual(["of-the-overrides"]);
  });

  it("says what is missing", () => {
    expect(() => SaasManagementClient.fromEnv()).toThrow(/SAAS_MANAGEMENT_BASE_URL/);
    vi.stubEnv("SAAS_MANAGEMENT_BASE_URL", OPTIONS.baseUrl);
    vi.stubEnv("SAAS_MANAGEMENT_API_KEY", "");
    expect(() => SaasManagementClient.fromEnv()).toThrow(/SAAS_MANAGEMENT_API_KEY/);
  });
});

it("the user agent's version is the package's", async () => {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  expect(text).toContain(`"version": "${VERSION}"`);
});
