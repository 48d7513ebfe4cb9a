import { status } from "@grpc/grpc-js";
import { type Fault, type SyncFault, startReferenceServer } from "@saas-management/sdk/reference-server";
import { describe, expect, onTestFinished, test } from "vitest";
import { refused, until } from "../support/grpc-client.js";
import { accounts } from "../support/grpc-records.js";
import { startSync } from "../support/grpc-server.js";

const unavailable = { type: "grpc-status", code: 14 } as const;

/** Aborts an unknown batch a number of times and returns the codes: UNAVAILABLE where a fault struck. */
async function strikes(fixture: Awaited<ReturnType<typeof startSync>>, calls: number): Promise<string[]> {
  const codes: string[] = [];
  for (let i = 0; i < calls; i++) codes.push((await refused(fixture.client.abort("no-such-batch"))).code);
  return codes;
}

describe("a fault", () => {
  test("strikes the first matching call, once, unless it says otherwise", async () => {
    const fixture = await startSync();
    const fault = fixture.server.faults.add({ api: "sync", kind: unavailable });
    expect(await strikes(fixture, 3)).toEqual(["UNAVAILABLE", "NOT_FOUND", "NOT_FOUND"]);
    expect(fault.firings).toBe(1);
  });

  test("strikes the n-th matching call since it was added, as many times in a row as it says", async () => {
    const fixture = await startSync();
    await strikes(fixture, 1);
    const fault = fixture.server.faults.add({ api: "sync", nth: 2, times: 2, kind: unavailable });
    expect(fault.firings).toBe(0);
    expect(await strikes(fixture, 4)).toEqual(["NOT_FOUND", "UNAVAILABLE", "UNAVAILABLE", "NOT_FOUND"]);
    expect(fault.firings).toBe(2);
  });

  test("counts and strikes calls of its operation alone", async () => {
    const fixture = await startSync();
    const { client, server } = fixture;
    server.faults.add({ api: "sync", operation: "CompleteSyncBatch", kind: unavailable });
    expect(await strikes(fixture, 2)).toEqual(["NOT_FOUND", "NOT_FOUND"]);
    expect(await refused(client.complete("no-such-batch"))).toMatchObject({ code: "UNAVAILABLE" });
  });

  test("does not strike the other API", async () => {
    const fixture = await startSync();
    const fault = fixture.server.faults.add({ api: "graphql", kind: { type: "html" } });
    expect(await strikes(fixture, 1)).toEqual(["NOT_FOUND"]);
    const response = await fetch(`${fixture.server.baseUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "{ __typename }" }),
    });
    expect(response.headers.get("content-type")).toMatch("text/html");
    expect(fault.firings).toBe(1);
  });

  test("of two that match lets the one that was added first have its way, and strikes the next call", async () => {
    const fixture = await startSync();
    fixture.server.faults.add({ api: "sync", kind: unavailable });
    const second = fixture.server.faults.add({ api: "sync", kind: { type: "grpc-status", code: 8 } });
    expect(await strikes(fixture, 1)).toEqual(["UNAVAILABLE"]);
    expect(second.firings).toBe(0);
    expect(await strikes(fixture, 2)).toEqual(["RESOURCE_EXHAUSTED", "NOT_FOUND"]);
    expect(second.firings).toBe(1);
  });

  test("is gone after clear, and its handle keeps its count", async () => {
    const fixture = await startSync();
    const fault = fixture.server.faults.add({ api: "sync", times: 9, kind: unavailable });
    await strikes(fixture, 2);
    fixture.server.faults.clear();
    expect(await strikes(fixture, 1)).toEqual(["NOT_FOUND"]);
    expect(fault.firings).toBe(2);
  });
});

test.each<[string, unknown, RegExp]>([
  [
    "an HTTP status for the Sync API",
    { api: "sync", kind: { type: "http", status: 502 } },
    /"http" does not fit the api "sync"/,
  ],
  ["HTML for the Sync API", { api: "sync", kind: { type: "html" } }, /"html" does not fit/],
  [
    "a gRPC status for the GraphQL API",
    { api: "graphql", kind: unavailable },
    /"grpc-status" does not fit the api "graphql"/,
  ],
  ["a kind that does not exist", { api: "sync", kind: { type: "explode" } }, /"explode" does not fit/],
  [
    "a misspelled kind",
    { api: "sync", kind: { type: "grpc_status", code: 14 } },
    /"grpc_status" does not fit the api "sync"\. Did you mean grpc-status\?/,
  ],
  ["an api that does not exist", { api: "rest", kind: unavailable }, /`api` must be one of sync, graphql/],
  [
    "an operation that does not exist",
    { api: "sync", operation: "syncRecord", kind: unavailable },
    /`operation` must be one of StartSyncBatch, .*\. Did you mean SyncRecords\?/,
  ],
  ["the 0th call", { api: "sync", nth: 0, kind: unavailable }, /`nth` must be a whole number, 1 or more/],
  ["half a time", { api: "sync", times: 0.5, kind: unavailable }, /`times` must be a whole number/],
  [
    "the status OK",
    { api: "sync", kind: { type: "grpc-status", code: 0 } },
    /`code` must be a whole number from 1 to 16/,
  ],
  [
    "a moment that does not exist",
    { api: "sync", kind: { type: "drop", at: "later" } },
    /`at` must be one of request, answer/,
  ],
  ["a delay without a time", { api: "sync", kind: { type: "delay" } }, /`ms` must be a number/],
  [
    "an endless delay",
    { api: "sync", kind: { type: "delay", ms: Number.POSITIVE_INFINITY } },
    /`ms` must be a number/,
  ],
  [
    "an HTTP status 42",
    { api: "graphql", kind: { type: "http", status: 42 } },
    /`status` must be a whole number from 200 to 599/,
  ],
  [
    "a message of a call that has one",
    { api: "sync", operation: "StartSyncBatch", message: 1, kind: unavailable },
    /`message` has the operation "SyncRecords"/,
  ],
  [
    "a message of every operation",
    { api: "sync", message: 1, kind: unavailable },
    /`message` has the operation "SyncRecords"/,
  ],
  [
    "an early answer without a message",
    { api: "sync", operation: "SyncRecords", kind: { type: "early-answer" } },
    /"early-answer" needs the `message`/,
  ],
  [
    "an oversized answer to a message",
    { api: "sync", operation: "SyncRecords", message: 1, kind: { type: "oversized-answer" } },
    /"oversized-answer" strikes the call as a whole/,
  ],
  [
    "an error code that HTTP/2 does not have",
    { api: "sync", kind: { type: "rst-stream", code: 14 } },
    /`code` must be a whole number from 0 to 13/,
  ],
  [
    "seconds before now",
    { api: "graphql", kind: { type: "http", status: 503, retryAfter: { seconds: -1 } } },
    /`retryAfter.seconds` must be a whole number from 0 to/,
  ],
  [
    "an ending that does not exist",
    { api: "graphql", kind: { type: "truncated-body", ending: "later" } },
    /`ending` must be one of end, close, reset/,
  ],
  [
    "a body that is sent as no body is",
    { api: "graphql", kind: { type: "http", status: 503, delivery: { type: "stall" } } },
    /`delivery.type` must be one of slow-body, truncated-body, endless-body/,
  ],
  [
    "a body that is sent slowly, without a time",
    { api: "graphql", kind: { type: "http", status: 503, delivery: { type: "slow-body" } } },
    /`ms` must be a number/,
  ],
  [
    "a page without a cursor kind",
    { api: "graphql", kind: { type: "page-info" } },
    /`cursor` must be one of repeated, missing/,
  ],
  [
    "a trailer that cannot be sent",
    { api: "sync", kind: { ...unavailable, trailers: { "a b": "c" } } },
    /`trailers` has a name or value that cannot be sent: "a b"/,
  ],
  [
    "a trailer that is no text",
    { api: "sync", kind: { ...unavailable, trailers: { "a-bin": Buffer.from("c") } } },
    /`trailers` has a name or value that cannot be sent: "a-bin"/,
  ],
  [
    "a header that cannot be sent",
    { api: "graphql", kind: { type: "http", status: 500, headers: { a: "\n" } } },
    /`headers` has a name or value/,
  ],
  ["nothing", undefined, /^A fault must be an object\.$/],
  ["a list", [{ api: "sync", kind: unavailable }], /^A fault must be an object\.$/],
  ["no kind", { api: "sync" }, /^A fault's `kind` must be an object\.$/],
  [
    "a misspelled name",
    { api: "sync", tmes: 2, kind: unavailable },
    /there is no tmes\. Did you mean times\?/,
  ],
  [
    "a name of the other API's faults",
    { api: "graphql", message: 1, kind: { type: "html" } },
    /^A fault: there is no message\./,
  ],
  ["a misspelled name without a value", { api: "sync", ntth: undefined, kind: unavailable }, /no ntth/],
  [
    "a misspelled name of its kind",
    { api: "sync", kind: { type: "delay", ms: 1, att: "answer" } },
    /^A fault of kind "delay": there is no att\. Did you mean at\?/,
  ],
  [
    "a moment of a kind that has one alone",
    { api: "graphql", kind: { type: "html", at: "answer" } },
    /^A fault of kind "html": there is no at\./,
  ],
  [
    "a misspelled name of a body's delivery",
    { api: "graphql", kind: { type: "http", status: 200, delivery: { type: "slow-body", ms: 1, piece: 3 } } },
    /^A fault of kind "slow-body": there is no piece\. Did you mean pieces\?/,
  ],
  [
    "a misspelled name of Retry-After",
    { api: "graphql", kind: { type: "http", status: 503, retryAfter: { second: 1 } } },
    /`retryAfter`: there is no second\. Did you mean seconds\?/,
  ],
  [
    "a misspelled name of an injected error",
    { api: "graphql", kind: { type: "graphql-errors", errors: [{ message: "No.", kode: "X" }] } },
    /`errors\[0\]`: there is no kode\. Did you mean code\?/,
  ],
  [
    "an injected error without a message",
    { api: "graphql", kind: { type: "graphql-errors", errors: [{ code: "X" }] } },
    /`errors\[0\]\.message` must be a string/,
  ],
  [
    "injected errors that are no list",
    { api: "graphql", kind: { type: "graphql-errors", errors: { message: "No." } } },
    /`errors` must be a list/,
  ],
  [
    "a body that is no text",
    { api: "graphql", kind: { type: "http", status: 200, body: { data: null } } },
    /`body` must be a string/,
  ],
  [
    "details that are no text",
    { api: "sync", kind: { ...unavailable, details: 14 } },
    /`details` must be a string/,
  ],
  [
    "an operation that is no text",
    { api: "graphql", operation: null, kind: { type: "html" } },
    /`operation` must be a string/,
  ],
])("%s is refused when it is added", async (_, fault, message) => {
  const server = await startReferenceServer();
  onTestFinished(() => server.close());
  expect(() => server.faults.add(fault as Fault)).toThrow(TypeError);
  expect(() => server.faults.add(fault as Fault)).toThrow(message);
});

test("a fault is what it was when it was added, whatever becomes of the object", async () => {
  const fixture = await startSync();
  const fault: { -readonly [K in keyof SyncFault]: SyncFault[K] } = {
    api: "sync",
    nth: 1,
    kind: unavailable,
  };
  const first = fixture.server.faults.add(fault);
  fault.nth = 3;
  const second = fixture.server.faults.add(fault);
  expect([first.fault.nth, second.fault.nth]).toEqual([1, 3]);
  expect(await strikes(fixture, 4)).toEqual(["UNAVAILABLE", "NOT_FOUND", "UNAVAILABLE", "NOT_FOUND"]);
});

describe("a status", () => {
  test("refuses the call before the server does anything", async () => {
    const { client, installationId, server } = await startSync();
    server.faults.add({ api: "sync", operation: "StartSyncBatch", kind: unavailable });
    expect(await refused(client.start(installationId))).toMatchObject({
      code: "UNAVAILABLE",
      details: expect.stringMatching("upstream connect error"),
    });
    expect(server.inspect(installationId).batches).toEqual([]);
  });

  test("has the typical details of its code, and only where it is given none", async () => {
    const { client, server } = await startSync();
    const texts = new Set<string>();
    for (let code = 1; code <= 16; code += 1) {
      server.faults.add({ api: "sync", kind: { type: "grpc-status", code } });
      const { details, code: name } = await refused(client.abort("no-such-batch"));
      expect(name).toBe(status[code]);
      expect(details).toMatch(/^[A-Z]?[a-z].{5,}/);
      texts.add(details);
    }
    expect(texts.size).toBe(16);
  });

  test("carries details and trailers", async () => {
    const { client, server } = await startSync();
    const kind = { ...unavailable, code: 9, details: "No.", trailers: { "batch-state": "expired" } };
    server.faults.add({ api: "sync", kind });
    expect(await refused(client.complete("x"))).toEqual({
      code: "FAILED_PRECONDITION",
      details: "No.",
      batchState: "expired",
    });
  });

  test("in place of the answer comes after everything was done", async () => {
    const { client, installationId, server } = await startSync();
    server.faults.add({ api: "sync", times: 9, kind: { ...unavailable, at: "answer" } });
    await refused(client.start(installationId));
    const batchId = server.inspect(installationId).lock?.batchId ?? "";
    await refused(client.write(batchId, accounts("a", "b")));
    expect(server.inspect(installationId).snapshots.accounts).toHaveLength(2);
    await refused(client.complete(batchId));
    expect(server.inspect(installationId).batches).toMatchObject([{ state: "completed" }]);
  });

  test("refuses a stream before its messages are read", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    server.faults.add({ api: "sync", operation: "SyncRecords", kind: unavailable });
    expect(await refused(client.write(batchId, accounts("a")))).toMatchObject({ code: "UNAVAILABLE" });
    expect(server.inspect(installationId).snapshots.accounts).toEqual([]);
    expect(await client.write(batchId, accounts("a"))).toBe(1n);
  });
});

describe("a stolen lock", () => {
  test("is stolen once: a later theft from the same batch finds it gone and does nothing", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    server.faults.add({ api: "sync", times: 2, kind: { type: "lock-stolen" } });
    expect(await refused(client.write(batchId, accounts("a")))).toMatchObject({ batchState: "expired" });
    const { lock } = server.inspect(installationId);
    await client.abort(batchId);
    expect(server.inspect(installationId).lock).toEqual(lock);
    server.faults.assertFired();
  });
});

describe("a dropped connection", () => {
  test("breaks the call before the server does anything", async () => {
    const { client, installationId, server } = await startSync();
    server.faults.add({ api: "sync", operation: "StartSyncBatch", kind: { type: "drop" } });
    expect(await refused(client.start(installationId))).toMatchObject({ code: "UNAVAILABLE" });
    expect(server.inspect(installationId).batches).toEqual([]);
  });

  test("loses the answer after everything was done", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    server.faults.add({ api: "sync", operation: "SyncRecords", kind: { type: "drop", at: "answer" } });
    expect(await refused(client.write(batchId, accounts("a")))).toMatchObject({ code: "UNAVAILABLE" });
    expect(server.inspect(installationId).snapshots.accounts).toHaveLength(1);
    await client.complete(batchId);
  });

  test("is the connection of the call that was struck, and no other one", async () => {
    const { client, installationId, server, connect } = await startSync();
    const batchId = await client.start(installationId);
    const stream = client.open().send(batchId, accounts("a"));
    server.faults.add({ api: "sync", operation: "AbortSyncBatch", kind: { type: "drop" } });
    await refused(connect().abort(batchId));
    expect(await stream.end()).toBe(1n);
  });
});

describe("a delay", () => {
  test("holds the call back until the server's clock has come that far", async () => {
    const { client, installationId, server } = await startSync();
    server.faults.add({ api: "sync", kind: { type: "delay", ms: 60_000 } });
    const started = client.start(installationId);
    await until(() => server.clock.sleeping === 1);
    expect(server.inspect(installationId).batches).toEqual([]);
    server.clock.advance(60_000);
    const batchId = await started;
    expect(server.inspect(installationId).lock).toMatchObject({ batchId });
  });

  test("ends when the caller gives up, and then nothing is done", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    server.faults.add({ api: "sync", kind: { type: "delay", ms: 60_000 } });
    const stream = client.open().send(batchId, accounts("a"));
    await until(() => server.clock.sleeping === 1);
    stream.cancel();
    await until(() => server.clock.sleeping === 0);
    await refused(stream.answer);
    expect(server.inspect(installationId).snapshots.accounts).toEqual([]);
  });

  test("does not keep the server from closing", async () => {
    const { client, installationId, server } = await startSync();
    server.faults.add({ api: "sync", kind: { type: "delay", ms: 60_000 } });
    const started = refused(client.start(installationId));
    await until(() => server.clock.sleeping === 1);
    await server.close();
    expect(await started).toMatchObject({ code: "UNAVAILABLE" });
    expect(server.clock.sleeping).toBe(0);
  });
});
