import { defineConnector } from "@saas-management/sdk";
import { memoryLedger, TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test, vi } from "vitest";
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

test("lets no timeout pass before work that a busy machine slows down has ended", async () => {
  const clock = clockAtNoon();
  // A process that gets the processor ten times a second.
  let time = 0;
  const spied = vi.spyOn(performance, "now").mockImplementation(() => (time += 100));
  onTestFinished(() => spied.mockRestore());
  const timeout = new Promise((resolve) => clock.after(100_000, () => resolve("timeout")));
  const work = async () => {
    for (let turn = 0; turn < 500; turn++) await new Promise(setImmediate);
    return "done";
  };
  expect(await clock.drive(Promise.race([work(), timeout]))).toBe("done");
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
