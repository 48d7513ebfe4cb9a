import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  ClosedError,
  SaasManagementError,
  type SyncBatch,
  type SyncClient,
  TestClock,
} from "@saas-management/sdk/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { until, useScriptedServer } from "../support/sync-harness.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const harness = useScriptedServer();
const LOST = { code: 14, details: "connection dropped" };
const LEASE_MS = 15 * 60_000;

let clock: TestClock;
let client: SyncClient;
beforeEach(() => {
  clock = new TestClock({ startAt: 0 });
  client = harness.client({ clock, retry: false });
});
const startBatch = () => client.startBatch({ installationId: "i" });

/** The code that a call rejects with; its error, which `expect` would keep, holds on to the calls that led to it. */
async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    return error instanceof SaasManagementError ? error.code : error;
  }
}

async function expired(): Promise<SyncBatch> {
  const batch = await startBatch();
  clock.advance(LEASE_MS);
  expect(batch.state).toBe("expired");
  return batch;
}

async function unclear(): Promise<SyncBatch> {
  const batch = await startBatch();
  harness.server.scripts.CompleteSyncBatch.push(LOST);
  expect(await codeOf(batch.complete())).toBe("BATCH_OUTCOME_UNKNOWN");
  return batch;
}

async function notAborted(): Promise<SyncBatch> {
  const batch = await startBatch();
  harness.server.scripts.AbortSyncBatch.push(LOST);
  expect(await codeOf(batch.abort())).toBe("TRANSPORT_FAILED");
  return batch;
}

/** Makes a batch, and holds on to nothing of it. */
async function dropped(make: () => Promise<SyncBatch>): Promise<WeakRef<SyncBatch>> {
  return new WeakRef(await make());
}

describe("a batch that its user drops", () => {
  it.each([
    ["when its lease is over", expired],
    ["when the outcome of its completion is unknown", unclear],
    ["when it could not be aborted", notAborted],
  ])("is not held by its client %s", async (_, make) => {
    const batch = await dropped(make);
    await until(() => {
      collectGarbage();
      return batch.deref() === undefined;
    });
    expect(clock.sleeping).toBe(0);
  });
});

describe("a batch whose lease is over", () => {
  it("before the answer to its start comes says so, and can be aborted", async () => {
    let answer = () => {};
    harness.server.beforeStart = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const start = client.startBatch({ installationId: "i", timeoutMs: 2 * LEASE_MS });
    start.catch(() => {});
    await until(() => harness.server.calls.includes("StartSyncBatch"));
    clock.advance(LEASE_MS);
    answer();
    const batch = await start;
    expect(batch.state).toBe("expired");
    expect(batch.signal.reason).toMatchObject({ code: "BATCH_STATE", reason: "expired" });
    await batch.abort();
    expect(batch.state).toBe("aborted");
  });

  it("is closed with its client while an abort of it is on its way", async () => {
    const batch = await expired();
    harness.server.scripts.AbortSyncBatch.push("never");
    const abort = batch.abort().catch((error: unknown) => error);
    await until(() => harness.server.calls.includes("AbortSyncBatch"));
    await client.close();
    expect(batch.state).toBe("closed");
    expect(await abort).toBeInstanceOf(Error);
  });

  it("refuses an abort once its client is closed", async () => {
    const batch = await expired();
    await client.close();
    await expect(batch.abort()).rejects.toBeInstanceOf(ClosedError);
    expect(batch.state).toBe("closed");
    expect(harness.server.calls).toEqual(["StartSyncBatch"]);
  });
});
