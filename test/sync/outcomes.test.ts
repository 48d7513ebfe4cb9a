import type { SyncProgress } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { quietLogger } from "../support/observed.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const LOST = { code: 14, details: "connection dropped" };

test("counts the records that a failed write sent, and how many were accepted", async () => {
  harness.server.scripts.SyncRecords.push(undefined, undefined, LOST, LOST, LOST);
  const batch = await harness.startBatch({ messageBytes: 1000, windowBytes: 1000 });
  await expect(batch.write("accounts", accounts(40))).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  const { sent = 0, accepted = 0, windows } = batch.stats.accounts ?? {};
  expect(windows).toBe(2);
  expect(accepted).toBeGreaterThan(0);
  expect(sent).toBeGreaterThan(accepted);
});

test.each([17, 99])("reports status %d, which gRPC does not define, as unknown", async (code) => {
  harness.server.scripts.SyncRecords.push({ code, details: "?" });
  const batch = await harness.startBatch();
  await expect(batch.write("accounts", accounts(1))).rejects.toMatchObject({
    code: "SYNC_PROTOCOL",
    grpcStatus: "UNKNOWN",
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

test("logs an error in a progress callback, and continues", async () => {
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
