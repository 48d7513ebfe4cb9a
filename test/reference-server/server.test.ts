import { once } from "node:events";
import { connect, createServer } from "node:net";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import { openServer } from "../../src/reference-server/server.js";
import { SubscriptionModel } from "../../src/sync/generated/contract.js";
import { accepted } from "../support/adopted.js";
import { refused, until, type WireCollection } from "../support/grpc-client.js";
import { accounts } from "../support/grpc-records.js";
import { startSync } from "../support/grpc-server.js";
import { identity } from "../support/tls-certificates.js";
import { post } from "./graphql-setup.js";

/** Whether something listens at the port of a URL. The connection stays open until the test ends. */
function listens(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    onTestFinished(() => void socket.destroy());
  });
}

async function query({ baseUrl, apiKey }: ReferenceServer, text: string, key = apiKey): Promise<unknown> {
  const response = await fetch(`${baseUrl}/graphql`, post(text, key));
  return response.json();
}

const applications = (...all: readonly object[]) => ({ portfolio: { applications: all } });
const priced = (fields: object) => ({
  portfolio: { planPrices: [{ planName: "P", annualPricePerSeat: "1", currency: "EUR", ...fields }] },
});
const renewing = (value: string) => ({
  portfolio: { contracts: [{ planName: "P", renewal: { upcomingDate: { value, origin: "MANUAL" } } }] },
});

test.each<[where: string, options: unknown]>([
  ["options: ", { synchPort: 1 }],
  ["options.syncPort: ", { syncPort: "80" }],
  ["options.syncPort: ", { port: 4000, syncPort: 4000 }],
  ["options.tls.key: ", { tls: { cert: "x" } }],
  ["options.tls: ", { tls: { cert: "x", key: "y" } }],
  ["options.clock: ", { clock: { now: () => 0 } }],
  ["options.cors", { cors: ["http://localhost:5173/"] }],
  ["options.portfolio: ", { portfolio: { aplications: [] } }],
  ["options.portfolio.planPrices[0].currency: ", priced({ currency: "euro" })],
  ["options.portfolio.applications[0].name: ", applications({ name: " " })],
  ["options.portfolio.applications[1].name: ", applications({ name: "Figma" }, { name: "FIGMA " })],
  ["options.portfolio.applications[1].id: ", applications({ name: "Figma" }, { name: "Slack", id: "figma" })],
  ["options.portfolio.contracts[0].renewal.upcomingDate.value: ", renewing("2026-02-30")],
])("rejects options with an invalid value at %s%o", async (where, options) => {
  const started = startReferenceServer(options as object);
  await expect(started).rejects.toThrow(TypeError);
  await expect(started).rejects.toThrow(where);
});

test.each<["createWorkspace" | "createInstallation" | "createApiKey", unknown[]]>([
  ["createWorkspace", ["Acme"]],
  ["createWorkspace", [{ name: "Acme", portfolio: { contract: [] } }]],
  ["createInstallation", [{ integration: 7 }]],
  ["createInstallation", [{ workspaceId: "other" }]],
  ["createApiKey", [{ permissions: "integration:sync" }]],
  ["createApiKey", [{ permissions: ["sync"] }]],
  ["createApiKey", [{ scop: "read" }]],
  ["createApiKey", [{ workspaceId: "other" }]],
])("rejects invalid arguments of %s: %j", async (name, args) => {
  await using server = await startReferenceServer();
  expect(() => Reflect.apply(server[name], server, args)).toThrow(TypeError);
});

test("stops both APIs if one port is taken", async () => {
  const { server } = await startSync();
  const taken = Number(new URL(server.syncUrl).port);
  await expect(startReferenceServer({ port: taken })).rejects.toMatchObject({ code: "EADDRINUSE" });
  const free = await startReferenceServer();
  await free.close();
  const port = Number(new URL(free.baseUrl).port);
  await expect(startReferenceServer({ port, syncPort: taken })).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(await listens(free.baseUrl)).toBe(false);
});

test("leaves nothing open if the first data cannot be written", async () => {
  const urls: string[] = [];
  const opened = openServer({}, async ({ baseUrl, syncUrl }) => {
    urls.push(baseUrl, syncUrl);
    throw new Error("no data");
  });
  await expect(opened).rejects.toThrow("no data");
  expect(await Promise.all(urls.map(listens))).toEqual([false, false]);
});

test("restarts after a restart failed because a port was taken", async () => {
  const { server } = await startSync();
  const port = Number(new URL(server.baseUrl).port);
  let failure: unknown;
  while (failure === undefined) {
    const restarted = server.restart().catch((error: unknown) => error);
    // The port is free between the end of one server and the start of the next.
    const other = createServer();
    const listening = await once(other.listen(port, "127.0.0.1"), "listening").catch(() => undefined);
    failure = await restarted;
    if (listening !== undefined) await new Promise((resolve) => other.close(resolve));
  }
  expect(failure).toMatchObject({ code: "EADDRINUSE" });
  await server.restart();
  expect(await query(server, "{ __typename }")).toEqual({ data: { __typename: "Query" } });
});

test("creates random keys that are valid in a header", async () => {
  const { server } = await startSync();
  const values = Array.from({ length: 50 }, () => server.createApiKey());
  expect(new Set(values).size).toBe(50);
  for (const value of values) expect(value).toMatch(/^smk_[\w-]{43}$/);
});

test("refuses to revoke an unknown key without repeating it", async () => {
  const { server } = await startSync();
  expect(() => server.revokeApiKey("canary")).toThrow(/^(?!.*canary)/);
});

const plan = (...ids: string[]): WireCollection => ({
  $case: "plans",
  value: {
    records: ids.map((id) => ({
      variant: {
        $case: "generic",
        value: {
          id,
          externalPlanName: "Pro",
          attributes: new Map([["team", "red"]]),
          details: { model: SubscriptionModel.SUBSCRIPTION_MODEL_SEAT_BASED, seatBased: {} },
        },
      },
    })),
  },
});

test("shows synced records over GraphQL until they are removed", async () => {
  const { server, client, installationId } = await startSync();
  const read = () => query(server, "{ licensePlans { nodes { name integration { name } } } }");
  const shown = (nodes: readonly object[]) => ({ data: { licensePlans: { nodes } } });
  const pro = { name: "Pro", integration: { name: "Custom integration" } };
  expect(await read()).toEqual(shown([]));
  const first = await client.start(installationId);
  await client.write(first, plan("p"));
  expect(await read()).toEqual(shown([pro]));
  await client.complete(first);
  const second = await client.start(installationId);
  await client.write(second, plan());
  expect(await read()).toEqual(shown([pro]));
  await client.complete(second);
  expect(await read()).toEqual(shown([]));
});

test("inspect() shows the lock and the batches of an installation, by default the first one", async () => {
  const { server, client, installationId } = await startSync();
  const expiresAt = new Date(server.clock.now() + 15 * 60_000);
  const batchId = await client.start(installationId);
  const inspection = server.inspect();
  expect(inspection).toEqual(server.inspect(installationId));
  expect(inspection.lock).toStrictEqual({ batchId, expiresAt });
  expect(inspection.batches).toStrictEqual([{ id: batchId, state: "active" }]);
});

test("reset() empties the server and keeps its addresses, key, installation and portfolio", async () => {
  const { server, client, installationId } = await startSync({
    portfolio: { applications: [{ name: "A" }] },
  });
  const [urls, other] = [[server.baseUrl, server.syncUrl], server.createWorkspace({ name: "Other" })];
  await client.write(await client.start(installationId), accounts("a"));
  const create = 'mutation { createProcurementCase(input: { name: "n" }) { case { id } } }';
  const created = JSON.stringify(await query(server, create));
  server.faults.add({ on: "*", fault: "drop" });
  server.revokeApiKey(server.apiKey);
  await server.reset();
  expect([server.baseUrl, server.syncUrl]).toEqual(urls);
  expect(server.inspect()).toMatchObject({ lock: null, batches: [], snapshots: { accounts: [] } });
  expect(() => server.inspect(other.installationId)).toThrow("There is no installation with this id.");
  server.faults.assertFired();
  await client.start(installationId);
  expect(await query(server, "{ applications { totalCount } }")).toEqual({
    data: { applications: { totalCount: 1 } },
  });
  const id = /"id":"([^"]+)"/.exec(created)?.[1];
  const update = `mutation { updateProcurementCase(input: { id: "${id}" }) { errors { __typename } } }`;
  expect(JSON.stringify(await query(server, update))).toContain("ProcurementCaseNotFoundError");
});

test("close() stops both APIs, and may be called again", async () => {
  const { server, client, installationId } = await startSync();
  await client.start(installationId);
  await Promise.all([server.close(), server[Symbol.asyncDispose]()]);
  await server.close();
  expect(await Promise.all([listens(server.baseUrl), listens(server.syncUrl)])).toEqual([false, false]);
});

test("lets a call finish if it ends soon after close()", async () => {
  const { server, client, installationId } = await startSync();
  const batchId = await client.start(installationId);
  const stream = client.open().send(batchId, accounts("a"));
  await until(() => server.inspect(installationId).snapshots.accounts.length === 1);
  const closed = server.close();
  expect(await stream.end()).toBe(accepted(1));
  await closed;
});

test("closes despite open streams and silent connections", async () => {
  const { server, client, installationId } = await startSync();
  const batchId = await client.start(installationId);
  const stream = client.open().send(batchId, accounts("a"));
  await until(() => server.inspect(installationId).snapshots.accounts.length === 1);
  expect([await listens(server.baseUrl), await listens(server.syncUrl)]).toEqual([true, true]);
  await server.close();
  expect(await refused(stream.answer)).toMatchObject({ code: "UNAVAILABLE" });
});

test("closes despite clients that never begin the TLS handshake", async () => {
  const { server } = await startSync({ tls: identity("server") });
  expect([await listens(server.baseUrl), await listens(server.syncUrl)]).toEqual([true, true]);
  await server.close();
});
