import { SaasManagementError, type SyncProgress } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { accounts } from "../support/accounts.js";
import { quietLogger } from "../support/observed.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const LOST = { code: 14, details: "connection dropped" };
const discovered = (count: number) =>
  Array.from({ length: count }, () => ({ sourceActorId: "a", lastActivity: new Date(1e12) }));

test("tells which records of a failed write were accepted, and which are unknown", async () => {
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

test("calls the records of a refused window of several messages unknown", async () => {
  harness.server.scripts.SyncRecords.push({ code: 3, details: "no" });
  const batch = await harness.startBatch({ messageBytes: 1000, windowBytes: 100_000 });
  const error = await batch.write("accounts", accounts(40)).catch((e: unknown) => e);
  expect(error).toMatchObject({ outcomes: [{ outcome: "unknown", firstIndex: 0, records: 40 }] });
});

test.each([17, 99])("calls the records unknown after status %d, which gRPC does not define", async (code) => {
  harness.server.scripts.SyncRecords.push({ code, details: "?" });
  const batch = await harness.startBatch();
  await expect(batch.write("externallyDiscoveredUsage", discovered(1))).rejects.toMatchObject({
    code: "SYNC_PROTOCOL",
    grpcStatus: "UNKNOWN",
    outcomes: [{ outcome: "unknown", firstIndex: 0, records: 1 }],
  });
});

test("reports progress with numbers and names only", async () => {
  harness.server.scripts.SyncRecords.push(LOST);
  const seen: SyncProgress[] = [];
  const batch = await harness.startBatch({}, { onProgress: (progress) => seen.push(progress) });
  await batch.write("accounts", accounts(3), { expectedCount: 3 });
  await batch.complete();
  expect(seen).toEqual([
    { type: "started", attempt: 1, batchId: batch.id },
    { type: "sending", collection: "accounts", records: 0, bytes: 0, total: 3 },
    {
      type: "retry",
      operation: "SyncRecords of accounts",
      attempt: 1,
      delayMs: expect.any(Number),
      code: "TRANSPORT_FAILED",
    },
    { type: "sending", collection: "accounts", records: 3, bytes: expect.any(Number), total: 3 },
    { type: "completed", attempt: 1, batchId: batch.id },
  ]);
});

test("logs what a progress callback throws, and goes on", async () => {
  const errors: string[] = [];
  const logger = quietLogger({ error: (message) => void errors.push(message) });
  const onProgress = () => {
    throw new Error("the caller's display is broken");
  };
  harness.server.scripts.SyncRecords.push(LOST);
  const batch = await harness.startBatch({ logger }, { onProgress });
  await expect(batch.write("accounts", accounts(3))).resolves.toMatchObject({ accepted: 3 });
  await batch.complete();
  expect(batch.state).toBe("completed");
  expect(errors.length).toBeGreaterThan(2);
});
