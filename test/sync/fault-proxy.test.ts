import { TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import { createSyncClient } from "../../src/runs/engine.js";
import { type ConnectionFaultKind, relayTo } from "../support/tcp-proxy.js";
import { accounts, testService } from "../support/test-service.js";

const service = testService();

/** A proxy in front of the server, and a client of this proxy. */
async function startBehindProxy() {
  const { server } = service;
  const proxy = await relayTo(Number(new URL(server.syncUrl).port));
  const clock = new TestClock();
  const client = createSyncClient({
    endpoint: `http://127.0.0.1:${proxy.port}`,
    apiKey: server.apiKey,
    clock,
    retry: { retries: 2, minDelayMs: 1, maxDelayMs: 1 },
  });
  onTestFinished(async () => {
    const closed = client.close();
    // The client waits 5 s for a start that is never answered.
    clock.advance(5000);
    await closed;
  });
  const sync = async () => {
    const batch = await client.startBatch({ installationId: server.installationId });
    await batch.write("accounts", accounts(200, 1000));
    await batch.complete();
  };
  return { proxy, sync, inspect: () => service.inspect() };
}

/** Number of bytes of the records: most of the bytes that go to the server. */
const RECORDS = 200_000;

test.each<[string, ConnectionFaultKind]>([
  ["before the first byte arrives", { type: "reset", direction: "request", afterBytes: 0 }],
  ["after the client's preface", { type: "reset", direction: "request", afterBytes: 24 }],
  ["in the middle of the records", { type: "reset", direction: "request", afterBytes: RECORDS / 2 }],
  ["before the server's SETTINGS arrive", { type: "reset", direction: "answer", afterBytes: 0 }],
  ["in the middle of the server's SETTINGS", { type: "reset", direction: "answer", afterBytes: 5 }],
  ["in the middle of the head of a frame", { type: "reset", direction: "request", afterBytes: 28 }],
])("a connection that is reset %s is replaced, and everything arrives", async (_, fault) => {
  const { proxy, sync, inspect } = await startBehindProxy();
  proxy.planNext(fault);
  await sync();
  expect(proxy.firings()).toBe(1);
  // On a slow machine, grpc-js may have retried once by itself.
  expect(proxy.accepted()).toBeGreaterThan(1);
  expect(inspect()).toMatchObject({ lock: null, batches: [{ state: "completed" }] });
  expect(inspect().snapshots.accounts).toHaveLength(200);
});
