import { InvalidInputError, type RunOptions, SaasManagementError } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { connectorOf } from "../support/connector.js";
import { connectClient, rejection, until } from "../support/http-client.js";
import { answer, json } from "../support/http-server.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const QUERY = "{ applications { totalCount } }";
const WHERE = { installationId: "installation-1", ledger: "none" } as const;
const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(2)));

const run = (options: RunOptions, ofClient = {}) =>
  harness.client({ headers: { "x-tenant": "t1", "x-team": "a" }, ...ofClient }).run(connector, {
    ...WHERE,
    ...options,
  });

test.each([
  ["the number of retries", { retries: 1, minDelayMs: 1, maxDelayMs: 1 }, { minDelayMs: 1 }, 2],
  ["the pauses", { retries: 9, minDelayMs: 1, maxDelayMs: 1 }, { retries: 2 }, 3],
  ["that nothing is repeated", false as const, { minDelayMs: 1 }, 1],
  ["no field", { retries: 1, minDelayMs: 1, maxDelayMs: 1 }, {}, 2],
])("a call's own retry settings keep %s from the client's", async (_, ofClient, retry, attempts) => {
  const { client, server } = await connectClient((_, response) => json(response, {}, { status: 503 }), {
    retry: ofClient,
    clock: undefined,
  });
  const error = await rejection(client.request(QUERY, {}, { retry }));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", attempts });
  expect(server.requests).toHaveLength(attempts);
});

test("a call is refused before it is sent if its pauses contradict those of the client", async () => {
  const { client, server } = await connectClient(answer({ data: {} }), {
    retry: { minDelayMs: 1, maxDelayMs: 50 },
  });
  const error = await rejection(client.request(QUERY, {}, { retry: { minDelayMs: 51 } }));
  expect(error).toBeInstanceOf(SaasManagementError);
  expect(server.requests).toHaveLength(0);
});

test("each RPC of a run sends the run's headers, which override the client's", async () => {
  await run({ headers: { "X-Tenant": "t2", "x-job": "7" } });
  const { calls, streams, headers } = harness.server;
  expect(calls).toEqual(["StartSyncBatch", "CompleteSyncBatch"]);
  expect(streams).toHaveLength(1);
  for (const sent of headers) expect(sent).toMatchObject({ "x-tenant": "t2", "x-team": "a", "x-job": "7" });
  await run({});
  expect(harness.server.headers.at(-1)).toMatchObject({ "x-tenant": "t1" });
  expect(harness.server.headers.at(-1)).not.toHaveProperty("x-job");
});

test("writes and aborts send the headers of their batch, and so does an abort by id", async () => {
  const client = harness.client();
  const batch = await client.startBatch({ ...{ installationId: "i" }, headers: { "x-job": "7" } });
  await batch.write("accounts", accounts(1));
  await batch.abort();
  await client.abortBatch("batch-2", { headers: { "x-job": "7" } });
  expect(harness.server.headers.map((sent) => sent["x-job"])).toEqual(["7", "7", "7", "7"]);
});

test("a run's time limit is the deadline of each of its RPCs except the start", async () => {
  await run({ timeoutMs: 7_000 }, { timeoutMs: 60_000 });
  expect(harness.server.timesLeftMs).toHaveLength(2);
  // The start has a longer deadline, because a lost answer could leave a lock that nobody knows of.
  expect(harness.server.timesLeftMs[1]).toBeLessThanOrEqual(8_000);
});

test("a run that gives up after its time limit says what the limit was", async () => {
  const clock = new TestClock({ startAt: new Date(Date.UTC(2026, 0, 1)) });
  harness.server.scripts.CompleteSyncBatch.push("never", "never");
  const failed = rejection(run({ timeoutMs: 7_000, retryForMs: 0 }, { clock, retry: false }));
  await until(() => harness.server.calls.includes("CompleteSyncBatch"));
  clock.advance(7_000);
  expect(await failed).toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN", cause: { timeoutMs: 7_000 } });
});

test.each([
  ["authorization", { authorization: "x" }],
  ["a header of the connection", { te: "gzip" }],
  ["a name that gRPC cannot send", { "x tenant": "a" }],
  ["a value that is no string", { "x-tenant": 5 }],
  ["a Map", new Map([["x-tenant", "a"]])],
])("runs, previews and batches refuse %s in headers before anything is read", async (_, headers) => {
  let read = false;
  const reading = connectorOf([], async () => {
    read = true;
  });
  const client = harness.client();
  const options: object = { ...WHERE, headers };
  const calls = [
    () => client.run(reading, options),
    () => client.preview(reading, options),
    () => client.startBatch({ installationId: "i", ...{ headers: headers as never } }),
    () => client.abortBatch("batch-2", { ...{ headers: headers as never } }),
  ];
  for (const call of calls) expect(await rejection(call())).toBeInstanceOf(InvalidInputError);
  expect(read).toBe(false);
  expect(harness.server.headers).toHaveLength(0);
});

test("a preview takes the options of its run and sends nothing", async () => {
  const preview = await harness
    .client()
    .preview(connector, { ...WHERE, timeoutMs: 5_000, headers: { "x-job": "7" } });
  expect(preview.collections).toHaveProperty("accounts");
  expect(harness.server.headers).toHaveLength(0);
});
