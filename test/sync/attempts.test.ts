import { Metadata } from "@grpc/grpc-js";
import { BatchStateError, type SyncProgress, TestClock } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { accounts, until, useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const LOST = { code: 14, details: "gone" };

/** Metadata of an answer, with an id of the request. */
function answered(facts: Readonly<Record<string, string>> = {}): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries({ "x-request-id": "request-2", ...facts }))
    metadata.set(name, value);
  return metadata;
}

const SECOND_ATTEMPT = { attempts: 2, stoppedBecause: "not-retryable", requestId: "request-2" };

describe("an error that says in the batch's words what the service refused tells how often it was tried", () => {
  it("of a lock that may be the client's own", async () => {
    harness.server.scripts.StartSyncBatch.push(LOST, { code: 6, details: "locked", metadata: answered() });
    await expect(harness.startBatch()).rejects.toMatchObject({ ...SECOND_ATTEMPT, mayBeOwn: true });
  });

  it("of a lock that was waited for in vain", async () => {
    const locked = { code: 6, details: "locked", metadata: answered() };
    harness.server.scripts.StartSyncBatch.push(locked, LOST, locked);
    const clock = new TestClock({ startAt: 0 });
    const seen: string[] = [];
    const onProgress = ({ type }: SyncProgress) => void seen.push(type);
    const starting = harness.startBatch({ clock }, { waitForLockMs: 1, onProgress });
    const refused = expect(starting).rejects.toMatchObject({ ...SECOND_ATTEMPT, waitedMs: 2 });
    await until(() => seen.at(-1) === "waiting-for-lock" && clock.sleeping === 1);
    clock.advance(1);
    // Beside the pause there is the time of the operation.
    await until(() => seen.at(-1) === "retry" && clock.sleeping === 2);
    clock.advance(1);
    await refused;
  });

  it("of a batch whose lease is over by the service's word", async () => {
    const expired = { code: 9, details: "", metadata: answered({ "batch-state": "expired" }) };
    harness.server.scripts.SyncRecords.push(LOST, expired);
    const batch = await harness.startBatch();
    const error = await batch.write("accounts", accounts(1)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BatchStateError);
    expect(error).toMatchObject({ ...SECOND_ATTEMPT, reason: "expired" });
  });

  it("of a completion whose outcome is not known", async () => {
    harness.server.scripts.CompleteSyncBatch.push(LOST, LOST, LOST);
    const batch = await harness.startBatch();
    await expect(batch.complete()).rejects.toMatchObject({
      code: "BATCH_OUTCOME_UNKNOWN",
      attempts: 3,
      stoppedBecause: "retries-exhausted",
    });
  });
});
