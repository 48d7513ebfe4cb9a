import { credentials } from "@grpc/grpc-js";
import type { Fault } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { FaultInjector } from "../../src/reference-server/faults/injector.js";
import { accepted } from "../support/adopted.js";
import { PlainClient, refused } from "../support/grpc-client.js";
import { accounts } from "../support/grpc-records.js";
import { type SyncFixture, startSync, syncFixture } from "../support/grpc-server.js";
import { identity } from "../support/tls-certificates.js";
import { post } from "./graphql-setup.js";

const fixture = syncFixture();

const unavailable = { fault: "status", status: "UNAVAILABLE" } as const;

/** Aborts an unknown batch several times and returns the codes: UNAVAILABLE if a fault fired. */
async function abortUnknown({ client }: SyncFixture, calls: number): Promise<string[]> {
  const codes: string[] = [];
  for (let i = 0; i < calls; i++) codes.push((await refused(client.abort("no-such-batch"))).code);
  return codes;
}

test("fires on `times` calls, beginning with the n-th call after it was added", async () => {
  const started = fixture();
  await abortUnknown(started, 1);
  const fault = started.server.faults.add({ on: "sync", nth: 2, times: 2, ...unavailable });
  expect(await abortUnknown(started, 4)).toEqual(["NOT_FOUND", "UNAVAILABLE", "UNAVAILABLE", "NOT_FOUND"]);
  expect(fault.fired).toBe(2);
});

test("counts only calls of its operation and API, and fires on no others", async () => {
  const started = fixture();
  const { client, server } = started;
  server.faults.add({ on: "CompleteSyncBatch", ...unavailable });
  const html = server.faults.add({ on: "graphql", fault: "http", status: 200 });
  expect(await abortUnknown(started, 2)).toEqual(["NOT_FOUND", "NOT_FOUND"]);
  expect(await refused(client.complete("no-such-batch"))).toMatchObject({ code: "UNAVAILABLE" });
  expect(html.fired).toBe(0);
});

test("fires the fault that was added first, and the second one at the next call", async () => {
  const started = fixture();
  started.server.faults.add({ on: "sync", ...unavailable });
  const second = started.server.faults.add({ on: "sync", fault: "status", status: "RESOURCE_EXHAUSTED" });
  expect(await abortUnknown(started, 3)).toEqual(["UNAVAILABLE", "RESOURCE_EXHAUSTED", "NOT_FOUND"]);
  expect(second.fired).toBe(1);
});

test("fails assertFired() and lists the faults that never fired", async () => {
  const started = fixture();
  const { faults } = started.server;
  faults.add({ on: "StartSyncBatch", ...unavailable });
  faults.add({ on: "AbortSyncBatch", times: 2, ...unavailable });
  expect(() => faults.assertFired()).toThrow(
    'These faults never fired:\n  {"on":"StartSyncBatch","fault":"status","status":"UNAVAILABLE"}\n  {"on":"Abort',
  );
  await abortUnknown(started, 1);
  expect(() => faults.assertFired()).not.toThrow("AbortSyncBatch");
  expect(() => faults.assertFired()).toThrow("StartSyncBatch");
  faults.clear();
  faults.assertFired();
});

test("a fault on every call fires on calls to both APIs", async () => {
  const started = fixture();
  const fault = started.server.faults.add({ on: "*", times: 2, fault: "drop" });
  expect(await abortUnknown(started, 1)).toEqual(["UNAVAILABLE"]);
  await expect(fetch(`${started.server.baseUrl}/graphql`, post("{ __typename }"))).rejects.toThrow();
  expect(fault.fired).toBe(2);
});

const delay = { fault: "delay", ms: 1 };

test.each<[message: string, fault: unknown]>([
  ["fault.fault: Unknown kind of fault. Did you mean lease-expiry?", { on: "sync", fault: "leaseExpiry" }],
  ["fault: Unknown kind of fault. Known kinds: delay", undefined],
  ["fault: Unknown kind of fault. Known kinds: delay", 5],
  ['fault: Unknown key "atleast"', { on: "sync", atleast: 2, ...unavailable }],
  ['fault: Unknown key "Times". Did you mean times?', { on: "sync", Times: 2, ...unavailable }],
  ["fault.on: Unknown operation. Did you mean SyncRecords?", { on: "syncRecords", ...delay }],
  ['fault.on: "status" applies to the Sync API only', { on: "Applications", ...unavailable }],
  ['fault.on: "http" applies to the GraphQL API only', { on: "sync", fault: "http", status: 502 }],
  ["fault.message: ", { on: "StartSyncBatch", message: 1, ...unavailable }],
  ["fault.message: ", { on: "SyncRecords", fault: "early-answer" }],
  ["fault.message: ", { on: "SyncRecords", message: 1, fault: "oversized-answer" }],
  ["fault.at: ", { on: "graphql", fault: "endless-body", at: "request" }],
  ["fault.status: ", { on: "sync", fault: "status", status: "OK" }],
  ["fault.code: ", { on: "sync", fault: "rst-stream", code: 14 }],
  ["fault.trailers: ", { on: "sync", ...unavailable, trailers: { "a b": "c" } }],
  ["fault.status: ", { on: "graphql", fault: "http", status: 42 }],
  ["fault.headers: ", { on: "graphql", fault: "http", status: 200, headers: { a: "\n" } }],
  ["fault.errors[0].message: ", { on: "graphql", fault: "graphql-errors", errors: [{}] }],
])("rejects an invalid fault with %s for %j", (message, fault) => {
  const faults = new FaultInjector();
  expect(() => faults.add(fault as Fault)).toThrow(TypeError);
  expect(() => faults.add(fault as Fault)).toThrow(message);
});

test("sends the given details and trailers with a status", async () => {
  const { client, server } = fixture();
  server.faults.add({
    on: "sync",
    fault: "status",
    status: "FAILED_PRECONDITION",
    details: "No.",
    trailers: { "batch-state": "expired" },
  });
  expect(await refused(client.complete("x"))).toEqual({
    code: "FAILED_PRECONDITION",
    details: "No.",
    batchState: "expired",
  });
});

test("steals a lock once: a second theft from the same batch has no effect", async () => {
  const { client, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  server.faults.add({ on: "sync", times: 2, fault: "lock-stolen" });
  expect(await refused(client.write(batchId, accounts("a")))).toMatchObject({ batchState: "expired" });
  const { lock } = server.inspect(installationId);
  await client.abort(batchId);
  expect(server.inspect(installationId).lock).toEqual(lock);
  server.faults.assertFired();
});

test("drops a connection over TLS", async () => {
  const tls = identity("self-signed");
  const { server } = await startSync({ host: "localhost", tls });
  const trusting = credentials.createSsl(Buffer.from(tls.cert));
  const secure = new PlainClient(server.syncUrl, `ApiKey ${server.apiKey}`, trusting);
  server.faults.add({ on: "sync", fault: "drop" });
  expect(await refused(secure.start(server.installationId))).toMatchObject({ code: "UNAVAILABLE" });
  await secure.start(server.installationId);
});

test("drops only the connection of the call that it fires on", async () => {
  const { client, connect, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  const stream = client.open().send(batchId, accounts("a"));
  server.faults.add({ on: "AbortSyncBatch", fault: "drop" });
  await refused(connect().abort(batchId));
  expect(await stream.end()).toBe(accepted(1));
});
