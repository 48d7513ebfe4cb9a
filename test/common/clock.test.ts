import { getEventListeners } from "node:events";
import { InvalidInputError, SaasManagementClient } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { completeClock, systemClock } from "../../src/core/clock.js";
import { startTestService } from "../support/test-service.js";

test("a test clock with startAt stands still until it is advanced", () => {
  const clock = new TestClock({ startAt: new Date(Date.UTC(2026, 0, 1)) });
  expect(clock.now()).toBe(Date.UTC(2026, 0, 1));
  clock.advance(1500);
  expect(clock.now()).toBe(Date.UTC(2026, 0, 1) + 1500);
  expect(clock.monotonic()).toBe(1500);
});

test.each([
  { startsAt: 0 },
  { startAt: "2026-06-01" },
  { startAt: Infinity },
  { startAt: new Date("yesterday") },
])("a test clock rejects the options %j", (options: object) => {
  expect(() => new TestClock(options)).toThrow(InvalidInputError);
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, JSON.parse('"900000"')])(
  "a test clock refuses to advance by %s",
  (ms) => {
    const clock = new TestClock({ startAt: new Date(0) });
    clock.advance(0.5);
    expect(() => clock.advance(ms)).toThrow(InvalidInputError);
    expect([clock.now(), clock.monotonic()]).toEqual([0.5, 0.5]);
  },
);

test("a test clock wakes sleepers in the order of their times", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const woken: number[] = [];
  const sleeps = [300, 100, 200].map((ms) => clock.sleep(ms).then(() => woken.push(ms)));
  clock.advance(250);
  await Promise.all(sleeps.slice(1));
  expect(woken).toEqual([100, 200]);
  expect(clock.sleeping).toBe(1);
  clock.advance(50);
  await Promise.all(sleeps);
  expect(clock.sleeping).toBe(0);
});

test("a test clock without startAt shows the system time plus what you advanced it by", () => {
  const clock = new TestClock();
  const before = clock.now();
  clock.advance(3_600_000);
  expect(clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
  expect(clock.now()).toBeGreaterThanOrEqual(Date.now() + 3_599_000);
});

test("a running test clock waits only for the time left after it was advanced", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  // This doesn't yield to the event loop, because other tests' sockets could set timers.
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    for (let microtask = 0; microtask < 20; microtask += 1) await undefined;
  };
  const clock = new TestClock();
  const ended: string[] = [];
  void clock.sleep(1000).then(() => ended.push("sleep"));
  clock.after(1050, () => ended.push("after"));
  clock.advance(900);
  await pass(99);
  expect(ended).toEqual([]);
  await pass(1);
  expect(ended).toEqual(["sleep"]);
  clock.advance(49);
  await pass(1);
  expect(ended).toEqual(["sleep", "after"]);
  expect(vi.getTimerCount()).toBe(0);
});

const clockAtNoon = () => new TestClock({ startAt: new Date("2026-01-01T12:00:00Z") });

test("a driven test clock completes sleeps one after the other until the work has settled", async () => {
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

test("a driven test clock rejects with the error of the work, and doesn't move afterwards", async () => {
  const clock = clockAtNoon();
  const reason = new Error("the reason");
  const late = clock.sleep(1000);
  await expect(clock.drive(Promise.reject(reason))).rejects.toBe(reason);
  expect(clock.monotonic()).toBe(0);
  clock.advance(1000);
  await late;
});

test("a driven test clock fires no timeout just because a busy machine slows down the work", async () => {
  const clock = clockAtNoon();
  // Simulates a process that gets CPU time only ten times a second.
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

test("long sleeps do not overflow timers of the system clock", async () => {
  const stop = new AbortController();
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timers.mockRestore());
  const sleep = systemClock.sleep(2 ** 32, stop.signal);
  systemClock.after(2 ** 32, () => {})();
  expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([2 ** 31 - 1, 2 ** 31 - 1]);
  stop.abort("enough");
  await expect(sleep).rejects.toBe("enough");
});

test("if a call's key arrives after the call's time limit, no timer with a negative time is set", async () => {
  const { syncUrl, apiKey: key, installationId } = (await startTestService()).server;
  let lateMs = 0;
  const { now } = performance;
  const late = vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + lateMs);
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => void [late, timers].map((spy) => spy.mockRestore()));
  const apiKey = () => {
    lateMs = 2000;
    return key;
  };
  await using client = new SaasManagementClient({ syncUrl, apiKey });
  await client.sync.startBatch({ installationId, timeoutMs: 1000 }).catch(() => {});
  expect(timers.mock.calls.filter(([, ms = 0]) => ms < 0)).toEqual([]);
});

const CLOCKS = [
  ["the system clock", () => systemClock],
  ["a running test clock", () => new TestClock()],
  ["a test clock with startAt", () => new TestClock({ startAt: new Date(0) })],
] as const;

test.each(CLOCKS)("a sleep of %s of zero or less ends at once", async (_, make) => {
  await make().sleep(0);
  await make().sleep(-5);
});

test.each(CLOCKS)(
  "an aborted sleep of %s rejects with the reason and leaves no listener",
  async (_, make) => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const sleep = make().sleep(1e6, stop.signal);
    stop.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    await expect(make().sleep(1e6, stop.signal)).rejects.toBe(reason);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
  },
);

test("a custom clock that has only now() uses the system's timers", async () => {
  const clock = completeClock({ now: () => 5 });
  expect(clock.now()).toBe(5);
  expect(clock).toEqual({ ...systemClock, now: clock.now });
  const testClock = new TestClock();
  expect(completeClock(testClock)).toBe(testClock);
  const { baseUrl, apiKey } = (await startTestService()).server;
  await using client = new SaasManagementClient({ baseUrl, apiKey, clock: { now: () => 5 } });
  expect(await client.graphql.applications().totalCount()).toBe(0);
});
