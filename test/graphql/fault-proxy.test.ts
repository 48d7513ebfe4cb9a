import { GraphQLClient } from "@saas-management/sdk/graphql";
import { startReferenceServer, TestClock } from "@saas-management/sdk/reference-server";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ConnectionFaultKind } from "../support/connection-faults.js";
import { connectionSchedule } from "../support/connection-schedule.js";
import { hungMs, startFaultProxy } from "../support/fault-proxy.js";
import { rejection, until } from "../support/http-client.js";
import { judgedWalk, APPLICATIONS as WALKED } from "../support/judged-programs.js";
import { forSeeds, TIMEOUT_MS } from "../support/property-runs.js";
import { SteppedClock, settleOn } from "../support/stepped-clock.js";

const APPLICATIONS = 50;

/** A server of 50 applications, a proxy before it, and a client that speaks to the proxy. */
async function startBehindProxy(...faults: ConnectionFaultKind[]) {
  const server = await startReferenceServer({
    portfolio: {
      applications: Array.from({ length: APPLICATIONS }, (_, i) => ({ name: `Application ${i}` })),
    },
  });
  const linkClock = new TestClock({ startAt: 0 });
  const proxy = await startFaultProxy(Number(new URL(server.baseUrl).port), linkClock);
  const clock = new TestClock();
  const client = new GraphQLClient({
    baseUrl: `http://127.0.0.1:${proxy.port}`,
    apiKey: server.apiKey,
    clock,
    retry: { retries: 2, minDelayMs: 1, maxDelayMs: 1 },
  });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  proxy.planNext(...faults);
  const read = () => client.applications().toArray();
  const create = () => client.createProcurementCase({ name: "Renewal" });
  return { proxy, clock, linkClock, read, create };
}

/** Bytes of an answer's head, and of some of its body. */
const IN_THE_BODY = 2000;

describe("a connection that is reset", () => {
  test.each<[string, ConnectionFaultKind]>([
    ["before the request arrives", { type: "reset", direction: "request", afterBytes: 0 }],
    ["in the middle of the request", { type: "reset", direction: "request", afterBytes: 100 }],
    ["before the answer begins", { type: "reset", direction: "answer", afterBytes: 0 }],
    ["in the middle of the answer's head", { type: "reset", direction: "answer", afterBytes: 20 }],
    ["in the middle of the answer's body", { type: "reset", direction: "answer", afterBytes: IN_THE_BODY }],
  ])("%s has a query sent again, and a mutation never", async (_, fault) => {
    const { proxy, read } = await startBehindProxy(fault);
    expect(await read()).toHaveLength(APPLICATIONS);
    expect(proxy.firings()).toBe(1);
    // The answer to a mutation is a short one.
    const short = fault.type === "reset" ? { ...fault, afterBytes: Math.min(fault.afterBytes, 100) } : fault;
    const other = await startBehindProxy(short);
    expect(await rejection(other.create())).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false });
    expect(other.proxy.firings()).toBe(1);
    expect(other.proxy.accepted()).toBe(1);
  });
});

test.each<[string, ConnectionFaultKind]>([
  ["accepts and says nothing", { type: "silent" }],
  ["swallows the request", { type: "half-open", direction: "request", afterBytes: 50 }],
  ["stops in the middle of its answer", { type: "half-open", direction: "answer", afterBytes: IN_THE_BODY }],
])("a peer that %s ends the query with its time", async (_, fault) => {
  const { proxy, clock, read } = await startBehindProxy(fault);
  const error = rejection(read());
  await until(() => proxy.firings() === 1);
  clock.advance(100_000);
  expect(await error).toMatchObject({ code: "TIMEOUT" });
});

test.each<[string, ConnectionFaultKind, number]>([
  ["is late", { type: "delay", direction: "answer", ms: 5000 }, 5000],
  ["is narrow", { type: "bandwidth", direction: "answer", bytesPerSecond: 1000 }, 100_000],
])("a link that %s loses nothing", async (_, fault, stepMs) => {
  const { proxy, linkClock, read } = await startBehindProxy(fault);
  let done = false;
  const reading = read().finally(() => {
    done = true;
  });
  while (!done) {
    await until(() => done || linkClock.sleeping > 0);
    linkClock.advance(stepMs);
  }
  expect(await reading).toHaveLength(APPLICATIONS);
  expect(proxy.firings()).toBe(1);
});

describe("whatever happens to connections, drawn from a seed,", { timeout: TIMEOUT_MS }, () => {
  const draw = (seed: number) =>
    connectionSchedule({
      seed,
      most: 3,
      // A page is asked for with more than this, and answered with more.
      call: { request: 1100, answer: 1600 },
      // Two pages: `fetch` spreads the walk over two connections.
      whole: { request: 2300, answer: 3300 },
      deep: "last",
      outlived: ["reset"],
    });

  test("a walk has every node in its place, or ends with an error of the SDK", () =>
    forSeeds(80, draw, async (schedule) => {
      const clock = new SteppedClock();
      await using server = await startReferenceServer({ clock, portfolio: { applications: WALKED } });
      const proxy = await startFaultProxy(Number(new URL(server.baseUrl).port), clock);
      const baseUrl = `http://127.0.0.1:${proxy.port}`;
      const client = new GraphQLClient({ baseUrl, apiKey: server.apiKey, clock });
      proxy.plan(schedule);
      const outcome = await judgedWalk(client, settleOn(clock, hungMs(proxy)));
      await client.close();
      await proxy.close();
      proxy.assertFired();
      const isOutlived = schedule.faults.every(({ kind }) => kind.type === "reset");
      expect(outcome).toEqual(isOutlived ? "done" : expect.stringMatching(/^(done|TIMEOUT)$/));
    }));
});
