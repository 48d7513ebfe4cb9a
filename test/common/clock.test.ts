import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { InvalidInputError, systemClock, TestClock } from "@saas-management/sdk";
import { describe, expect, it, onTestFinished, vi } from "vitest";

describe("a test clock", () => {
  it("stands still where it was started, until it is advanced", () => {
    const clock = new TestClock({ startAt: Date.UTC(2026, 0, 1) });
    expect(clock.now()).toBe(Date.UTC(2026, 0, 1));
    clock.advance(1500);
    expect(clock.now()).toBe(Date.UTC(2026, 0, 1) + 1500);
    expect(clock.monotonic()).toBe(1500);
  });

  it.each<[string, RegExp]>([
    ['{ "startsAt": 0 }', /there is no startsAt\. Did you mean startAt\?/],
    ['{ "startAt": "2026-06-01" }', /^startAt must be a Date, or milliseconds since the epoch\.$/],
    ['{ "startAt": null }', /^startAt must be a Date/],
    ['{ "startAt": 1e999 }', /^startAt must be a Date/],
  ])("is not made of %s", (options, message) => {
    const make = () => new TestClock(JSON.parse(options));
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });

  it("is not made of a Date that is none", () => {
    expect(() => new TestClock({ startAt: new Date("yesterday") })).toThrow(InvalidInputError);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, JSON.parse('"900000"')])(
    "does not move by %s, and shows the time that it did",
    (ms) => {
      const clock = new TestClock({ startAt: new Date(0) });
      clock.advance(0.5);
      expect(() => clock.advance(ms)).toThrow(InvalidInputError);
      expect([clock.now(), clock.monotonic()]).toEqual([0.5, 0.5]);
    },
  );

  it("wakes sleepers in the order of their times", async () => {
    const clock = new TestClock({ startAt: 0 });
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

  it("without a start shows the machine's time plus what it was advanced by", () => {
    const clock = new TestClock();
    const before = clock.now();
    clock.advance(3_600_000);
    expect(clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
    expect(clock.now()).toBeGreaterThanOrEqual(Date.now() + 3_599_000);
  });

  it("that goes on by itself waits only for what is left of a time after it was advanced", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = new TestClock();
    const ended: string[] = [];
    void clock.sleep(1000).then(() => ended.push("sleep"));
    clock.after(1050, () => ended.push("after"));
    clock.advance(900);
    await vi.advanceTimersByTimeAsync(99);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(["sleep"]);
    clock.advance(49);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(["sleep", "after"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("the machine's clock sleeps longer than its timers can", async () => {
  const stop = new AbortController();
  let ended = false;
  const sleep = systemClock.sleep(2 ** 32, stop.signal).finally(() => {
    ended = true;
  });
  const cancel = systemClock.after(2 ** 32, () => {
    ended = true;
  });
  // A timer that overflows fires after 1 ms.
  await systemClock.sleep(3);
  expect(ended).toBe(false);
  cancel();
  stop.abort("enough");
  await expect(sleep).rejects.toBe("enough");
});

describe.each([
  ["the machine's clock", () => systemClock],
  ["a running test clock", () => new TestClock()],
  ["a test clock that stands", () => new TestClock({ startAt: 0 })],
])("a sleep of %s", (_, make) => {
  it("of zero or less ends at once", async () => {
    await make().sleep(0);
    await make().sleep(-5);
  });

  it("rejects with the signal's reason and leaves no listener", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const sleep = make().sleep(1e6, stop.signal);
    stop.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    await expect(make().sleep(1e6, stop.signal)).rejects.toBe(reason);
  });
});

describe.each(["system", "running test"])("a callback of the %s clock", (name) => {
  const SCRIPT = fileURLToPath(new URL("../support/clock-timer-script.ts", import.meta.url));
  const HOUR = 3_600_000;

  /** What a process prints that waits for nothing else; it must end by itself. */
  async function printed(ms: number, keepAlive: boolean): Promise<string> {
    const args = ["--import", "tsx", SCRIPT, name, String(ms), String(keepAlive)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
    return stdout;
  }

  it("keeps the process alive with keepAlive", async () => {
    expect(await printed(5, true)).toBe("called");
  });

  it("lets the process end without it", async () => {
    expect(await printed(HOUR, false)).toBe("");
  });
});
