import { TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import { rejection, until } from "../support/http-client.js";
import { NEW_CASE } from "../support/records.js";
import { type ConnectionFaultKind, relayTo } from "../support/tcp-proxy.js";
import { testService } from "../support/test-service.js";

const COUNT = 50;
const applications = Array.from({ length: COUNT }, (_, index) => ({ name: `Application ${index}` }));
const service = testService({ server: { portfolio: { applications } } });

/** Number of bytes that cover an answer's head and some of its body. */
const IN_THE_BODY = 2000;

/** A proxy in front of the server, and a client of the proxy. */
async function startProxied(fault: ConnectionFaultKind) {
  const proxy = await relayTo(Number(new URL(service.server.baseUrl).port));
  const clock = new TestClock();
  const client = service.graphqlClient({ baseUrl: `http://127.0.0.1:${proxy.port}`, clock });
  onTestFinished(() => client.close());
  proxy.planNext(fault);
  return { proxy, clock, client, read: () => client.applications().toArray() };
}

test.each([
  ["before the request arrives", "request", 0],
  ["within the request", "request", 100],
  ["before the answer begins", "answer", 0],
  ["within the head of the answer", "answer", 20],
  ["within the body of the answer", "answer", IN_THE_BODY],
] as const)("repeats a query, and never a mutation, after a reset %s", async (_, direction, afterBytes) => {
  const query = await startProxied({ type: "reset", direction, afterBytes });
  expect(await query.read()).toHaveLength(COUNT);
  expect(query.proxy.firings()).toBe(1);
  // The answer to a mutation is short, so the fault must fire after no more than 100 bytes.
  const mutation = await startProxied({ type: "reset", direction, afterBytes: Math.min(afterBytes, 100) });
  const error = await rejection(mutation.client.createProcurementCase(NEW_CASE));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false });
  expect(mutation.proxy.firings()).toBe(1);
  expect(mutation.proxy.accepted()).toBe(1);
});

test.each<[string, ConnectionFaultKind]>([
  ["accepts and says nothing", { type: "silent" }],
  ["swallows the request", { type: "half-open", direction: "request", afterBytes: 50 }],
  ["stops within its answer", { type: "half-open", direction: "answer", afterBytes: IN_THE_BODY }],
])("ends a query when its time is up if the peer %s", async (_, fault) => {
  const { proxy, clock, read } = await startProxied(fault);
  const error = rejection(read());
  await until(() => proxy.firings() === 1);
  clock.advance(100_000);
  expect(await error).toMatchObject({ code: "TIMEOUT" });
});
