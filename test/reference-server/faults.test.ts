import { status } from "@grpc/grpc-js";
import {
  type Fault,
  type FaultSchedule,
  type SyncFault,
  startReferenceServer,
} from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import { Faults } from "../../src/reference-server/faults/injector.js";
import { refused } from "../support/grpc-client.js";
import { accounts } from "../support/grpc-records.js";
import { type SyncFixture, syncFixture } from "../support/grpc-server.js";

const fixture = syncFixture();

const unavailable = { type: "grpc-status", code: 14 } as const;

/** Aborts an unknown batch several times and returns the codes: UNAVAILABLE if a fault struck. */
async function abortUnknown({ client }: SyncFixture, calls: number): Promise<string[]> {
  const codes: string[] = [];
  for (let i = 0; i < calls; i++) codes.push((await refused(client.abort("no-such-batch"))).code);
  return codes;
}

test("strikes the first matching call once by default", async () => {
  const started = fixture();
  const fault = started.server.faults.add({ api: "sync", kind: unavailable });
  expect(await abortUnknown(started, 3)).toEqual(["UNAVAILABLE", "NOT_FOUND", "NOT_FOUND"]);
  expect(fault.firings).toBe(1);
});

test("strikes `times` calls from the n-th since it was added", async () => {
  const started = fixture();
  await abortUnknown(started, 1);
  const fault = started.server.faults.add({ api: "sync", nth: 2, times: 2, kind: unavailable });
  expect(await abortUnknown(started, 4)).toEqual(["NOT_FOUND", "UNAVAILABLE", "UNAVAILABLE", "NOT_FOUND"]);
  expect(fault.firings).toBe(2);
});

test("counts and strikes calls of its operation and API only", async () => {
  const started = fixture();
  const { client, server } = started;
  server.faults.add({ api: "sync", operation: "CompleteSyncBatch", kind: unavailable });
  const html = server.faults.add({ api: "graphql", kind: { type: "html" } });
  expect(await abortUnknown(started, 2)).toEqual(["NOT_FOUND", "NOT_FOUND"]);
  expect(await refused(client.complete("no-such-batch"))).toMatchObject({ code: "UNAVAILABLE" });
  expect(html.firings).toBe(0);
});

test("lets the fault that was added first strike, and the second one at the next call", async () => {
  const started = fixture();
  started.server.faults.add({ api: "sync", kind: unavailable });
  const second = started.server.faults.add({ api: "sync", kind: { type: "grpc-status", code: 8 } });
  expect(await abortUnknown(started, 3)).toEqual(["UNAVAILABLE", "RESOURCE_EXHAUSTED", "NOT_FOUND"]);
  expect(second.firings).toBe(1);
});

test("removes all faults with clear() and keeps the counts of their handles", async () => {
  const started = fixture();
  const fault = started.server.faults.add({ api: "sync", times: 9, kind: unavailable });
  await abortUnknown(started, 2);
  started.server.faults.clear();
  expect(await abortUnknown(started, 1)).toEqual(["NOT_FOUND"]);
  expect(fault.firings).toBe(2);
});

test("copies a fault when it is added", async () => {
  const fault: { -readonly [K in keyof SyncFault]: SyncFault[K] } = {
    api: "sync",
    nth: 1,
    kind: unavailable,
  };
  const faults = new Faults();
  const handle = faults.add(fault);
  fault.nth = 3;
  expect(handle.fault).toEqual({ api: "sync", nth: 1, kind: unavailable });
});

test("fails assertFired() and lists the faults that struck fewer calls than `atLeast`", async () => {
  const started = fixture();
  const { faults } = started.server;
  const never = faults.add({ api: "sync", operation: "StartSyncBatch", kind: unavailable });
  const twice = faults.add({
    api: "sync",
    operation: "AbortSyncBatch",
    times: 3,
    atLeast: 2,
    kind: unavailable,
  });
  faults.add({ api: "graphql", atLeast: 0, kind: { type: "html" } });
  await abortUnknown(started, 1);
  expect(faults.unfired()).toEqual([never, twice]);
  expect(() => faults.assertFired()).toThrow('0 of 1: {"api":"sync","operation":"StartSyncBatch"');
  await abortUnknown(started, 1);
  expect(faults.unfired()).toEqual([never]);
  faults.clear();
  faults.assertFired();
});

const http = (fields: object) => ({ api: "graphql", kind: { type: "http", status: 503, ...fields } });

test.each<[where: string, fault: unknown]>([
  ["fault", undefined],
  ["fault", []],
  ["fault", { api: "sync", tmes: 2, kind: unavailable }],
  ["fault", { api: "graphql", message: 1, kind: { type: "html" } }],
  ["fault.api", { api: "rest", kind: unavailable }],
  ["fault.operation", { api: "sync", operation: "syncRecord", kind: unavailable }],
  ["fault.operation", { api: "graphql", operation: null, kind: { type: "html" } }],
  ["fault.nth", { api: "sync", nth: 0, kind: unavailable }],
  ["fault.times", { api: "sync", times: 0.5, kind: unavailable }],
  ["fault.atLeast", { api: "sync", atLeast: 2, kind: unavailable }],
  ["fault.message", { api: "sync", operation: "StartSyncBatch", message: 1, kind: unavailable }],
  ["fault.message", { api: "sync", message: 1, kind: unavailable }],
  ["fault.message", { api: "sync", operation: "SyncRecords", kind: { type: "early-answer" } }],
  [
    "fault.message",
    { api: "sync", operation: "SyncRecords", message: 1, kind: { type: "oversized-answer" } },
  ],
  ["fault.kind", { api: "sync" }],
  ["fault.kind", { api: "sync", kind: { type: "delay", ms: 1, att: "answer" } }],
  ["fault.kind", { api: "graphql", kind: { type: "html", at: "answer" } }],
  ["fault.kind.type", { api: "sync", kind: { type: "http", status: 502 } }],
  ["fault.kind.type", { api: "graphql", kind: unavailable }],
  ["fault.kind.at", { api: "sync", kind: { type: "drop", at: "later" } }],
  ["fault.kind.code", { api: "sync", kind: { type: "grpc-status", code: 0 } }],
  ["fault.kind.code", { api: "sync", kind: { type: "rst-stream", code: 14 } }],
  ["fault.kind.details", { api: "sync", kind: { ...unavailable, details: 14 } }],
  ["fault.kind.trailers", { api: "sync", kind: { ...unavailable, trailers: { "a b": "c" } } }],
  ["fault.kind.trailers.a", { api: "sync", kind: { ...unavailable, trailers: { a: 7 } } }],
  ["fault.kind.ms", { api: "sync", kind: { type: "delay" } }],
  ["fault.kind.ms", { api: "sync", kind: { type: "delay", ms: Number.POSITIVE_INFINITY } }],
  ["fault.kind.status", http({ status: 42 })],
  ["fault.kind.body", http({ body: { data: null } })],
  ["fault.kind.headers", http({ headers: { a: "\n" } })],
  ["fault.kind.retryAfter.seconds", http({ retryAfter: { seconds: -1 } })],
  ["fault.kind.delivery.type", http({ delivery: { type: "stall" } })],
  ["fault.kind.delivery.ms", http({ delivery: { type: "slow-body" } })],
  ["fault.kind.delivery", http({ delivery: { type: "slow-body", ms: 1, piece: 3 } })],
  ["fault.kind.ending", { api: "graphql", kind: { type: "truncated-body", ending: "later" } }],
  ["fault.kind.cursor", { api: "graphql", kind: { type: "page-info" } }],
  ["fault.kind.errors", { api: "graphql", kind: { type: "graphql-errors", errors: {} } }],
  ["fault.kind.errors[0].message", { api: "graphql", kind: { type: "graphql-errors", errors: [{}] } }],
])("rejects a fault with an invalid value at %s: %j", (where, fault) => {
  const faults = new Faults();
  expect(() => faults.add(fault as Fault)).toThrow(TypeError);
  expect(() => faults.add(fault as Fault)).toThrow(`${where}: `);
});

test.each<[where: string, schedule: unknown]>([
  ["schedule", null],
  ["schedule.faults", { fault: [] }],
  ["schedule.faults", { faults: {} }],
  [
    "schedule.faults[1].nth",
    {
      faults: [
        { api: "sync", kind: unavailable },
        { api: "sync", nth: 0 },
      ],
    },
  ],
])("rejects a schedule with an invalid value at %s and adds none of its faults", (where, schedule) => {
  const faults = new Faults();
  expect(() => faults.schedule(schedule as FaultSchedule)).toThrow(TypeError);
  expect(() => faults.schedule(schedule as FaultSchedule)).toThrow(`${where}: `);
  expect(faults.unfired()).toEqual([]);
});

test("refuses a call with a status before the server does anything", async () => {
  const { client, installationId, server } = fixture();
  server.faults.add({ api: "sync", operation: "StartSyncBatch", kind: unavailable });
  expect(await refused(client.start(installationId))).toMatchObject({ code: "UNAVAILABLE" });
  expect(server.inspect(installationId).batches).toEqual([]);
});

test("sends different details with each status code by default", async () => {
  const { client, server } = fixture();
  const texts = new Set<string>();
  for (let code = 1; code <= 16; code += 1) {
    server.faults.add({ api: "sync", kind: { type: "grpc-status", code } });
    const { details, code: name } = await refused(client.abort("no-such-batch"));
    expect(name).toBe(status[code]);
    texts.add(details);
  }
  expect(texts.size).toBe(16);
});

test("sends the given details and trailers with a status", async () => {
  const { client, server } = fixture();
  const kind = { ...unavailable, code: 9, details: "No.", trailers: { "batch-state": "expired" } };
  server.faults.add({ api: "sync", kind });
  expect(await refused(client.complete("x"))).toEqual({
    code: "FAILED_PRECONDITION",
    details: "No.",
    batchState: "expired",
  });
});

test("replaces the answer by a status after the work was done", async () => {
  const { client, installationId, server } = fixture();
  server.faults.add({ api: "sync", times: 9, kind: { ...unavailable, at: "answer" } });
  await refused(client.start(installationId));
  const batchId = server.inspect(installationId).lock?.batchId ?? "";
  await refused(client.write(batchId, accounts("a", "b")));
  expect(server.inspect(installationId).snapshots.accounts).toHaveLength(2);
  await refused(client.complete(batchId));
  expect(server.inspect(installationId).batches).toMatchObject([{ state: "completed" }]);
});

test("steals a lock once: a second theft from the same batch has no effect", async () => {
  const { client, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  server.faults.add({ api: "sync", times: 2, kind: { type: "lock-stolen" } });
  expect(await refused(client.write(batchId, accounts("a")))).toMatchObject({ batchState: "expired" });
  const { lock } = server.inspect(installationId);
  await client.abort(batchId);
  expect(server.inspect(installationId).lock).toEqual(lock);
  server.faults.assertFired();
});

test("drops only the connection of the struck call", async () => {
  const { client, connect, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  const stream = client.open().send(batchId, accounts("a"));
  server.faults.add({ api: "sync", operation: "AbortSyncBatch", kind: { type: "drop" } });
  await refused(connect().abort(batchId));
  expect(await stream.end()).toBe(1n);
});

test("strikes requests without a key too", async () => {
  const server = await startReferenceServer();
  onTestFinished(() => server.close());
  server.faults.add({ api: "graphql", kind: { type: "html", status: 502 } });
  const response = await fetch(`${server.baseUrl}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "{ __typename }" }),
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([502, "text/html; charset=utf-8"]);
  expect(await response.text()).toContain("<h1>502 Bad Gateway</h1>");
});
