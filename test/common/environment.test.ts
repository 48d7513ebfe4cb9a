import { rm, writeFile } from "node:fs/promises";
import { defineConnector, SaasManagementClient } from "@saas-management/sdk";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { json, startHttpServer } from "../support/http-server.js";
import { rejection } from "../support/promises.js";
import { testService } from "../support/test-service.js";

const service = testService();
const INVALID = expect.objectContaining({ code: "INVALID_CONFIGURATION" });
const QUERY = "query Names($secret: String) { applications { totalCount } }";

const written = vi.hoisted(() => ({ lines: [] as string[], isClosed: false }));

beforeEach(() => {
  const fs = process.getBuiltinModule("node:fs");
  vi.spyOn(fs, "writeSync").mockImplementation((fd: number, text: unknown) => {
    if (written.isClosed) throw new Error("EPIPE");
    if (fd === 2) written.lines.push(String(text));
    return String(text).length;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  written.lines = [];
  written.isClosed = false;
});

/** A client whose log level comes from the environment. */
function clientOf(level: string, overrides = {}): SaasManagementClient {
  vi.stubEnv("SAAS_MANAGEMENT_LOG", level);
  const { baseUrl, syncUrl, apiKey } = service.server;
  const sync = { installationId: service.installationId, ledger: "none" } as const;
  return new SaasManagementClient({ baseUrl, syncUrl, apiKey, sync, ...overrides });
}

/** A client whose service is overloaded at first. */
async function overloadedClient(level: string) {
  const { baseUrl } = await startHttpServer((_, response, index) =>
    json(response, { data: { ok: true } }, index === 0 ? { status: 503 } : {}),
  );
  return clientOf(level, { baseUrl, syncUrl: undefined, retry: { minDelayMs: 1, maxDelayMs: 1 } });
}

test.each([
  ["debug", ["debug", "warn", "debug"]],
  ["info", ["warn"]],
  ["warn", ["warn"]],
])("SAAS_MANAGEMENT_LOG=%s logs attempts to stderr, without key and variables", async (level, levels) => {
  await using client = await overloadedClient(level);
  await client.graphql.request(QUERY, { secret: "canary-variable" });
  expect(written.lines.map((line) => line.split(" ")[1])).toEqual(levels);
  const text = written.lines.join("");
  expect(text).toMatch(/^\S+Z warn saas-management: GraphQL query Names: retrying \{.*"attempt":1/m);
  expect(text).not.toContain(service.server.apiKey);
  expect(text).not.toContain("canary-variable");
});

test.each([
  ["an error", () => new TypeError("canary-record")],
  ["a text", () => "canary-record"],
  ["an object", () => ({ row: "canary-record" })],
])(
  "SAAS_MANAGEMENT_LOG never quotes an error that a connector or a callback throws: %s",
  async (_, thrown) => {
    const onEvent = () => {
      throw thrown();
    };
    await using client = clientOf("debug", { onEvent });
    await client.graphql.applications().totalCount();
    const run = async () => {
      throw thrown();
    };
    await rejection(client.sync.run(defineConnector({ snapshots: [], run })));
    expect(written.lines.join("")).toMatch(/ error saas-management: onEvent threw an exception/);
    expect(written.lines.join("")).toMatch(/ error saas-management: run failed/);
    expect(written.lines.join("")).not.toContain("canary-record");
  },
);

test("SAAS_MANAGEMENT_LOG changes nothing for a client with a logger, and a closed stderr does no harm", async () => {
  const debug = vi.fn();
  const logger = { debug, info: () => {}, warn: () => {}, error: () => {} };
  await using own = clientOf("debug", { logger });
  await own.graphql.applications().totalCount();
  expect(written.lines).toEqual([]);
  expect(debug).toHaveBeenCalled();
  written.isClosed = true;
  await using client = clientOf("debug");
  expect(await client.graphql.applications().totalCount()).toBe(0);
});

test.each(["verbose", "error", "DEBUG", "1"])("refuses SAAS_MANAGEMENT_LOG=%s", (level) => {
  expect(() => clientOf(level)).toThrow(/SAAS_MANAGEMENT_LOG must be debug, info or warn/);
});

/** A client whose key is in a file. */
async function clientOfFile(key: string | Uint8Array) {
  const path = await service.writeFile("key", key);
  vi.stubEnv("SAAS_MANAGEMENT_BASE_URL", service.server.baseUrl);
  vi.stubEnv("SAAS_MANAGEMENT_API_KEY", "");
  vi.stubEnv("SAAS_MANAGEMENT_API_KEY_FILE", path);
  return { path, client: SaasManagementClient.fromEnv({ retry: false }) };
}

test("fromEnv reads the key in the file of SAAS_MANAGEMENT_API_KEY_FILE for each attempt", async () => {
  const { path, client } = await clientOfFile("an-old-key\n");
  await using _ = client;
  const count = () => client.graphql.applications().totalCount();
  expect(await rejection(count())).toMatchObject({ code: "AUTHENTICATION_FAILED" });
  await writeFile(path, `${service.server.apiKey}\n`);
  expect(await count()).toBe(0);
  await rm(path);
  const { cause } = Object(await rejection(count()));
  expect(String(cause)).toContain(`SAAS_MANAGEMENT_API_KEY_FILE ${path} cannot be read`);
});

test("fromEnv refuses a file without a key, a missing file, and both a file and a key", async () => {
  await expect(clientOfFile(" \n")).rejects.toEqual(INVALID);
  const { path } = await clientOfFile("a-key-of-the-file");
  vi.stubEnv("SAAS_MANAGEMENT_API_KEY", "a-key-beside-it");
  expect(() => SaasManagementClient.fromEnv()).toThrow(/both set/);
  expect(() => SaasManagementClient.fromEnv({ apiKey: "k" })).not.toThrow();
  expect(() => SaasManagementClient.fromEnv({ authorization: "none" })).not.toThrow();
  vi.stubEnv("SAAS_MANAGEMENT_API_KEY", "");
  await rm(path);
  expect(() => SaasManagementClient.fromEnv()).toThrow(INVALID);
});

const utf16 = (text: string) => Buffer.from(text, "utf16le");
test.each<[string, Uint8Array, RegExp]>([
  ["UTF-16 with a mark", utf16("\ufeffsmk-key\r\n"), /KEY_FILE \S+ is in UTF-16/],
  ["UTF-16 without a mark", utf16("smk-key"), /is in UTF-16/],
  ["big-endian UTF-16", utf16("\ufeffsmk-key").swap16(), /is in UTF-16/],
  ["NAME=value", Buffer.from("SAAS_MANAGEMENT_API_KEY=smk-key\n"), /holds NAME=value/],
  ["an export of a shell", Buffer.from("# mine\nexport KEY = 'smk-key'\n"), /holds NAME=value/],
])("fromEnv says what is wrong with a key file: %s", async (_, bytes, message) => {
  const refused = await rejection(clientOfFile(bytes));
  expect(refused).toMatchObject({ code: "INVALID_CONFIGURATION", message: expect.stringMatching(message) });
  expect(String(refused)).not.toContain("smk-key");
});

test.each(["YWJjZGVm==", "\ufeffsmk-key", "smk=", "a.b=c"])(
  "fromEnv accepts a file with the key %j",
  async (key) => {
    const { client } = await clientOfFile(key);
    await using _ = client;
    expect(await rejection(client.graphql.applications().totalCount())).toMatchObject({
      requestId: expect.any(String),
    });
  },
);

test("a client can be created in a page, which has no environment", () => {
  const { process } = globalThis;
  vi.stubGlobal("process", undefined);
  const make = () => new SaasManagementClient({ baseUrl: "https://api.example.com", apiKey: "k", fetch });
  const result = [make].map((call) => call().graphql !== undefined);
  vi.stubGlobal("process", process);
  vi.unstubAllGlobals();
  expect(result).toEqual([true]);
});
