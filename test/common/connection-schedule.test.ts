import { connect } from "node:net";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import type { ConnectionFault } from "../support/connection-faults.js";
import { connectionSchedule } from "../support/connection-schedule.js";
import { startFaultProxy } from "../support/fault-proxy.js";
import { until } from "../support/promises.js";
import { listenTcp } from "../support/tcp-peers.js";

const draw = (seed: number) =>
  connectionSchedule({
    seed,
    most: 3,
    call: { request: 100, answer: 10 },
    whole: { request: 10_000, answer: 1000 },
    deep: "any",
    outlived: ["reset"],
  });
const schedules = Array.from({ length: 500 }, (_, seed) => draw(seed));

test("a schedule of connection faults depends on its seed only, and survives JSON", () => {
  expect(schedules).toEqual(Array.from({ length: 500 }, (_, seed) => draw(seed)));
  expect(new Set(schedules.map(({ faults }) => JSON.stringify(faults))).size).toBeGreaterThan(400);
  expect(JSON.parse(JSON.stringify(schedules))).toEqual(schedules);
});

test("schedules have every kind of fault, both directions, and one to three connections", () => {
  const kinds = schedules.flatMap(({ faults }) => faults.map(({ kind }) => kind));
  const directed = kinds.flatMap((kind) => (kind.type === "silent" ? [] : [kind]));
  expect(new Set(kinds.map(({ type }) => type)).size).toBe(5);
  expect(new Set(directed.map(({ type, direction }) => `${type} ${direction}`)).size).toBe(8);
  expect(directed.some(({ afterBytes }) => afterBytes === 0)).toBe(true);
  expect(directed.some(({ afterBytes = 0 }) => afterBytes > 5000)).toBe(true);
  expect(new Set(schedules.map(({ faults }) => faults.length))).toEqual(new Set([1, 2, 3]));
});

test("a schedule continues only after a fault that the program survives, and goes deep only once", () => {
  for (const { faults } of schedules) {
    expect(faults.map(({ nth }) => nth)).toEqual(faults.map((_, i) => i + 1));
    expect(faults.slice(0, -1).every(({ kind }) => kind.type === "reset")).toBe(true);
    const deep = faults.filter(
      ({ kind }) =>
        kind.type !== "silent" && (kind.afterBytes ?? 0) >= (kind.direction === "request" ? 100 : 10),
    );
    expect(deep.length).toBeLessThanOrEqual(1);
  }
});

const reset = { type: "reset", direction: "request", afterBytes: 2 } as const;

async function startProxy(...faults: ConnectionFault[]) {
  const heard: string[] = [];
  const server = await listenTcp((socket) => {
    const index = heard.push("") - 1;
    socket.on("data", (bytes) => {
      heard[index] += bytes.toString();
    });
  });
  const proxy = await startFaultProxy(server.port, new TestClock({ startAt: new Date(0) }));
  const handles = proxy.plan({ faults });
  /** Sends a text and waits until it arrived or the connection ended. */
  const send = async (text: string) => {
    const socket = connect(proxy.port, "127.0.0.1").on("error", () => {});
    onTestFinished(() => void socket.destroy());
    const before = heard.length;
    let isClosed = false;
    socket.once("close", () => {
      isClosed = true;
    });
    socket.write(text);
    await until(() => isClosed || heard[before] === text);
    return isClosed ? "reset" : "arrived";
  };
  return { proxy, handles, heard, send };
}

test("the fault proxy strikes the planned connections and counts them", async () => {
  const { proxy, handles, heard, send } = await startProxy({ nth: 2, times: 2, kind: reset });
  expect([await send("one"), await send("two"), await send("three"), await send("four")]).toEqual([
    "arrived",
    "reset",
    "reset",
    "arrived",
  ]);
  await until(() => heard.join() === "one,tw,th,four");
  expect(handles).toMatchObject([{ firings: 2 }]);
  expect(proxy.firings()).toBe(2);
  proxy.assertFired();
});

test("a fault waits for the next connection if one carries too few bytes", async () => {
  const { proxy, send } = await startProxy({ kind: reset });
  expect([await send("ab"), await send("abc"), await send("abc")]).toEqual(["arrived", "reset", "arrived"]);
  proxy.assertFired();
});

test("the fault proxy fails a test whose faults struck too seldom", async () => {
  const { proxy, handles, send } = await startProxy(
    { times: 3, atLeast: 2, kind: reset },
    { nth: 9, kind: { type: "silent" } },
    { nth: 9, atLeast: 0, kind: { type: "silent" } },
  );
  await send("text");
  expect(proxy.unfired()).toEqual(handles.slice(0, 2));
  expect(() => proxy.assertFired()).toThrow();
  await send("text");
  expect(proxy.unfired()).toEqual(handles.slice(1, 2));
});
