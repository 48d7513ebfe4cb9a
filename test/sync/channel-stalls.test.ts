import { connect } from "node:net";
import {
  SyncClient,
  type SyncClientOptions,
  type SyncProgress,
  TestClock,
  TimeoutError,
  TransportError,
} from "@saas-management/sdk/sync";
import { describe, expect, it, onTestFinished } from "vitest";
import { accounts, until, useScriptedServer } from "../support/sync-harness.js";
import { droppingPort, listenSilently, listenTcp, relayTo, unusedPort } from "../support/tcp-peers.js";
import { startBareServer } from "../support/tls-bare-server.js";

const START = { installationId: "installation-1" };
/** How long a connection may take. */
const LIMIT = 15_000;

function frozen(endpoint: string, options: Partial<SyncClientOptions> = {}) {
  const clock = new TestClock({ startAt: 0 });
  const client = new SyncClient({ endpoint, apiKey: "key-1", clock, retry: false, ...options });
  onTestFinished(() => client.close());
  return { client, clock };
}

describe("a connection that does not come about", () => {
  it.each(["http", "https"])(
    "is given up after a while, where the peer accepts it and says nothing: %s",
    async (scheme) => {
      const peer = await listenSilently();
      const { client, clock } = frozen(`${scheme}://127.0.0.1:${peer.port}`);
      const error = client.startBatch(START).catch((e: unknown) => e);
      await until(() => peer.heard() === 1);
      clock.advance(LIMIT);
      expect(await error).toBeInstanceOf(TransportError);
      expect(await error).toMatchObject({
        retryable: true,
        message: `StartSyncBatch: no connection to 127.0.0.1:${peer.port}: it accepted the connection and then said nothing. Check that the port is that of the Sync API, and that the endpoint begins with https:// if the server speaks TLS, or try again later.`,
      });
    },
  );

  it.runIf(process.platform === "linux")(
    "is given up after a while, where nobody answers at all",
    async () => {
      const port = await droppingPort();
      const { client, clock } = frozen(`http://127.0.0.1:${port}`);
      const error = client.startBatch(START).catch((e: unknown) => e);
      await until(() => clock.sleeping === 2);
      clock.advance(LIMIT);
      expect(await error).toMatchObject({
        retryable: true,
        message: `StartSyncBatch: no connection to 127.0.0.1:${port}: nobody answered in time. Check the host and the port of the endpoint, and whether a firewall drops the packets, or try again later.`,
      });
      // Nothing is left of the attempt; the test's own sockets are.
      await client.close();
    },
  );

  it("is given up before the operation's time is over, so that the error tells the reason", async () => {
    const peer = await listenSilently();
    const { client, clock } = frozen(`http://127.0.0.1:${peer.port}`, { timeoutMs: 4000 });
    const error = client.startBatch(START).catch((e: unknown) => e);
    await until(() => peer.heard() === 1);
    clock.advance(3600);
    expect(await error).toMatchObject({ message: expect.stringContaining("no connection to 127.0.0.1") });
  });

  it("is used all the same when it comes about after its caller has gone", async () => {
    const server = await startBareServer();
    let pass = () => {};
    const slow = await listenTcp((near) => {
      pass = () => {
        const far = connect(server.port, "127.0.0.1");
        near.pipe(far).pipe(near);
      };
    });
    const { client, clock } = frozen(`http://127.0.0.1:${slow.port}`, { timeoutMs: 1000 });
    const late = client
      .openBatch("batch-1")
      .abort()
      .catch((e: unknown) => e);
    await until(() => slow.accepted() === 1);
    clock.advance(1000);
    await late;
    pass();
    await until(() => server.established() === 1);
    clock.advance(LIMIT);
    await client.startBatch(START);
    expect(slow.accepted()).toBe(1);
  });

  it("is waited for once by calls that come together", async () => {
    const peer = await listenSilently();
    const { client, clock } = frozen(`http://127.0.0.1:${peer.port}`);
    const errors = [1, 2, 3].map(() => client.startBatch(START).catch((e: unknown) => e));
    await until(() => peer.heard() === 1);
    clock.advance(LIMIT);
    for (const error of await Promise.all(errors)) expect(error).toBeInstanceOf(TransportError);
    expect(peer.accepted()).toBe(1);
  });

  it("keeps nobody who cancels", async () => {
    const peer = await listenSilently();
    const { client, clock } = frozen(`http://127.0.0.1:${peer.port}`);
    const batch = client.openBatch("batch-1");
    const stop = new AbortController();
    const write = batch.write("accounts", accounts(1), { signal: stop.signal });
    await until(() => peer.heard() === 1);
    const reason = new Error("enough");
    stop.abort(reason);
    await expect(write).rejects.toBe(reason);
    batch.close();
    await until(() => clock.sleeping === 0);
  });
});

describe("the channel recovers", () => {
  it("from a peer that says nothing, when a server takes its port, within one call", async () => {
    const peer = await listenSilently();
    const retry = { retries: 4, minDelayMs: 1, maxDelayMs: 1 };
    const { client, clock } = frozen(`http://127.0.0.1:${peer.port}`, { retry });
    const retries: SyncProgress[] = [];
    const batch = client.startBatch({ ...START, onProgress: (progress) => retries.push(progress) });
    for (const attempt of [1, 2]) {
      await until(() => peer.heard() === attempt);
      clock.advance(LIMIT);
      await until(() => retries.length === attempt);
      if (attempt === 1) clock.advance(1);
    }
    await peer.close();
    const server = await startBareServer(undefined, { port: peer.port });
    clock.advance(1);
    expect((await batch).id).toBe("batch-1");
    expect(server.accepted()).toBe(1);
    expect(peer.accepted()).toBe(2);
  });

  it("at once when a server comes to a port on which nobody listened", async () => {
    const port = await unusedPort();
    const { client } = frozen(`http://127.0.0.1:${port}`);
    for (let i = 0; i < 4; i += 1) await expect(client.startBatch(START)).rejects.toThrow(/was refused/);
    await startBareServer(undefined, { port });
    expect((await client.startBatch(START)).id).toBe("batch-1");
  });
});

describe("a call that gets no answer", () => {
  const harness = useScriptedServer();

  it("makes the next one use a new connection: the old one may be dead", async () => {
    const relay = await relayTo(Number(new URL(harness.server.endpoint).port));
    const { client, clock } = frozen(`http://127.0.0.1:${relay.port}`);
    const batch = await client.startBatch(START);
    relay.forget();
    const write = batch.write("accounts", accounts(1, 1000)).catch((e: unknown) => e);
    await until(() => relay.swallowed() > 1000);
    clock.advance(100_000);
    expect(await write).toBeInstanceOf(TimeoutError);
    await batch.abort();
    expect(harness.server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
    expect(relay.accepted()).toBe(2);
    await until(() => relay.open() === 1);
  });

  it("leaves the others on the old connection alone", async () => {
    const { server } = harness;
    const relay = await relayTo(Number(new URL(server.endpoint).port));
    const { client, clock } = frozen(`http://127.0.0.1:${relay.port}`, { timeoutMs: 10_000 });
    const [slow, stuck] = [await client.startBatch(START), await client.startBatch(START)];
    server.scripts.CompleteSyncBatch.push("never");
    const completion = stuck.complete().catch((e: unknown) => e);
    await until(() => server.calls.includes("CompleteSyncBatch"));
    clock.advance(5000);
    let answer = () => {};
    server.beforeAnswer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
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
