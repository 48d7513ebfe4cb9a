import { SaasManagementError, TransportError } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { json, type Responder } from "../support/http-server.js";
import { observedHooks } from "../support/observed.js";
import { until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const START = { installationId: "installation-1" };
const LOST = { code: 14, details: "connection dropped" };
const QUERY = "query Names { applications { nodes { id } } }";
const MUTATION = "mutation Touch { touch }";
const unavailable: Responder = (_, response) => json(response, {}, { status: 503 });

/** Until you call the result, answers only the first `after` starts. A client's `close()` waits for the others. */
function holdStarts(after: number): () => void {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let starts = 0;
  harness.server.before.StartSyncBatch = () => {
    starts += 1;
    return starts > after ? answered : Promise.resolve();
  };
  return answer;
}

/** The fields of an error. The number of attempts must be what the server saw. */
function ending(stoppedBecause: string, attempts: number) {
  return { stoppedBecause, attempts };
}

const LONG_PAUSES = { minDelayMs: 1e15, maxDelayMs: 1e15 };
const FORBIDDEN = { status: 403 };
const UNAVAILABLE = { status: 503 };
const ASKS_100_S = { status: 503, headers: { "retry-after": "100" } };

test.each([
  ["no retry would help", FORBIDDEN, {}, ending("not-retryable", 1)],
  ["the retries are used up", UNAVAILABLE, { retries: 2, minDelayMs: 1 }, ending("retries-exhausted", 3)],
  ["there are no retries", UNAVAILABLE, false, ending("retries-exhausted", 1)],
  ["zero retries are allowed", UNAVAILABLE, { retries: 0 }, ending("retries-exhausted", 1)],
  ["the pause would outlast the deadline", UNAVAILABLE, LONG_PAUSES, ending("deadline", 1)],
  ["Retry-After exceeds the deadline", ASKS_100_S, {}, ending("retry-after-exceeds-deadline", 1)],
] as const)(
  "a GraphQL error has the number of attempts and the reason if %s",
  async (_, answer, retry, expected) => {
    const { client, server } = await connectClient((_request, response) => json(response, {}, answer), {
      clock: new TestClock(),
    });
    expect(await rejection(client.request(QUERY, {}, { retry }))).toMatchObject(expected);
    expect(server.requests).toHaveLength(expected.attempts);
  },
);

test.each([
  ["no retry would help", { code: 7, details: "no" }, undefined, ending("not-retryable", 1)],
  ["the retries are used up", LOST, undefined, ending("retries-exhausted", 3)],
  ["there are no retries", LOST, false, ending("retries-exhausted", 1)],
] as const)(
  "a Sync API error has the number of attempts and the reason if %s",
  async (_, answer, retry, expected) => {
    harness.server.scripts.StartSyncBatch.push(answer, answer, answer);
    const error = await rejection(harness.startBatch(retry === undefined ? {} : { retry }));
    expect(error).toMatchObject(expected);
    expect(harness.server.calls).toHaveLength(expected.attempts);
  },
);

test("a deadline that ends during a pause is a TimeoutError", async () => {
  const { client, clock, server } = await connectClient((_, response) =>
    json(response, {}, { status: 503, headers: { "retry-after": "99" } }),
  );
  const error = rejection(client.request(QUERY, {}));
  await until(() => clock.sleeping === 2);
  // The pause and the time limit end together, as they do on a suspended machine.
  clock.advance(1_000_000);
  expect(await error).toMatchObject({ code: "TIMEOUT", stoppedBecause: "deadline" });
  expect(await error).toHaveProperty("cause.status", 503);
  expect(server.requests).toHaveLength(1);
});

test("jitters each pause below a bound that is doubled until it reaches maxDelayMs", async () => {
  const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
  onTestFinished(() => random.mockRestore());
  const { hooks, retries } = observedHooks();
  const pauses = { retries: 6, minDelayMs: 100, maxDelayMs: 1000 };
  const { client, clock } = await connectClient(unavailable, { retry: pauses, ...hooks });
  await settle(clock, [client.request(QUERY, {})]);
  expect(retries.map(({ delayMs }) => delayMs)).toEqual([50, 100, 200, 400, 500, 500]);
});

test("an abort reason that is an error of another operation is not annotated", async () => {
  const { client, server } = await connectClient(() => {});
  const stop = new AbortController();
  const reason = new TransportError("of something else");
  const error = rejection(client.request(QUERY, {}, { signal: stop.signal }));
  await server.arrived(1);
  stop.abort(reason);
  expect(await error).toBe(reason);
  expect(reason.stoppedBecause).toBeUndefined();
});

test.each([
  ["a query may be repeated", QUERY, {}, true],
  ["a mutation may not", MUTATION, {}, false],
  ["an idempotent mutation may", MUTATION, { idempotent: true }, true],
  ["an unreadable document may not", "query on on {", {}, false],
])("a TimeoutError says whether the call may be repeated: %s", async (_, document, options, retryable) => {
  const { client, clock, server } = await connectClient(() => {});
  const error = rejection(client.request(document, {}, options));
  await server.arrived(1);
  clock.advance(100_000);
  expect(await error).toMatchObject({ code: "TIMEOUT", retryable, attempts: 1 });
  expect(server.requests).toHaveLength(1);
});

test("a TimeoutError of the Sync API is retryable for an abort, but not for a start or a write", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const { scripts, calls, streams } = harness.server;
  const options = { clock, retry: false } as const;
  const answer = holdStarts(0);
  const start = rejection(harness.startBatch(options));
  await until(() => calls.length === 1);
  clock.advance(100_000);
  answer();
  expect(await start).toMatchObject({ code: "TIMEOUT", retryable: false });
  await until(() => calls.includes("AbortSyncBatch"));
  const batch = await harness.startBatch(options);
  scripts.SyncRecords.push("never");
  const write = rejection(batch.write("accounts", accounts(1)));
  await until(() => streams.length === 1);
  clock.advance(100_000);
  expect(await write).toMatchObject({ code: "TIMEOUT", retryable: false });
  scripts.AbortSyncBatch.push("never");
  const abort = rejection(batch.abort());
  await until(() => calls.filter((call) => call === "AbortSyncBatch").length === 2);
  clock.advance(100_000);
  expect(await abort).toMatchObject({ code: "TIMEOUT", retryable: true });
});

/** Lets time pass until all promises have settled. */
async function settle(clock: TestClock, promises: readonly Promise<unknown>[]): Promise<unknown[]> {
  const errors = Promise.all(promises.map(rejection));
  let settled = false;
  const done = errors.finally(() => {
    settled = true;
  });
  while (!settled) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1);
  }
  return done;
}

const isCut = (error: unknown) =>
  error instanceof SaasManagementError && error.stoppedBecause === "budget-exhausted";
const many = (count: number, start: () => Promise<unknown>) => Array.from({ length: count }, start);
const retry = { retries: 4, minDelayMs: 1, maxDelayMs: 1 };
const timeoutMs = 1e9;

test("one client makes at most 100 retries without a success", async () => {
  const { client, clock, server } = await connectClient(unavailable, { retry, timeoutMs });
  const errors = await settle(
    clock,
    many(60, () => client.request(QUERY, {})),
  );
  expect(server.requests).toHaveLength(60 + 100);
  const attempts = errors.map((error) => (error instanceof SaasManagementError ? error.attempts : 0));
  expect(attempts.reduce((sum, count) => sum + count)).toBe(160);
  const cut = errors.filter(isCut);
  expect(cut.length).toBeGreaterThan(0);
  expect(cut[0]).toMatchObject({ code: "TRANSPORT_FAILED", status: 503 });
});

test("retries that succeed never use up the budget", async () => {
  const { client } = await connectClient(
    (request, response, index) =>
      index % 2 === 0 ? unavailable(request, response, index) : json(response, { data: { ok: true } }),
    { retry, clock: new TestClock() },
  );
  for (let count = 0; count < 130; count++) {
    expect(await client.request(QUERY, {})).toEqual({ ok: true });
  }
});

test("five successes earn one retry", async () => {
  let failing = true;
  const { client, clock } = await connectClient(
    (request, response, index) =>
      failing ? unavailable(request, response, index) : json(response, { data: { ok: true } }),
    { retry, timeoutMs },
  );
  await settle(
    clock,
    many(30, () => client.request(QUERY, {})),
  );
  failing = false;
  for (let count = 0; count < 5; count++) await client.request(QUERY, {});
  failing = true;
  expect((await settle(clock, [client.request(QUERY, {})]))[0]).toMatchObject(ending("budget-exhausted", 2));
});

test("the Sync API has the same budget, and each client has its own", async () => {
  harness.server.scripts.StartSyncBatch.push(...Array.from({ length: 120 }, () => LOST));
  const client = harness.client({ retry: { ...retry, retries: 15 } });
  const errors = await Promise.all(many(9, () => client.startBatch(START)).map(rejection));
  expect(harness.server.calls).toHaveLength(9 + 100);
  expect(errors.filter(isCut).length).toBeGreaterThan(0);
  expect(await rejection(harness.startBatch())).toMatchObject(ending("retries-exhausted", 3));
});
