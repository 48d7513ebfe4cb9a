import { BatchInProgressError, TransportError } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import type { SyncEngine } from "../../src/runs/engine.js";
import { createSyncClient } from "../../src/runs/engine.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { quietLogger } from "../support/observed.js";
import { rejection, until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { listenSilently, unusedPort } from "../support/tcp-peers.js";
import { relayTo } from "../support/tcp-proxy.js";

const harness = useScriptedServer();
const START = { installationId: "installation-1" };
const LOST = { code: 14, details: "connection dropped" };
const LOCKED = { code: 6, details: "locked" };

function connectTo(port: number, options: Partial<SyncClientOptions> = {}): SyncEngine {
  const retry = { retries: 1, minDelayMs: 1, maxDelayMs: 1 };
  const client = createSyncClient({
    endpoint: `http://127.0.0.1:${port}`,
    apiKey: "key-1",
    retry,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

const serverPort = () => Number(new URL(harness.server.endpoint).port);

/** A batch whose server can be cut off and come back. */
async function startBehindRelay(options: Partial<SyncClientOptions> = {}) {
  const relay = await relayTo(serverPort());
  const client = connectTo(relay.port, options);
  const batch = await client.startBatch(START);
  const cutOff = async () => {
    await relay.close();
    // The client only notices that the connection is gone when a call fails.
    await rejection(client.abortBatch("another"));
  };
  const comeBack = () => relayTo(serverPort(), relay.port);
  const silence = async () => {
    await cutOff();
    return listenSilently(relay.port);
  };
  return { relay, batch, cutOff, comeBack, silence };
}

test("does not mistake a held lock for the client's own after starts that could not connect", async () => {
  const port = await unusedPort();
  const client = connectTo(port);
  expect(await rejection(client.startBatch(START))).toBeInstanceOf(TransportError);
  await relayTo(serverPort(), port);
  harness.server.scripts.StartSyncBatch.push(LOCKED);
  const error = await rejection(client.startBatch(START));
  expect(error).toBeInstanceOf(BatchInProgressError);
  expect(error).toMatchObject({ mayBeOwn: false });
});

test("says that a held lock may be the client's own after a lost start, until the lease is over", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const client = harness.client({ retry: false, clock });
  harness.server.scripts.StartSyncBatch.push(LOST, LOCKED, LOCKED, LOCKED);
  expect(await rejection(client.startBatch(START))).toBeInstanceOf(TransportError);
  expect(await rejection(client.startBatch(START))).toMatchObject({ mayBeOwn: true });
  expect(await rejection(client.startBatch({ installationId: "another" }))).toMatchObject({
    mayBeOwn: false,
  });
  clock.advance(15 * 60_000);
  expect(await rejection(client.startBatch(START))).toMatchObject({ mayBeOwn: false });
});

test("keeps the batch active if a completion could not be sent, so that complete can be called again", async () => {
  const { batch, cutOff, comeBack } = await startBehindRelay();
  await batch.write("accounts", accounts(1));
  await cutOff();
  const error = await rejection(batch.complete());
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ retryable: true, attempts: 2 });
  expect(batch.state).toBe("active");
  await comeBack();
  await batch.complete();
  expect(batch.state).toBe("completed");
  expect(harness.server.calls).toEqual(["StartSyncBatch", "CompleteSyncBatch"]);
});

test("reports a completion as unknown if an earlier attempt was sent", async () => {
  harness.server.scripts.CompleteSyncBatch.push("never");
  const relay = await relayTo(serverPort());
  const batch = await connectTo(relay.port).startBatch(START);
  const completion = rejection(batch.complete({ unverified: true }));
  await until(() => harness.server.calls.includes("CompleteSyncBatch"));
  await relay.close();
  expect(await completion).toMatchObject({
    code: "BATCH_OUTCOME_UNKNOWN",
    cause: expect.any(TransportError),
  });
  expect(batch.state).toBe("unknown");
});

test("aborts a completion that is still connecting", async () => {
  const { batch, silence } = await startBehindRelay({
    clock: new TestClock({ startAt: new Date(0) }),
    retry: false,
  });
  const peer = await silence();
  const completion = rejection(batch.complete({ unverified: true }));
  await until(() => peer.heard() === 1);
  const abortion = rejection(batch.abort());
  expect(await completion).toMatchObject({ code: "BATCH_STATE", reason: "aborted" });
  batch.close();
  void abortion;
});

test("does not count records as sent if there was no connection", async () => {
  const { batch, cutOff } = await startBehindRelay({ messageBytes: 200, windowBytes: 200 });
  async function* source() {
    yield accounts(3);
    await until(() => batch.stats.accounts?.accepted === 1);
    await cutOff();
    yield accounts(2);
  }
  await expect(batch.write("accounts", source())).rejects.toBeInstanceOf(TransportError);
  expect(batch.stats.accounts).toMatchObject({ sent: 1, accepted: 1 });
});

test("does not count records as sent if their write was aborted while it connected", async () => {
  const { batch, silence } = await startBehindRelay({
    clock: new TestClock({ startAt: new Date(0) }),
    retry: false,
  });
  const peer = await silence();
  const stop = new AbortController();
  const write = rejection(batch.write("accounts", accounts(3), { signal: stop.signal }));
  await until(() => peer.heard() === 1);
  stop.abort("enough");
  expect(await write).toBe("enough");
  await until(() => batch.stats.accounts?.sent === 0);
});

test("closes the client without waiting for a start that is still connecting", async () => {
  const peer = await listenSilently();
  const clock = new TestClock({ startAt: new Date(0) });
  const client = connectTo(peer.port, { clock });
  const start = rejection(client.startBatch(START));
  await until(() => peer.heard() === 1);
  // The clock stands still, so any wait would never end.
  await client.close();
  expect(await start).toMatchObject({ code: "CLOSED" });
  expect(clock.sleeping).toBe(0);
});

test("waits at most 5 s for a start that was sent when the client closes, and logs that its lock may be held", async () => {
  harness.server.scripts.StartSyncBatch.push("never");
  const clock = new TestClock({ startAt: new Date(0) });
  const warnings: string[] = [];
  const logger = quietLogger({ warn: (text) => void warnings.push(text) });
  const client = harness.client({ clock, logger });
  const start = rejection(client.startBatch(START));
  await until(() => harness.server.calls.length === 1);
  const closing = client.close();
  await start;
  await until(() => clock.sleeping === 1);
  clock.advance(5000);
  await closing;
  await until(() => warnings.length === 1);
});
