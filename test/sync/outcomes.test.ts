import { SaasManagementError, type SyncProgress } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { quietLogger } from "../support/quiet-logger.js";
import { accounts, useScriptedServer } from "../support/sync-harness.js";
import { relayTo } from "../support/tcp-peers.js";

const harness = useScriptedServer();
const LOST = { code: 14, details: "connection dropped" };
const discovered = (count: number) =>
  Array.from({ length: count }, () => ({ generic: { sourceActorId: "a", lastActivity: new Date(0) } }));

describe("a failed write's error", () => {
  it("carries the ranges of records that were accepted, and those that are unknown", async () => {
    harness.server.scripts.SyncRecords.push(undefined, undefined, LOST, LOST, LOST);
    const batch = await harness.startBatch({ messageBytes: 1000, windowBytes: 1000 });
    const error = await batch.write("accounts", accounts(40)).catch((e: unknown) => e);
    if (!(error instanceof SaasManagementError)) throw error;
    const [accepted, unknown, ...others] = error.outcomes;
    expect(accepted).toMatchObject({ outcome: "accepted", firstIndex: 0 });
    expect(unknown).toMatchObject({ outcome: "unknown", firstIndex: accepted?.records });
    expect(others).toEqual([]);
    expect(JSON.stringify(error)).not.toContain("firstIndex");
  });

  it("of a refusal in a window of several messages leaves its records unknown", async () => {
    harness.server.scripts.SyncRecords.push({ code: 3, details: "no" });
    const batch = await harness.startBatch({ messageBytes: 1000, windowBytes: 100_000 });
    const error = await batch.write("accounts", accounts(40)).catch((e: unknown) => e);
    expect(error).toMatchObject({ outcomes: [{ outcome: "unknown", firstIndex: 0, records: 40 }] });
  });

  it.each([17, 99])(
    "of the status %d, which gRPC does not know, leaves its records unknown",
    async (code) => {
      harness.server.scripts.SyncRecords.push({ code, details: "?" });
      const batch = await harness.startBatch();
      await expect(batch.write("accounts", accounts(1))).rejects.toMatchObject({
        code: "SYNC_PROTOCOL",
        grpcStatus: "UNKNOWN",
        message: expect.stringContaining(`status ${code}`),
        outcomes: [{ outcome: "unknown", firstIndex: 0, records: 1 }],
      });
    },
  );
});

describe("events without an id", () => {
  it("are sent again when the answer was lost: at least once", async () => {
    harness.server.scripts.SyncRecords.push(LOST);
    const batch = await harness.startBatch();
    await expect(batch.write("externallyDiscoveredUsage", discovered(3))).resolves.toMatchObject({
      retries: 1,
    });
  });

  it('are never sent again with unknownEvents: "fail"; those with an id still are', async () => {
    harness.server.scripts.SyncRecords.push(LOST, undefined, LOST);
    const batch = await harness.startBatch({ unknownEvents: "fail" });
    const events = [{ generic: { id: "e", sourceActorId: "a", lastActivity: new Date(0) } }];
    await expect(batch.write("usage", events)).resolves.toMatchObject({ retries: 1 });
    const write = batch.write("externallyDiscoveredUsage", discovered(3));
    await expect(write).rejects.toMatchObject({
      code: "TRANSPORT_FAILED",
      retryable: false,
      stoppedBecause: "not-retryable",
      message: expect.stringContaining('unknownEvents: "fail"'),
      outcomes: [{ outcome: "unknown", firstIndex: 0, records: 3 }],
    });
    expect(harness.server.streams).toHaveLength(3);
  });
});

it('unknownEvents: "fail" still has sent again what did not reach the service', async () => {
  const port = Number(new URL(harness.server.endpoint).port);
  const relay = await relayTo(port);
  let back: Promise<unknown> = Promise.resolve();
  let retries = 0;
  const client = harness.client({
    endpoint: `http://127.0.0.1:${relay.port}`,
    unknownEvents: "fail",
    // Each attempt waits for its key, and so for the service to be back.
    apiKey: () => back.then(() => "key-1"),
  });
  const batch = await client.startBatch({
    installationId: "installation-1",
    onProgress: ({ type }) => {
      if (type !== "retry") return;
      retries += 1;
      back = relayTo(port, relay.port);
    },
  });
  await relay.close();
  // The client knows only when a call fails that the connection is gone.
  await client
    .openBatch("another")
    .abort()
    .catch(() => {});
  const write = batch.write("externallyDiscoveredUsage", discovered(1));
  await expect(write).resolves.toMatchObject({ accepted: 1, retries: 1 });
  expect(retries).toBe(1);
  harness.server.scripts.SyncRecords.push(LOST);
  await expect(batch.write("externallyDiscoveredUsage", discovered(1))).rejects.toMatchObject({
    attempts: 1,
    stoppedBecause: "not-retryable",
  });
  expect(harness.server.streams).toHaveLength(2);
});

it("everything that happens to a batch is told, with numbers and names only", async () => {
  harness.server.scripts.SyncRecords.push(LOST);
  const seen: SyncProgress[] = [];
  const batch = await harness.startBatch({}, { onProgress: (progress) => seen.push(progress) });
  await batch.write("accounts", accounts(3));
  await batch.complete();
  expect(seen).toEqual([
    {
      type: "retry",
      operation: "SyncRecords of accounts",
      attempt: 1,
      delayMs: expect.any(Number),
      code: "TRANSPORT_FAILED",
    },
    { type: "window-accepted", collection: "accounts", records: 3, bytes: expect.any(Number), accepted: 3 },
    { type: "completed", snapshots: {}, events: {} },
  ]);
});

it("a record that is too large is named with its largest fields", async () => {
  const batch = await harness.startBatch({ maxSendMessageBytes: 2000 });
  const record = { generic: { id: "a", name: "n".repeat(1500), roles: ["r".repeat(700), "r"], email: "e" } };
  await expect(batch.write("accounts", [record])).rejects.toThrow(
    /accounts\[0\] \(id "a"\).*largest fields are name \(1500 bytes\), roles \(701 bytes\), id \(1 bytes\)/,
  );
});

it("a progress callback that throws is logged and fails nothing", async () => {
  const errors: string[] = [];
  const logger = quietLogger({ error: (message) => void errors.push(message) });
  const onProgress = () => {
    throw new Error("the caller's display is broken");
  };
  harness.server.scripts.SyncRecords.push(LOST);
  const batch = await harness.startBatch({ logger }, { onProgress });
  await expect(batch.write("accounts", accounts(3), { onProgress })).resolves.toMatchObject({ accepted: 3 });
  await batch.complete();
  expect(batch.state).toBe("completed");
  expect(errors.length).toBeGreaterThan(2);
});
