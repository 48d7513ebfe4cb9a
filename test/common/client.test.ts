import { readFile } from "node:fs/promises";
import { SaasManagementClient } from "@saas-management/sdk";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { afterEach, expect, test, vi } from "vitest";
import { VERSION } from "../../src/core/version.js";

const OPTIONS = {
  baseUrl: "https://api.example.com",
  syncUrl: "https://sync.example.com",
  apiKey: "sk-canary",
};
const INVALID = expect.objectContaining({ code: "INVALID_CONFIGURATION" });
const NO_KEY = expect.objectContaining({ code: "AUTHENTICATION_FAILED" });

afterEach(() => vi.unstubAllEnvs());

test("a client of one API names the missing option when the other is used", () => {
  const { baseUrl, syncUrl, apiKey } = OPTIONS;
  expect(() => new SaasManagementClient({ baseUrl, apiKey }).sync).toThrow(INVALID);
  expect(() => new SaasManagementClient({ syncUrl, apiKey }).graphql).toThrow(INVALID);
  expect(() => new SaasManagementClient({ apiKey })).toThrow(INVALID);
});

test.each([
  { sync: { windowBytes: 0.5 } },
  { baseUrl: "http://api.example.com" },
  { syncUrl: "http://sync.example.com" },
  { timeoutMs: -1 },
  { retry: { retries: -1 } },
  { retry: { minDelayMs: 2, maxDelayMs: 1 } },
  { headers: { Authorization: "x" } },
  ...["retry", "timeoutMs", "sync"].map((name) => ({ [name]: null })),
  ...[null, 5, ""].map((serverName) => ({ tls: { serverName } })),
  { authorization: () => "x" },
  { appInfo: { name: "two words" } },
])("checks every option at construction: %j", (wrong: object) => {
  expect(() => new SaasManagementClient({ ...OPTIONS, ...wrong })).toThrow(INVALID);
});

test("fails with an AuthenticationError if there is no credential, as the service's description says", async () => {
  const { baseUrl, syncUrl } = OPTIONS;
  vi.stubEnv("SAAS_MANAGEMENT_API_KEY", "");
  for (const make of [
    () => new SaasManagementClient({ baseUrl }),
    () => new GraphQLClient({ baseUrl }),
    () => SaasManagementClient.fromEnv({ baseUrl }),
    () => new SaasManagementClient({ baseUrl, syncUrl }).graphql,
  ])
    expect(make).toThrow(NO_KEY);
  await using client = new SaasManagementClient({ syncUrl });
  await expect(client.sync.startBatch({ installationId: "i" })).rejects.toEqual(NO_KEY);
  expect(() => client.graphql).toThrow(NO_KEY);
  expect(() => new SaasManagementClient({ syncUrl, apiKey: "k" }).graphql).toThrow(INVALID);
});

test("copies options at construction", () => {
  const options = { ...OPTIONS };
  const client = new SaasManagementClient(options);
  options.baseUrl = "http://api.example.com";
  expect(() => client.graphql.licenses()).not.toThrow();
});

test("a client can be closed before it is used, and twice", async () => {
  const client = new SaasManagementClient(OPTIONS);
  await client.close();
  await client.close();
  await expect(client.sync.startBatch({ installationId: "i" })).rejects.toMatchObject({ code: "CLOSED" });
});

test("fromEnv reads the environment, and overrides take precedence", () => {
  vi.stubEnv("SAAS_MANAGEMENT_BASE_URL", OPTIONS.baseUrl);
  vi.stubEnv("SAAS_MANAGEMENT_SYNC_URL", "");
  vi.stubEnv("SAAS_MANAGEMENT_API_KEY", OPTIONS.apiKey);
  const client = SaasManagementClient.fromEnv();
  expect(client.graphql).toBeDefined();
  expect(() => client.sync).toThrow(INVALID);
  expect(SaasManagementClient.fromEnv({ syncUrl: OPTIONS.syncUrl, apiKey: undefined }).sync).toBeDefined();
  expect(() => SaasManagementClient.fromEnv({ authorization: () => "x" })).not.toThrow();
});

test("fromEnv names the variables that are missing", () => {
  expect(() => SaasManagementClient.fromEnv()).toThrow(/SAAS_MANAGEMENT_BASE_URL/);
  vi.stubEnv("SAAS_MANAGEMENT_BASE_URL", OPTIONS.baseUrl);
  vi.stubEnv("SAAS_MANAGEMENT_API_KEY", "");
  expect(() => SaasManagementClient.fromEnv()).toThrow(/SAAS_MANAGEMENT_API_KEY/);
});

test("the version in the user agent is the package's", async () => {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  expect(text).toContain(`"version": "${VERSION}"`);
});
