import timers from "node:timers";
import timersPromises, { scheduler, setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { TestClock } from "@saas-management/sdk/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { enterVirtualTime, leaveVirtualTime, VirtualTime } from "../../../../src/testing/kit/time/context.js";
import { installVirtualTime } from "../../../../src/testing/kit/time/install.js";

const NOON = Date.UTC(2026, 2, 1, 12);

let clock: TestClock;
let errors: unknown[];
let time: VirtualTime;
let restore: () => void;
beforeEach(() => {
  clock = new TestClock({ startAt: new Date("2020-01-01T00:00:00Z") });
  errors = [];
  time = new VirtualTime(clock, NOON, (error) => errors.push(error));
  restore = installVirtualTime();
});
afterEach(() => {
  time.end();
  restore();
});

/** Runs a connector's code, and returns what the code noted after each of these steps of time, in milliseconds. */
async function noted(code: (note: (text: string) => void) => unknown, ...steps: readonly number[]) {
  const texts: string[] = [];
  enterVirtualTime(time, () => void code((text) => texts.push(text)));
  for (const ms of steps) {
    await turn();
    clock.advance(ms);
  }
  await turn();
  return texts;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a connector's time passes with the clock, but starts at another moment", async () => {
  const seen = await noted(async (note) => {
    note(new Date().toISOString());
    const before = performance.now();
    await sleep(90_000);
    note(new Date(Date.now()).toISOString());
    note(String(performance.now() - before));
    note(new Date(0).toISOString());
    note(String(new Date() instanceof Date));
  }, 90_000);
  expect(seen).toEqual([
    "2026-03-01T12:00:00.000Z",
    "2026-03-01T12:01:30.000Z",
    "90000",
    "1970-01-01T00:00:00.000Z",
    "true",
  ]);
});

test.each([
  ["setTimeout", (done: () => void) => void setTimeout(done, 5000)],
  ["timers.setTimeout", (done: () => void) => void timers.setTimeout(done, 5000)],
  ["promises.setTimeout", (done: () => void) => void timersPromises.setTimeout(5000).then(done)],
  ["its import", (done: () => void) => void sleep(5000).then(done)],
  ["promisify(setTimeout)", (done: () => void) => void promisify(setTimeout)(5000).then(done)],
  ["scheduler.wait", (done: () => void) => void scheduler.wait(5000).then(done)],
  [
    "AbortSignal.timeout",
    (done: () => void) => AbortSignal.timeout(5000).addEventListener("abort", done, { once: true }),
  ],
])("%s waits for the clock", async (_, start) => {
  const code = (note: (text: string) => void) => start(() => note("fired"));
  expect(await noted(code, 4999)).toEqual([]);
  clock.advance(1);
  expect(await noted(code, 4999, 1)).toEqual(["fired"]);
});

test("setInterval repeats until it is cleared", async () => {
  const seen = await noted(
    (note) => {
      let count = 0;
      const timer = setInterval(() => {
        count += 1;
        note(`${count}`);
        if (count === 3) clearInterval(timer);
      }, 1000);
    },
    1000,
    1000,
    1000,
    1000,
  );
  expect(seen).toEqual(["1", "2", "3"]);
});

test("the interval of node:timers/promises ends with its signal", async () => {
  const controller = new AbortController();
  const seen = await noted(
    async (note) => {
      try {
        for await (const value of timersPromises.setInterval(1000, "tick", { signal: controller.signal }))
          note(value);
      } catch (error) {
        note(String(error));
      }
    },
    1000,
    1000,
  );
  controller.abort();
  await turn();
  expect(seen).toEqual(["tick", "tick", "AbortError: The operation was aborted"]);
});

test("timers can be cleared by object, by number, and by either module's clearTimeout", async () => {
  const seen = await noted((note) => {
    clearTimeout(setTimeout(() => note("itself"), 10));
    clearTimeout(Number(setTimeout(() => note("number"), 10)));
    timers.clearTimeout(setTimeout(() => note("module"), 10));
    const timer = setTimeout(() => note("refreshed"), 10);
    timer.refresh().unref();
  }, 10);
  expect(seen).toEqual(["refreshed"]);
  expect(time.pending).toBe(0);
});

test("an aborted sleep rejects like Node's", async () => {
  const controller = new AbortController();
  const reason = new Error("the reason");
  const seen: unknown[] = [];
  enterVirtualTime(time, () => sleep(1000, undefined, { signal: controller.signal })).catch(
    (error: unknown) => seen.push(error),
  );
  controller.abort(reason);
  await turn();
  expect(seen).toEqual([expect.objectContaining({ name: "AbortError", code: "ABORT_ERR", cause: reason })]);
  expect(clock.sleeping).toBe(0);
});

test("all other code keeps real time, even if a connector calls that code", async () => {
  const before = Date.now();
  const [inside, left] = enterVirtualTime(time, () => [Date.now(), leaveVirtualTime(() => Date.now())]);
  expect(inside).toBe(NOON);
  expect(left).toBeGreaterThanOrEqual(before);
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(clock.sleeping).toBe(0);
});

test("an exception in a callback is reported, and does not reach the clock", async () => {
  await noted(() => {
    setTimeout(() => {
      throw new Error("of a callback");
    }, 10);
  }, 10);
  expect(errors).toEqual([new Error("of a callback")]);
});

test("timers end when their run ends", async () => {
  const seen = await noted((note) => {
    setTimeout(() => note("early"), 10);
    time.end();
    setTimeout(() => note("late"), 10);
  }, 100);
  expect(seen).toEqual([]);
});

test("everything is restored after the last user ends", () => {
  const second = installVirtualTime();
  const patched = globalThis.setTimeout;
  restore();
  expect(globalThis.setTimeout).toBe(patched);
  second();
  expect(globalThis.setTimeout).not.toBe(patched);
  expect(timers.setTimeout).toBe(globalThis.setTimeout);
  expect(Object.hasOwn(performance, "now")).toBe(false);
  expect(enterVirtualTime(time, () => Date.now())).not.toBe(NOON);
  expect(enterVirtualTime(time, () => new Date().toISOString())).not.toBe(new Date(NOON).toISOString());
});
