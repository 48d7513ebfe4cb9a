import { connect } from "node:net";
import { status } from "@grpc/grpc-js";
import { ClosedError, type SyncProgress, TimeoutError, TransportError } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { quickRetries, START, syncClient } from "../support/sync-client.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { openSyncServer, startSyncServer } from "../support/sync-server.js";
import { droppingPort, listenSilently, listenTcp, unusedPort } from "../support/tcp-peers.js";
import { relayTo } from "../support/tcp-proxy.js";

/** How long a connection may take. */
const LIMIT = 15_000;

function frozen(endpoint: string | { readonly port: number }, options: Partial<SyncClientOptions> = {}) {
  const clock = new TestClock({ startAt: new Date(0) });
  return { client: syncClient(endpoint, { clock, ...options }), clock };
}

const rejection = (promise: Promise<unknown>) => promise.catch((e: unknown) => e);

describe("a connection that cannot be established", () => {
  test.each(["http", "https"])("is given up after 15 s if the peer sends nothing: %s", async (scheme) => {
    const peer = await listenSilently();
    const { client, clock } = frozen(`${scheme}://127.0.0.1:${peer.port}`);
    const error = rejection(client.startBatch(START));
    await until(() => peer.heard() === 1);
    clock.advance(LIMIT);
    expect(await error).toMatchObject({
      code: "TRANSPORT_FAILED",
      retryable: true,
      message: expect.stringContaining("accepted the connection but sent nothing"),
    });
  });

  test.runIf(process.platform === "linux")("is given up after 15 s if nobody answers", async () => {
    const port = await droppingPort();
    const { client, clock } = frozen({ port });
    const error = rejection(client.startBatch(START));
    // The timeouts of the operation and the connection, and the warning about a silent service.
    await until(() => clock.sleeping === 3);
    clock.advance(LIMIT);
    expect(await error).toMatchObject({
      code: "TRANSPORT_FAILED",
      retryable: true,
      message: expect.stringContaining("timed out"),
    });
    await client.close();
  });

  test("is given up before the operation times out, so that the error gives the reason", async () => {
    const peer = await listenSilently();
    const { client, clock } = frozen(peer, { timeoutMs: 4000 });
    const error = rejection(client.startBatch(START));
    await until(() => peer.heard() === 1);
    clock.advance(3600);
    expect(await error).toBeInstanceOf(TransportError);
  });

  test("is used by the next call if it is established after its caller gave up", async () => {
    const server = await startSyncServer();
    let pass = () => {};
    const slow = await listenTcp((near) => {
      pass = () => {
        const far = connect(server.port, "127.0.0.1");
        near.pipe(far).pipe(near);
      };
    });
    const { client, clock } = frozen(slow, { timeoutMs: 1000 });
    const late = rejection(client.abortBatch("batch-1"));
    await until(() => slow.accepted() === 1);
    clock.advance(1000);
    await late;
    pass();
    await until(() => server.established() === 1);
    clock.advance(LIMIT);
    await client.startBatch(START);
    expect(slow.accepted()).toBe(1);
  });

  test("is shared by simultaneous calls", async () => {
    const peer = await listenSilently();
    const { client, clock } = frozen(peer);
    const errors = [1, 2, 3].map(() => rejection(client.startBatch(START)));
    await until(() => peer.heard() === 1);
    clock.advance(LIMIT);
    for (const error of await Promise.all(errors)) expect(error).toBeInstanceOf(TransportError);
    expect(peer.accepted()).toBe(1);
  });
});

test("is shared by all installations of a client, even when their runs start together", async () => {
  const server = await openSyncServer();
  onTestFinished(() => server.close());
  const relay = await relayTo(Number(new URL(server.endpoint).port));
  const { client } = frozen(relay);
  const run = (installationId: string) =>
    client.run(
      { snapshots: ["accounts"], run: (batch) => batch.write("accounts", accounts(3)) },
      { installationId, ledger: "none", guard: false },
    );
  const installations = Array.from({ length: 40 }, (_, i) => `installation-${i}`);
  await Promise.all(installations.map(run));
  await Promise.all(installations.map(run));
  expect(relay.accepted()).toBe(1);
});

test("replaces a silent connection with each retry, within one call", async () => {
  const peer = await listenSilently();
  const { client, clock } = frozen(peer, { retry: quickRetries(4) });
  const retries: SyncProgress[] = [];
  const batch = client.startBatch({ ...START, onProgress: (progress) => retries.push(progress) });
  for (const attempt of [1, 2]) {
    await until(() => peer.heard() === attempt);
    clock.advance(LIMIT);
    await until(() => retries.length === attempt);
    if (attempt === 1) clock.advance(1);
  }
  await peer.close();
  const server = await startSyncServer(undefined, { port: peer.port });
  clock.advance(1);
  expect((await batch).id).toBe("batch-1");
  expect(server.accepted()).toBe(1);
  expect(peer.accepted()).toBe(2);
});

test("connects at once when a server starts on a port that refused connections", async () => {
  const port = await unusedPort();
  const { client } = frozen({ port });
  for (let i = 0; i < 4; i += 1)
    await expect(client.startBatch(START)).rejects.toBeInstanceOf(TransportError);
  await startSyncServer(undefined, { port });
  expect((await client.startBatch(START)).id).toBe("batch-1");
});

describe("a call that gets no answer", () => {
  const harness = useScriptedServer();

  test("makes the next call use another connection, because its own may be dead", async () => {
    const relay = await relayTo(Number(new URL(harness.server.endpoint).port));
    const { client, clock } = frozen(relay);
    const batch = await client.startBatch(START);
    relay.forget();
    const write = rejection(batch.write("accounts", accounts(1, 1000)));
    await until(() => relay.swallowed() > 1000);
    clock.advance(100_000);
    expect(await write).toBeInstanceOf(TimeoutError);
    await batch.abort();
    expect(harness.server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
    expect(relay.accepted()).toBe(2);
    await until(() => relay.open() === 1);
  });

  test("leaves other calls on its connection alone", async () => {
    const { server } = harness;
    const relay = await relayTo(Number(new URL(server.endpoint).port));
    const { client, clock } = frozen(relay, { timeoutMs: 10_000 });
    const [slow, stuck] = [await client.startBatch(START), await client.startBatch(START)];
    server.scripts.CompleteSyncBatch.push("never");
    const completion = rejection(stuck.complete({ unverified: true }));
    await until(() => server.calls.includes("CompleteSyncBatch"));
    clock.advance(5000);
    const answer = server.hold("SyncRecords");
    const write = slow.write("accounts", accounts(3));
    await until(() => server.streams[0]?.messages.length === 1);
    clock.advance(5000);
    await completion;
    await client.startBatch(START);
    expect(relay.accepted()).toBe(2);
    answer();
    expect((await write).accepted).toBe(3);
    await until(() => relay.open() === 1);
  });
});

describe("close", () => {
  const harness = useScriptedServer();

  test("ends a connection whose server does not read, and rejects the pending write", async () => {
    const server = await startSyncServer();
    const client = syncClient(server);
    const batch = await client.startBatch(START);
    server.answer = () => {};
    const write = batch.write("accounts", accounts(300, 10_000));
    await until(() => server.headers.length === 2);
    await client.close();
    await expect(write).rejects.toBeInstanceOf(ClosedError);
    await until(() => server.open() === 0);
  });

  test.each(["http", "https"])("ends a connection that is being established: %s", async (scheme) => {
    const peer = await listenSilently();
    const { client } = frozen(`${scheme}://127.0.0.1:${peer.port}`);
    const abort = rejection(client.abortBatch("batch-1"));
    await until(() => peer.heard() === 1);
    await client.close();
    await until(() => peer.open() === 0);
    expect(await abort).toBeInstanceOf(ClosedError);
  });

  test("ends replaced connections, even if a start that nobody awaits still uses one of them", async () => {
    const server = await startSyncServer();
    const { answer } = server;
    server.answer = () => {};
    const { client, clock } = frozen(server);
    const ended = Promise.allSettled([client.startBatch(START), client.abortBatch("batch-1")]);
    await until(() => server.headers.length === 2);
    clock.advance(100_000);
    await ended;
    server.answer = answer;
    await client.startBatch(START);
    expect(server.open()).toBe(2);
    const closed = client.close();
    clock.advance(5000);
    await closed;
    await until(() => server.open() === 0);
  });

  test("stops the retries of an abort that nobody awaits, and leaves no timer", async () => {
    const { server } = harness;
    const clock = new TestClock({ startAt: new Date(0) });
    const retry = { retries: 5, minDelayMs: 60_000, maxDelayMs: 60_000 };
    const client = harness.client({ clock, timeoutMs: 1_000_000, retry });
    const answer = server.hold("StartSyncBatch");
    server.scripts.AbortSyncBatch.push({ code: status.UNAVAILABLE }, { code: status.UNAVAILABLE });
    const impatient = new AbortController();
    const start = rejection(client.startBatch({ ...START, signal: impatient.signal }));
    await until(() => server.calls.length === 1);
    impatient.abort();
    await start;
    answer();
    await until(() => server.calls.includes("AbortSyncBatch") && clock.pausing === 1);
    const closed = client.close();
    clock.advance(5000);
    await closed;
    await until(() => clock.sleeping === 0);
    expect(server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
  });
});
