import type { ServerHttp2Stream } from "node:http2";
import type { SyncBatch, SyncClient } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { describe, expect, test } from "vitest";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { connectorOf } from "../support/connector.js";
import { reply } from "../support/grpc-replies.js";
import { rejection, until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { quickRetries, START, syncClient } from "../support/sync-client.js";
import { type SyncServer, startSyncServer } from "../support/sync-server.js";
import { relayTo } from "../support/tcp-proxy.js";

const MINUTE = 60_000;

/** A call of each operation; all except the start use a batch that's already open. */
const CALLS = {
  StartSyncBatch: (client: SyncClient) => client.startBatch(START),
  SyncRecords: (_: SyncClient, batch: SyncBatch) => batch.write("accounts", accounts(3)),
  CompleteSyncBatch: (_: SyncClient, batch: SyncBatch) => batch.complete({ unverified: true }),
  AbortSyncBatch: (_: SyncClient, batch: SyncBatch) => batch.abort(),
};
type Operation = keyof typeof CALLS;
const OPERATIONS = ["StartSyncBatch", "SyncRecords", "CompleteSyncBatch", "AbortSyncBatch"] as const;

/** A client with a batch, behind a proxy that may forget connections. */
async function behindRelay(options: Partial<SyncClientOptions> = {}) {
  const server = await startSyncServer();
  const relay = await relayTo(server.port);
  const clock = new TestClock({ startAt: new Date(0) });
  const client = syncClient(relay, { clock, ...options });
  return { server, relay, clock, client, batch: await client.startBatch(START) };
}

/** Closes a client that waits for the answer to a start. */
async function closeNow(client: { close(): Promise<void> }, clock: TestClock) {
  const closed = client.close();
  clock.advance(5000);
  await closed;
}

describe("a connection that was idle for a minute", () => {
  test.each(OPERATIONS)("is replaced before %s: the network may have forgotten it", async (operation) => {
    const { relay, clock, client, batch } = await behindRelay();
    relay.forget();
    clock.advance(MINUTE);
    await CALLS[operation](client, batch);
    expect(relay.accepted()).toBe(2);
    await until(() => relay.open() === 1);
  });

  test("is kept if calls are made in between", async () => {
    const { relay, clock, client } = await behindRelay();
    for (let calls = 0; calls < 3; calls += 1) {
      clock.advance(MINUTE - 1);
      await client.startBatch(START);
    }
    expect(relay.accepted()).toBe(1);
  });

  test("is kept while a call takes longer than that", async () => {
    const { server, relay, clock, client, batch } = await behindRelay();
    const answer = server.hold("SyncRecords");
    const write = batch.write("accounts", accounts(1));
    await until(() => server.streams.length === 1);
    clock.advance(MINUTE);
    await client.startBatch(START);
    answer();
    await write;
    expect(relay.accepted()).toBe(1);
  });

  test("is replaced after the time that grpc.client_idle_timeout_ms says", async () => {
    const { relay, clock, client } = await behindRelay({
      channelOptions: { "grpc.client_idle_timeout_ms": 4 * MINUTE },
    });
    clock.advance(4 * MINUTE - 1);
    await client.startBatch(START);
    expect(relay.accepted()).toBe(1);
    clock.advance(4 * MINUTE);
    await client.startBatch(START);
    expect(relay.accepted()).toBe(2);
  });

  test("makes no run fail, even if a client runs every two minutes for an hour", async () => {
    const { server, relay, clock, client } = await behindRelay();
    const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(3)));
    for (let runs = 1; runs <= 30; runs += 1) {
      relay.forget();
      clock.advance(2 * MINUTE);
      await client.run(connector, { ...START, ledger: "none", guard: false });
    }
    expect(relay.accepted()).toBe(31);
    expect(server.streams).toHaveLength(30);
    expect(server.pings()).toBe(0);
  });
});

test("keeps the connection of an abandoned start for its answer, and opens a new one", async () => {
  const { relay, clock, client } = await behindRelay();
  relay.forget();
  const stop = new AbortController();
  const start = rejection(client.startBatch({ ...START, signal: stop.signal }));
  await until(() => relay.swallowed() > 0);
  stop.abort();
  await start;
  await client.startBatch(START);
  expect(relay.accepted()).toBe(2);
  await closeNow(client, clock);
});

test("opens a new connection after a start timed out", async () => {
  const { relay, clock, client } = await behindRelay({ timeoutMs: 6000 });
  relay.forget();
  const start = rejection(client.startBatch(START));
  await until(() => relay.swallowed() > 0);
  clock.advance(6000);
  expect(await start).toMatchObject({ code: "TIMEOUT" });
  await client.startBatch(START);
  expect(relay.accepted()).toBe(2);
  await closeNow(client, clock);
});

/** How every stream of a bad connection ends. */
const BAD: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  REFUSED_STREAM: (stream) => stream.close(7),
  INTERNAL_ERROR: (stream) => stream.close(2),
  CANCEL: (stream) => stream.close(8),
  "HTTP status 503": (stream) => {
    stream.respond({ ":status": 503, "content-type": "text/plain" });
    stream.end("no healthy upstream");
  },
  UNAVAILABLE: (stream) => reply(stream, { status: 14, details: "draining" }),
};

/** Makes calls of an operation fail on the first connection. @returns the number of calls on each connection */
function breakFirst(server: SyncServer, operation: Operation, fail: (stream: ServerHttp2Stream) => void) {
  const { answer } = server;
  const sessions: ServerHttp2Stream["session"][] = [];
  const calls: number[] = [];
  server.answer = (stream, called, headers) => {
    if (!sessions.includes(stream.session)) sessions.push(stream.session);
    const session = sessions.indexOf(stream.session);
    if (called === operation) calls[session] = (calls[session] ?? 0) + 1;
    if (called === operation && session === 0) fail(stream);
    else answer(stream, called, headers);
  };
  return calls;
}

describe.each(Object.entries(BAD))("a connection on which streams end with %s", (_, fail) => {
  test.each(OPERATIONS)("is replaced within one call of %s", async (operation) => {
    const server = await startSyncServer();
    const calls = breakFirst(server, operation, fail);
    const client = syncClient(server, { retry: quickRetries(4) });
    if (operation === "StartSyncBatch") await client.startBatch(START);
    else await CALLS[operation](client, await client.startBatch(START));
    expect(calls).toEqual([2, 1]);
    await until(() => server.open() === 1);
  });
});

test("keeps a connection that fails only now and then", async () => {
  const server = await startSyncServer();
  const client = syncClient(server, { retry: quickRetries(1) });
  for (let calls = 0; calls < 3; calls += 1) {
    server.scripts.StartSyncBatch.push({ code: 14, details: "busy" });
    await client.startBatch(START);
  }
  expect(server.accepted()).toBe(1);
});

describe("a stream that the server has not processed", () => {
  test.each(OPERATIONS)("is repeated without a retry: refused %s", async (operation) => {
    const server = await startSyncServer();
    const client = syncClient(server);
    const batch = await client.startBatch(START);
    const { answer } = server;
    const calls = breakFirst(server, operation, (stream) => {
      stream.close(7);
      server.answer = answer;
    });
    await CALLS[operation](client, batch);
    expect(calls).toEqual([1]);
    expect(server.headers).toHaveLength(3);
  });

  test.each(OPERATIONS)(
    "is repeated without a retry: %s after the last stream that a GOAWAY names",
    async (operation) => {
      const { relay, client, batch } = await behindRelay();
      relay.goAway(1);
      await CALLS[operation](client, batch);
      expect(relay.accepted()).toBe(2);
    },
  );

  test("a refused completion leaves the batch active, and a refused start leaves no lock in doubt", async () => {
    const server = await startSyncServer();
    const client = syncClient(server);
    const batch = await client.startBatch(START);
    await batch.write("accounts", accounts(3));
    const { answer } = server;
    server.answer = (stream) => stream.close(7);
    expect(await rejection(batch.complete())).toMatchObject({ code: "TRANSPORT_FAILED" });
    expect(batch.state).toBe("active");
    expect(await rejection(client.startBatch(START))).toMatchObject({ code: "TRANSPORT_FAILED" });
    server.answer = answer;
    server.scripts.StartSyncBatch.push({ code: 9 });
    expect(await rejection(client.startBatch(START))).toMatchObject({ mayBeOwn: false });
  });

  test("an answer whose text says that a stream was refused still counts as an answer", async () => {
    const server = await startSyncServer();
    const client = syncClient(server);
    const batch = await client.startBatch(START);
    await batch.write("accounts", accounts(3));
    server.scripts.CompleteSyncBatch.push({ code: 14, details: "Stream refused by server" });
    expect(await rejection(batch.complete())).toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
    expect(server.calls).toEqual(["StartSyncBatch", "CompleteSyncBatch"]);
  });
});

describe("closing a client", () => {
  const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(3)));
  const RUN = { ...START, ledger: "none", guard: false } as const;

  test("waits for at most 5 s", async () => {
    const { server, clock, client } = await behindRelay();
    server.scripts.SyncRecords.push("never");
    server.scripts.AbortSyncBatch.push("never");
    const run = rejection(client.run(connector, RUN));
    await until(() => server.streams.length === 1);
    const closed = client.close();
    await until(() => server.calls.includes("AbortSyncBatch"));
    clock.advance(5000);
    await closed;
    expect(await run).toMatchObject({ code: "CLOSED" });
  });

  test("neither completes nor aborts a batch of startBatch", async () => {
    const server = await startSyncServer();
    const client = syncClient(server);
    const batch = await client.startBatch(START);
    await batch.write("accounts", accounts(3));
    await client.close();
    expect([batch.state, server.calls]).toEqual(["closed", ["StartSyncBatch"]]);
  });
});
