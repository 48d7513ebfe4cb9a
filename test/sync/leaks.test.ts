import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ClosedError, SaasManagementError, type SyncBatch } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { SyncEngine } from "../../src/runs/engine.js";
import { until } from "../support/promises.js";
import { COLLECTION_NAMES } from "../support/record-arbitraries.js";
import { START } from "../support/sync-client.js";
import { useScriptedServer } from "../support/sync-harness.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const harness = useScriptedServer();
const LOST = { code: 14, details: "connection dropped" };
const LEASE_MS = 15 * 60_000;

let clock: TestClock;
let client: SyncEngine;
beforeEach(() => {
  clock = new TestClock({ startAt: new Date(0) });
  client = harness.client({ clock, retry: false });
});

/** The code that a call rejects with. `expect` would keep the error, and everything that the error refers to. */
async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    return error instanceof SaasManagementError ? error.code : error;
  }
}

async function expired(): Promise<SyncBatch> {
  const batch = await client.startBatch(START);
  clock.advance(LEASE_MS);
  expect(batch.state).toBe("expired");
  return batch;
}

async function unclear(): Promise<SyncBatch> {
  const batch = await client.startBatch(START);
  harness.server.scripts.CompleteSyncBatch.push(LOST);
  expect(await codeOf(batch.complete({ unverified: true }))).toBe("BATCH_OUTCOME_UNKNOWN");
  return batch;
}

async function notAborted(): Promise<SyncBatch> {
  const batch = await client.startBatch(START);
  harness.server.scripts.AbortSyncBatch.push(LOST);
  expect(await codeOf(batch.abort())).toBe("TRANSPORT_FAILED");
  return batch;
}

/** Creates a batch without keeping a reference to the batch. */
async function dropped(make: () => Promise<SyncBatch>): Promise<WeakRef<SyncBatch>> {
  return new WeakRef(await make());
}

test.each([
  ["its lease is over", expired],
  ["the outcome of its completion is unknown", unclear],
  ["it could not be aborted", notAborted],
])("a client does not hold a dropped batch when %s", async (_, make) => {
  const batch = await dropped(make);
  await until(() => {
    collectGarbage();
    return batch.deref() === undefined;
  });
  expect(clock.sleeping).toBe(0);
});

test("closing a client also closes an expired batch whose abort is under way", async () => {
  const batch = await expired();
  harness.server.scripts.AbortSyncBatch.push("never");
  const abort = batch.abort().catch((error: unknown) => error);
  await until(() => harness.server.calls.includes("AbortSyncBatch"));
  await client.close();
  expect(batch.state).toBe("closed");
  expect(await abort).toBeInstanceOf(Error);
});

test("an expired batch refuses an abort once its client is closed", async () => {
  const batch = await expired();
  await client.close();
  await expect(batch.abort()).rejects.toBeInstanceOf(ClosedError);
  expect(batch.state).toBe("closed");
  expect(harness.server.calls).toEqual(["StartSyncBatch"]);
});

/** Collects the warnings of the process, such as those of a leak of listeners. */
function noteWarnings(): string[] {
  const warnings: string[] = [];
  const note = (warning: Error) => void warnings.push(warning.name);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  return warnings;
}

test("many starts of one client print no leak warning", async () => {
  const warnings = noteWarnings();
  const answer = harness.server.hold("StartSyncBatch");
  const starting = Array.from({ length: 25 }, () => client.startBatch(START));
  await until(() => harness.server.calls.length === 25);
  answer();
  for (const batch of await Promise.all(starting)) batch.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});

test("all collections open at once print no leak warning", async () => {
  const warnings = noteWarnings();
  const batch = await client.startBatch(START);
  const open = COLLECTION_NAMES.map((name) => batch.writer(name));
  for (const collection of open) await collection.write([]);
  for (const collection of open) await collection.end();
  await batch.complete();
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});
