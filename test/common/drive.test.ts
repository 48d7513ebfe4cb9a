import { defineConnector } from "@saas-management/sdk";
import { memoryLedger, TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { accounts, startTestService } from "../support/test-service.js";

const clockAtNoon = () => new TestClock({ startAt: new Date("2026-01-01T12:00:00Z") });

test("lets sleeps pass, one after the other, until the work has settled", async () => {
  const clock = clockAtNoon();
  const seen: string[] = [];
  const sleepThenNote = async (ms: number) => {
    await clock.sleep(ms);
    seen.push(new Date(clock.now()).toISOString().slice(11, 16));
  };
  const work = async () => {
    await Promise.all([sleepThenNote(20 * 60_000), sleepThenNote(5 * 60_000)]);
    await sleepThenNote(60_000);
    return "done";
  };
  expect(await clock.drive(work())).toBe("done");
  expect(seen).toEqual(["12:05", "12:20", "12:21"]);
});

test("rejects with what the work rejects with, and moves nothing afterwards", async () => {
  const clock = clockAtNoon();
  const reason = new Error("the reason");
  const late = clock.sleep(1000);
  await expect(clock.drive(Promise.reject(reason))).rejects.toBe(reason);
  expect(clock.monotonic()).toBe(0);
  clock.advance(1000);
  await late;
});

test("moves a clock that runs", async () => {
  const clock = new TestClock();
  const before = Date.now();
  await clock.drive(clock.sleep(3_600_000));
  expect(clock.now() - before).toBeGreaterThan(3_599_000);
});

test("lets a run wait twenty minutes for the lock of a batch whose owner has died", async () => {
  const clock = clockAtNoon();
  const service = await startTestService({ server: { clock } });
  await service.startBatch();
  const { installationId } = service;
  const connector = defineConnector({
    snapshots: ["accounts"],
    run: (batch) => batch.write("accounts", accounts(["a", "b"])),
  });
  const options = { installationId, ledger: memoryLedger(), firstRun: true, waitForLockMs: 20 * 60_000 };
  const receipt = await clock.drive(service.sync.run(connector, options));
  expect(receipt.waitedForLockMs).toBeGreaterThanOrEqual(15 * 60_000);
  expect(service.present()).toEqual(["a", "b"]);
});
