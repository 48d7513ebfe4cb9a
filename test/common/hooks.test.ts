import { type Logger, SaasManagementClient } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { API_KEY, connectClient, passPause, rejection } from "../support/http-client.js";
import { json } from "../support/http-server.js";
import { observedHooks, quietLogger } from "../support/observed.js";
import { accounts, NEW_CASE } from "../support/records.js";
import { START } from "../support/sync-client.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { startTestService } from "../support/test-service.js";

const harness = useScriptedServer();
const LOST = { code: 14, details: "connection dropped" };
const QUERY = "query Names($secret: String) { applications { nodes { id } } }";

test("GraphQL hooks are called once per attempt and before each pause", async () => {
  const { hooks, requests, responses, retries, order } = observedHooks();
  const { client, clock } = await connectClient(
    (_, response, index) =>
      index === 0
        ? json(response, {}, { status: 503, headers: { "retry-after": "10" } })
        : json(response, { data: { ok: true } }),
    hooks,
  );
  const data = client.request(QUERY, {});
  await passPause(clock);
  await data;
  expect(order).toEqual(["request 1", "response 1", "retry 1", "request 2", "response 2"]);
  const about = { api: "graphql", operation: "Names" };
  const code = "TRANSPORT_FAILED";
  expect(requests).toEqual([
    { type: "request", ...about, attempt: 1 },
    { type: "request", ...about, attempt: 2 },
  ]);
  expect(responses).toEqual([
    { type: "response", ...about, attempt: 1, durationMs: 0, outcome: "failure", code },
    { type: "response", ...about, attempt: 2, durationMs: 0, outcome: "success" },
  ]);
  expect(retries).toEqual([{ type: "retry", ...about, attempt: 1, delayMs: 10_000, code }]);
});

test("hooks are called for pages, mutations and the user's documents", async () => {
  const { hooks, responses } = observedHooks();
  const { baseUrl, apiKey } = (await startTestService()).server;
  await using client = new SaasManagementClient({ baseUrl, apiKey, ...hooks });
  const { graphql } = client;
  for await (const _ of graphql.applications().pages());
  await graphql.createProcurementCase(NEW_CASE);
  await rejection(graphql.updateProcurementCase({ id: "unknown", name: "n" }));
  await graphql.request("{ applications { totalCount } }", {});
  await rejection(graphql.request("query on on on {", {}));
  const told = responses.map(({ operation, outcome }) => `${operation} ${outcome}`);
  expect(told).toEqual([
    "Applications success",
    "CreateProcurementCase success",
    "UpdateProcurementCase success",
    "anonymous success",
    "anonymous failure",
  ]);
});

test("hooks distinguish an attempt that the caller cancelled from a timeout", async () => {
  const { hooks, responses } = observedHooks();
  const { client, clock, server } = await connectClient(() => {}, hooks);
  const stop = new AbortController();
  const cancelled = rejection(client.request(QUERY, {}, { signal: stop.signal }));
  await server.arrived(1);
  stop.abort("enough");
  await cancelled;
  const late = rejection(client.request(QUERY, {}, { timeoutMs: 5_000 }));
  await server.arrived(2);
  clock.advance(5_000);
  await late;
  expect(responses).toMatchObject([
    { outcome: "cancelled" },
    { outcome: "failure", code: "TIMEOUT", durationMs: 5_000 },
  ]);
  expect(responses[0]).not.toHaveProperty("code");
});

test("hooks receive frozen events without a key, variable, header or body", async () => {
  const { hooks, requests, responses, retries } = observedHooks();
  const { client, clock } = await connectClient(
    (_, response, index) =>
      json(response, { data: { name: "canary-data" } }, { status: index === 0 ? 503 : 200 }),
    { ...hooks, headers: { "x-tenant": "canary-header" } },
  );
  const data = client.request(QUERY, { secret: "canary-variable" });
  await passPause(clock);
  await data;
  const events = [...requests, ...responses, ...retries];
  expect(events).toHaveLength(5);
  expect(events.every((event) => Object.isFrozen(event))).toBe(true);
  expect(JSON.stringify(events)).not.toContain("canary");
  expect(API_KEY).toContain("canary");
});

test("hooks of the Sync API are called for each attempt, with RPC, installation and batch", async () => {
  const { hooks, responses, retries, order } = observedHooks();
  harness.server.scripts.SyncRecords.push(LOST);
  const batch = await harness.startBatch(hooks);
  await batch.write("accounts", accounts(2));
  await batch.complete();
  const other = await harness.startBatch(hooks);
  await other.abort();
  const { installationId } = START;
  expect(
    responses.map((event) => [event.operation, event.installationId, event.batchId, event.attempt]),
  ).toEqual([
    ["StartSyncBatch", installationId, undefined, 1],
    ["SyncRecords", installationId, batch.id, 1],
    ["SyncRecords", installationId, batch.id, 2],
    ["CompleteSyncBatch", installationId, batch.id, 1],
    ["StartSyncBatch", installationId, undefined, 1],
    ["AbortSyncBatch", installationId, other.id, 1],
  ]);
  expect(responses.slice(1, 3)).toMatchObject([
    { api: "sync", outcome: "failure", code: "TRANSPORT_FAILED" },
    { api: "sync", outcome: "success" },
  ]);
  expect(retries).toMatchObject([{ operation: "SyncRecords", batchId: batch.id, attempt: 1 }]);
  expect(order.slice(2, 7)).toEqual(["request 1", "response 1", "retry 1", "request 2", "response 2"]);
});

const OWN = new Error("mine");
const throwing = () => {
  throw OWN;
};
const rejecting = () => Promise.reject(OWN);

test.each([
  ["throws", throwing],
  ["rejects", rejecting],
])("a hook that %s is logged and changes nothing for either API", async (_, hook) => {
  const errors: unknown[] = [];
  const logger = quietLogger({
    error: (message, details) => errors.push([message, details && Reflect.get(details, "error")]),
  });
  const options = { onEvent: hook, logger };
  const { client, clock } = await connectClient(
    (_, response, index) =>
      json(response, index === 0 ? {} : { data: { ok: true } }, { status: index === 0 ? 503 : 200 }),
    options,
  );
  const data = client.request(QUERY, {});
  await passPause(clock);
  expect(await data).toEqual({ ok: true });
  harness.server.scripts.StartSyncBatch.push(LOST);
  await harness.startBatch(options);
  // Two attempts with a pause between them emit five events for each API.
  expect(errors).toEqual(
    Array.from({ length: 10 }, () => ["saas-management: onEvent threw an exception", OWN]),
  );
});

test("the logger receives each answer and each retry of either API, but no secret", async () => {
  const lines: string[] = [];
  const to = (level: string) => (message: string, details?: object) =>
    lines.push(`${level} ${message} ${JSON.stringify(details)}`);
  const logger = { debug: to("debug"), info: to("info"), warn: to("warn"), error: to("error") };
  const { client } = await connectClient((_, response) => json(response, { data: { ok: true } }), {
    logger,
  });
  await client.request(QUERY, { secret: "canary-variable" });
  harness.server.scripts.StartSyncBatch.push(LOST);
  await harness.startBatch({ logger, apiKey: "canary-key" });
  expect(lines.map((line) => line.slice(0, line.indexOf("{")))).toEqual([
    "debug saas-management: GraphQL query Names: success ",
    "debug saas-management: StartSyncBatch: failure ",
    "warn saas-management: StartSyncBatch: retrying ",
    "debug saas-management: StartSyncBatch: success ",
  ]);
  expect(lines.join()).not.toContain("canary");
});

const full = () => {
  throw new Error("the disk is full");
};
const broken: Logger = { debug: full, info: async () => full(), warn: async () => full(), error: full };

test("a logger that throws or rejects doesn't fail a write or a completion", async () => {
  harness.server.scripts.SyncRecords.push(LOST);
  const batch = await harness.startBatch({ logger: broken });
  await expect(batch.write("accounts", accounts(1))).resolves.toMatchObject({ accepted: 1, retries: 1 });
  await batch.complete();
  expect(batch.state).toBe("completed");
});
