import { readFileSync } from "node:fs";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { SaasManagementClient } from "../../../src/index.js";
import { post } from "../../reference-server/graphql-setup.js";
import { runCli } from "../../support/cli.js";
import { startServe } from "../../support/serve.js";
import { certificateFile, keyFile } from "../../support/tls-certificates.js";

const UNUSED = { state: { activity: { eq: "UNUSED" } } } as const;

async function control(url: string, method: string, path: string, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const value: unknown = await response.json();
  return { status: response.status, value };
}

const TLS = ["--host", "localhost", "--tls-cert", certificateFile("self-signed")];

test.each([
  ["over HTTP", [], undefined],
  ["over TLS", [...TLS, "--tls-key", keyFile("self-signed")], certificateFile("self-signed")],
])(
  "--demo has unused licenses and renewals %s, and leaves the printed installation empty",
  async (_, args, ca) => {
    const served = await startServe("--demo", "--control-port", "0", ...args);
    const { baseUrl, syncUrl, apiKey, controlUrl, installationId } = served;
    expect(new URL(syncUrl).protocol).toBe(ca === undefined ? "http:" : "https:");
    const tls = ca === undefined ? undefined : { ca: readFileSync(ca, "utf8") };
    await using client = new SaasManagementClient({ baseUrl, syncUrl, apiKey, tls });
    expect(await client.graphql.licenses({ where: UNUSED }).totalCount()).toBeGreaterThan(100);
    const [license] = await client.graphql.licenses({ where: UNUSED, limit: 1 }).toArray();
    expect(license?.holder?.name).toEqual(expect.any(String));
    const plans = await client.graphql.licensePlans().toArray();
    expect(plans).toHaveLength(5);
    for (const plan of plans) expect(plan.contractDetails?.renewal?.upcomingDate?.value).toMatch(/^\d{4}-/);
    const { value } = await control(controlUrl, "GET", `/inspect?installationId=${installationId}`);
    expect(value).toMatchObject({ snapshots: { accounts: [] }, batches: [], lock: null });
  },
);

test("the control API advances the clock, injects faults, creates and revokes keys, and resets", async () => {
  const { baseUrl, controlUrl, apiKey } = await startServe("--demo", "--control-port", "0");
  const ask = (key: string) => fetch(`${baseUrl}/graphql`, post("{ licenses { totalCount } }", key));
  const { value: before } = await control(controlUrl, "GET", "/clock");
  const { value: after } = await control(controlUrl, "POST", "/clock/advance", { ms: 86_400_000 });
  const timeOf = (value: unknown) => Date.parse(String(Reflect.get(Object(value), "now")));
  expect(timeOf(after) - timeOf(before)).toBeGreaterThanOrEqual(86_400_000);

  await control(controlUrl, "POST", "/faults", { on: "graphql", fault: "http", status: 503 });
  expect((await ask(apiKey)).status).toBe(503);
  expect((await control(controlUrl, "GET", "/faults")).value).toMatchObject([{ fired: 1 }]);

  const created = await control(controlUrl, "POST", "/keys", { scope: "read" });
  const key = String(Reflect.get(Object(created.value), "apiKey"));
  expect(await (await ask(key)).json()).toMatchObject({ data: { licenses: {} } });
  await control(controlUrl, "POST", "/keys/revoke", { apiKey: key });
  expect((await ask(key)).status).toBe(401);

  const made = await control(controlUrl, "POST", "/installations", { integration: "Chat" });
  const { installationId } = Object(made.value);
  expect((await control(controlUrl, "GET", `/inspect?installationId=${installationId}`)).status).toBe(200);
  expect((await control(controlUrl, "POST", "/reset")).status).toBe(200);
  expect((await control(controlUrl, "GET", `/inspect?installationId=${installationId}`)).status).toBe(400);
  expect(await (await ask(apiKey)).json()).toEqual({
    data: { licenses: { totalCount: expect.any(Number) } },
  });
});

test.each([
  ["POST", "/clock/advance", { ms: "1" }, 400, "ms: "],
  ["POST", "/clock/advance", { ms: 1, s: 1 }, 400, 'Unknown key "s"'],
  ["POST", "/faults", { on: "graphql", fault: "htp" }, 400, "Unknown kind of fault"],
  ["POST", "/faults", { on: "graphql", fault: "goaway" }, 400, "strikes the Sync API only"],
  ["GET", "/inspect?installationId=x", undefined, 400, "no installation"],
  ["GET", "/nothing", undefined, 404, "openapi.json"],
  ["DELETE", "/clock", undefined, 405, "GET"],
])("the control API refuses %s %s %o", async (method, path, body, status, error) => {
  const { controlUrl } = await startServe("--control-port", "0");
  const answer = await control(controlUrl, method, path, body);
  expect(answer).toEqual({ status, value: { error: expect.stringContaining(error) } });
});

test("the control API answers no pages: neither of another origin, nor under another name", async () => {
  const { controlUrl } = await startServe("--control-port", "0");
  const statusWith = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(`${controlUrl}/reset`, { method: "POST", headers }, (response) => {
        void text(response).then(() => resolve(response.statusCode));
      })
        .on("error", reject)
        .end("{}");
    });
  expect(await statusWith({ origin: "https://pages.example" })).toBe(403);
  expect(await statusWith({ host: "rebound.example" })).toBe(403);
  expect(await statusWith({})).toBe(200);
});

test("the control API listens on loopback only, whatever --host says", async () => {
  const { baseUrl, controlUrl } = await startServe("--host", "0.0.0.0", "--control-port", "0");
  const other = (url: string) => fetch(`http://127.0.0.2:${new URL(url).port}/clock`);
  expect((await other(baseUrl)).status).toBe(404);
  await expect(other(controlUrl)).rejects.toThrow("fetch failed");
});

test("the OpenAPI description lists each operation with its schemas", async () => {
  const { controlUrl } = await startServe("--control-port", "0");
  const { value } = await control(controlUrl, "GET", "/openapi.json");
  expect(value).toMatchObject({
    openapi: "3.1.0",
    servers: [{ url: controlUrl }],
    paths: {
      "/clock/advance": {
        post: {
          requestBody: { content: { "application/json": { schema: { required: ["ms"] } } } },
          responses: { 200: {}, 400: {} },
        },
      },
      "/inspect": { get: { parameters: [{ name: "installationId", in: "query" }] } },
    },
  });
});

test("refuses --demo with a portfolio of its own", async () => {
  const { code, error } = await runCli(["serve", "--demo", "--portfolio", "company.json"]);
  expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining("Leave out one") });
});
