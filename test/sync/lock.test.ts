import { startReferenceServer } from "@saas-management/sdk/reference-server";
import { SyncClient, type SyncProgress, TestClock } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { until, useScriptedServer } from "../support/sync-harness.js";

const MINUTE = 60_000;
const harness = useScriptedServer();
const LOCKED = { code: 6, details: "locked" };

describe("waiting for the lock", () => {
  it("asks again with growing, jittered pauses of whole milliseconds, and tells of each", async () => {
    harness.server.scripts.StartSyncBatch.push(LOCKED, LOCKED, LOCKED);
    const clock = new TestClock({ startAt: 0 });
    const pauses: number[] = [];
    const onProgress = (progress: SyncProgress) => {
      if (progress.type === "waiting-for-lock") pauses.push(progress.nextAttemptMs);
    };
    const starting = harness.startBatch({ clock }, { waitForLockMs: 10 * MINUTE, onProgress });
    for (let waits = 1; waits <= 3; waits += 1) {
      await until(() => pauses.length === waits && clock.sleeping === 1);
      clock.advance(pauses.at(-1) ?? 0);
    }
    await starting;
    for (const [i, pause] of pauses.entries()) {
      expect(Number.isInteger(pause)).toBe(true);
      expect(pause).toBeGreaterThanOrEqual(500 * 2 ** i);
      expect(pause).toBeLessThanOrEqual(1000 * 2 ** i);
    }
  });

  it("ends with the lock's error when the time is over, and says how long was waited", async () => {
    harness.server.scripts.StartSyncBatch.push(...Array.from({ length: 50 }, () => LOCKED));
    const clock = new TestClock({ startAt: 0 });
    let next = 0;
    const onProgress = (progress: SyncProgress) => {
      if (progress.type === "waiting-for-lock") next = progress.nextAttemptMs;
    };
    const starting = harness.startBatch({ clock }, { waitForLockMs: 90_000, onProgress });
    const ended = starting.then(
      () => undefined,
      (error: unknown) => error,
    );
    let settled = false;
    void ended.then(() => {
      settled = true;
    });
    while (!settled) {
      await until(() => settled || (next > 0 && clock.sleeping === 1));
      const pause = next;
      next = 0;
      clock.advance(pause);
    }
    const error = await ended;
    expect(error).toMatchObject({ code: "BATCH_IN_PROGRESS", waitedMs: 90_000 });
    expect(String(error)).toContain("Waited for 90 seconds.");
  });

  it("ends at once with the caller's reason", async () => {
    harness.server.scripts.StartSyncBatch.push(LOCKED);
    const clock = new TestClock({ startAt: 0 });
    const stop = new AbortController();
    const starting = harness.startBatch({ clock }, { waitForLockMs: MINUTE, signal: stop.signal });
    await until(() => clock.sleeping === 1);
    const reason = new Error("enough");
    stop.abort(reason);
    await expect(starting).rejects.toBe(reason);
    expect(clock.sleeping).toBe(0);
  });

  it("gets the lock of an owner that died, 15 minutes later", async () => {
    const clock = new TestClock({ startAt: Date.UTC(2026, 0, 1) });
    await using server = await startReferenceServer({ clock });
    const { syncUrl: endpoint, apiKey, installationId } = server;
    const dead = new SyncClient({ endpoint, apiKey });
    const orphan = await dead.startBatch({ installationId });
    await dead.close();
    await using client = new SyncClient({ endpoint, apiKey, clock });
    let next = 0;
    const starting = client.startBatch({
      installationId,
      waitForLockMs: 20 * MINUTE,
      onProgress: (progress) => {
        if (progress.type === "waiting-for-lock") next = progress.nextAttemptMs;
      },
    });
    let started = false;
    void starting.then(() => {
      started = true;
    });
    while (!started) {
      await until(() => started || (next > 0 && clock.sleeping > 0));
      const pause = next;
      next = 0;
      clock.advance(pause);
    }
    const batch = await starting;
    expect(batch.id).not.toBe(orphan.id);
    expect(clock.now() - Date.UTC(2026, 0, 1)).toBeGreaterThanOrEqual(15 * MINUTE);
    await batch.abort();
  });

  it.each([-1, Number.NaN])("refuses waitForLockMs %s", async (waitForLockMs) => {
    await expect(harness.startBatch({}, { waitForLockMs })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("openBatch", () => {
  it("goes on with a batch that another process started, and completes it only when told that it is whole", async () => {
    await using server = await startReferenceServer();
    const { syncUrl: endpoint, apiKey, installationId } = server;
    await using first = new SyncClient({ endpoint, apiKey });
    const started = await first.startBatch({ installationId });
    await started.write("accounts", [{ generic: { id: "a" } }]);
    started.close();
    await using second = new SyncClient({ endpoint, apiKey });
    const batch = second.openBatch(started.id);
    await batch.write("accounts", [{ generic: { id: "b" } }]);
    await expect(batch.complete()).rejects.toThrow(/unverified: true/);
    expect(batch.state).toBe("active");
    await expect(batch.complete({ unverified: true })).resolves.toMatchObject({
      snapshots: { accounts: { added: 2 } },
    });
  });

  it("aborts a batch that another process started", async () => {
    await using server = await startReferenceServer();
    const { syncUrl: endpoint, apiKey, installationId } = server;
    await using client = new SyncClient({ endpoint, apiKey });
    const { id } = await client.startBatch({ installationId });
    await client.openBatch(id).abort();
    expect(server.inspect(installationId).lock).toBeNull();
  });

  it("of an unknown batch fails with the first call", async () => {
    await using server = await startReferenceServer();
    await using client = new SyncClient({ endpoint: server.syncUrl, apiKey: server.apiKey });
    const batch = client.openBatch("no-such-batch");
    await expect(batch.write("accounts", [])).rejects.toMatchObject({
      code: "SYNC_PROTOCOL",
      grpcStatus: "NOT_FOUND",
    });
    expect(() => client.openBatch("")).toThrow(/batchId/);
  });
});
