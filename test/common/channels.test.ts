import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, tracingChannel, unsubscribe } from "node:diagnostics_channel";
import { inspect } from "node:util";
import { SaasManagementClient } from "@saas-management/sdk";
import { afterEach, expect, test } from "vitest";
import type { AttemptMessage } from "../../src/core/hooks.js";
import type { ChannelMessage } from "../../src/core/trace.js";
import { connectorOf } from "../support/connector.js";
import { connectClient, rejection } from "../support/http-client.js";
import { json } from "../support/http-server.js";
import { accounts } from "../support/records.js";
import { quickRetries, START } from "../support/sync-client.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { testService } from "../support/test-service.js";

const NAMES = ["graphql.operation", "graphql.walk", "sync.run", "sync.batch", "sync.write", "sync.rpc"];
const LOST = { code: 14, details: "connection dropped" };

const harness = useScriptedServer();
const service = testService();

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Subscribes to the given channels, and records the messages: `sync.rpc start`. */
function watch(names: readonly string[], onStart: (message: ChannelMessage) => void = () => {}) {
  const order: string[] = [];
  const messages: ChannelMessage[] = [];
  for (const name of names) {
    const handler = (phase: string) => (given: unknown) => {
      const message = given as ChannelMessage;
      if (phase === "start") {
        onStart(message);
        messages.push(message);
      }
      order.push([name, message.operation ?? message.collection, phase].filter(Boolean).join(" "));
    };
    const subscribers = {
      start: handler("start"),
      end: handler("end"),
      asyncStart: handler("asyncStart"),
      asyncEnd: handler("asyncEnd"),
      error: handler("error"),
    };
    const channel = tracingChannel(`saas-management.${name}`);
    channel.subscribe(subscribers);
    stops.push(() => channel.unsubscribe(subscribers));
  }
  return { order, messages };
}

test("a run publishes its write, batch and RPCs in order, with their ids", async () => {
  const { order, messages } = watch(["sync.run", "sync.batch", "sync.write", "sync.rpc"]);
  const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(3)));
  const options = { installationId: service.installationId, ledger: "none", guard: false } as const;
  // A preview doesn't call the service, so it publishes nothing.
  await service.sync.preview(connector, options);
  expect(order).toEqual([]);
  await service.sync.run(connector, options);
  expect(order.filter((line) => !/ end$| asyncStart$/.test(line))).toEqual([
    "sync.run start",
    "sync.write accounts start",
    "sync.write accounts asyncEnd",
    "sync.batch start",
    "sync.rpc StartSyncBatch start",
    "sync.rpc StartSyncBatch asyncEnd",
    "sync.rpc SyncRecords start",
    "sync.rpc SyncRecords asyncEnd",
    "sync.rpc CompleteSyncBatch start",
    "sync.rpc CompleteSyncBatch asyncEnd",
    "sync.batch asyncEnd",
    "sync.run asyncEnd",
  ]);
  const { installationId } = service;
  expect(messages.every((message) => message.installationId === installationId)).toBe(true);
  const [run, write, batch, start, records] = messages;
  expect(run).toMatchObject({ endpoint: service.server.syncUrl, result: { restarts: 0 } });
  expect(batch).toMatchObject({ attempt: 1, waitedForLockMs: 0, result: { state: "completed" } });
  expect(start?.batchId).toBeUndefined();
  expect(batch?.batchId).toMatch(/./);
  expect(write).toMatchObject({ collection: "accounts", result: { accepted: 3 } });
  expect(write?.batchId).toBeUndefined();
  expect(records?.batchId).toBe(batch?.batchId);
  expect(records?.leaseRemainingMs).toBeGreaterThan(800_000);
});

test("a call publishes the phases of a TracingChannel, with error before asyncStart", async () => {
  harness.server.scripts.SyncRecords.push({ code: 3, details: "no" });
  const { order, messages } = watch(["sync.rpc"]);
  const batch = await harness.startBatch();
  const error = await rejection(batch.write("accounts", accounts(1)));
  expect(order).toEqual([
    ...["start", "end", "asyncStart", "asyncEnd"].map((phase) => `sync.rpc StartSyncBatch ${phase}`),
    ...["start", "end", "error", "asyncStart", "asyncEnd"].map((phase) => `sync.rpc SyncRecords ${phase}`),
  ]);
  expect(messages[1]?.error).toMatchObject({ code: "SYNC_PROTOCOL" });
  expect(error).toBe(messages[1]?.error);
});

test("attempts are published with their call, exactly as onEvent receives them", async () => {
  harness.server.scripts.SyncRecords.push(LOST);
  const published: AttemptMessage[] = [];
  const hear = (message: unknown) => void published.push(message as AttemptMessage);
  subscribe("saas-management.attempt", hear);
  stops.push(() => unsubscribe("saas-management.attempt", hear));
  const { messages } = watch(["sync.rpc"]);
  const heard: object[] = [];
  const batch = await harness.startBatch({
    retry: quickRetries(1),
    onEvent: (event) => void heard.push(event),
  });
  await batch.write("accounts", accounts(1));
  expect(published.map(({ event }) => event)).toEqual(heard);
  expect(published.map(({ call }) => messages.indexOf(call))).toEqual([0, 0, 1, 1, 1, 1, 1]);
});

test("a walk ends when its loop stops early, and reports the error of a failed page", async () => {
  const pages = (nodes: number) => ({
    data: {
      things: { nodes: Array.from({ length: nodes }), pageInfo: { hasNextPage: true, endCursor: "c" } },
    },
  });
  const { client } = await connectClient((_, response, index) =>
    index === 0 ? json(response, pages(2)) : json(response, {}, { status: 400 }),
  );
  const document = "query Things($first: Int, $after: String) { things { nodes } }";
  const walk = (prefetch: boolean) =>
    client
      .paginate(document, {}, { select: (data: { things: never }) => data.things, prefetch })
      [Symbol.asyncIterator]();
  const { order, messages } = watch(["graphql.walk"]);
  const left = walk(false);
  await left.next();
  await left.return?.();
  const error = await rejection(walk(false).next());
  expect(order.filter((line) => / (start|error|asyncEnd)$/.test(line))).toEqual([
    "graphql.walk paginate start",
    "graphql.walk paginate asyncEnd",
    "graphql.walk paginate start",
    "graphql.walk paginate error",
    "graphql.walk paginate asyncEnd",
  ]);
  expect(messages[0]?.result).toEqual({ pages: 1, nodes: 2 });
  expect(messages[1]?.error).toBe(error);
});

test("stores bound to a start channel reach the connector, the source and the RPCs, but not the caller", async () => {
  const store = new AsyncLocalStorage<string>();
  const seen: Record<string, string | undefined> = {};
  const bind = (name: string) => {
    const { start } = tracingChannel(`saas-management.${name}`);
    start.bindStore(store, () => [store.getStore(), name].filter(Boolean).join(" > "));
    stops.push(() => start.unbindStore(store));
  };
  for (const name of ["sync.run", "sync.batch", "sync.write", "sync.rpc"]) bind(name);
  const source = function* () {
    seen["source"] = store.getStore();
    yield accounts(1);
  };
  const client = service.syncClient({
    apiKey: () => {
      seen["key"] = store.getStore();
      return service.server.apiKey;
    },
  });
  await client.run(
    {
      snapshots: ["accounts"],
      run: async (batch) => {
        seen["connector"] = store.getStore();
        await batch.write("accounts", source());
      },
    },
    { installationId: service.installationId, ledger: "none", guard: false },
  );
  seen["caller"] = store.getStore();
  expect(seen).toEqual({
    connector: "sync.run",
    source: "sync.run > sync.write",
    key: "sync.run > sync.batch > sync.rpc",
    caller: undefined,
  });
});

test("a call and the calls inside it send the entries of a carrier, and ignore any that cannot be sent", async () => {
  const carry = { Traceparent: "00-1", authorization: "x", host: "x", "grpc-x": "x", "x-bad": "a\nb" };
  watch(["sync.batch", "graphql.walk"], ({ carrier }) => void Object.assign(carrier, carry));
  const batch = await harness.startBatch();
  await batch.write("accounts", accounts(1));
  // The caller makes the last call outside the context of the batch.
  const [sent] = harness.server.streams;
  expect(sent?.headers["traceparent"]).toBe("00-1");
  expect(sent?.headers["authorization"]).not.toBe("x");
  expect(sent?.headers["x-bad"]).toBeUndefined();
  const { client, server } = await connectClient((_, response) =>
    json(response, { data: { things: { nodes: [], pageInfo: { hasNextPage: false } } } }),
  );
  const document = "query Things($first: Int, $after: String) { things { nodes } }";
  await client.paginate(document, {}, { select: (data: { things: never }) => data.things }).toArray();
  expect(server.requests[0]?.headers).toMatchObject({ traceparent: "00-1" });
  expect(server.requests[0]?.headers["x-bad"]).toBeUndefined();
});

test("messages contain no key, document, variable or record", async () => {
  const canary = "canary-9d1";
  const { messages } = watch(NAMES);
  const { server, installationId } = service;
  await using client = new SaasManagementClient({
    baseUrl: server.baseUrl,
    syncUrl: server.syncUrl,
    apiKey: server.apiKey,
    headers: { "x-tenant": canary },
  });
  await client.graphql.applications({ where: { application: { name: { eq: canary } } } }).toArray();
  await rejection(
    client.graphql.request(`query A($a: String) { ${canary.replace("-", "")} }`, { a: canary }),
  );
  await client.sync.run(
    { snapshots: ["accounts"], run: (batch) => batch.write("accounts", [{ id: canary, name: canary }]) },
    { installationId, ledger: "none", guard: false },
  );
  expect(messages.length).toBeGreaterThan(6);
  const text = inspect(messages, { depth: 12, showHidden: true }) + JSON.stringify(messages);
  expect(text).not.toContain(server.apiKey);
  expect(text).not.toContain(canary);
});

test("a batch's channel ends when its lease ends or its client closes", async () => {
  const { messages } = watch(["sync.batch"]);
  const { clock } = await harness.startFrozenBatch();
  clock.advance(16 * 60_000);
  const client = harness.client();
  await client.startBatch(START);
  await client.close();
  expect(messages.map(({ error, result }) => error ?? result)).toMatchObject([
    { code: "BATCH_STATE", reason: "expired" },
    { state: "closed" },
  ]);
});
