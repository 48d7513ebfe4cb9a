import { GraphQLClient, SaasManagementError } from "@saas-management/sdk/graphql";
import { type Fault, startReferenceServer, TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import { type FaultKind, faultOn } from "../support/faults.js";
import { rejection, until } from "../support/http-client.js";
import { NEW_CASE } from "../support/records.js";
import { post, startServer } from "./graphql-setup.js";

const START = Date.UTC(2026, 2, 15);
const THREE_DAYS_SECONDS = 3 * 24 * 60 * 60;
const JSON_TYPE = { "content-type": "application/json" };

/** A server with three applications and faults, and a client with a clock of its own. */
async function strike(kinds: readonly FaultKind[], place: Partial<Pick<Fault, "on" | "nth">> = {}) {
  const startAt = new Date(START);
  const server = await startReferenceServer({
    clock: new TestClock({ startAt }),
    portfolio: { applications: [{ name: "Asana" }, { name: "Box" }, { name: "Canva" }] },
  });
  onTestFinished(() => server.close());
  const [fault] = kinds.map((kind) => server.faults.add(faultOn({ on: "graphql", ...place }, kind)));
  const clock = new TestClock({ startAt });
  const pauses: number[] = [];
  const client = new GraphQLClient({
    baseUrl: server.baseUrl,
    apiKey: server.apiKey,
    clock,
    retry: { retries: 2, minDelayMs: 1, maxDelayMs: 1 },
    maxResponseBytes: 1024 * 1024,
    onEvent: ({ type, delayMs = 0 }) => void (type === "retry" && pauses.push(delayMs)),
  });
  onTestFinished(() => client.close());
  const query = () => client.applications({ pageSize: 10 }).totalCount();
  return { server, client, clock, pauses, query, fired: () => fault?.fired ?? 0 };
}

/** The outcome of a call as a string: `done, 1 retried`. Advances the clock over pauses before retries. */
async function outcomeOf(call: Promise<unknown>, { pauses, clock }: Awaited<ReturnType<typeof strike>>) {
  let outcome = "";
  const settled = call.then(
    () => "done",
    (error: unknown) => {
      if (!(error instanceof SaasManagementError)) throw error;
      return `${error.code}${error.retryable ? ", retryable" : ""}`;
    },
  );
  void settled.then((text) => (outcome = text));
  await until(() => {
    if (pauses.length > 0 && clock.sleeping > 0) clock.advance(1);
    return outcome !== "";
  });
  return pauses.length === 0 ? outcome : `${outcome}, ${pauses.length} retried`;
}

const http = (status: number, headers: Record<string, string> = JSON_TYPE, body = "{}"): FaultKind => ({
  fault: "http",
  status,
  headers,
  body,
});

const RETRIED = "done, 1 retried";
const FAILED = "TRANSPORT_FAILED";

// test/graphql covers the meaning of each status, body and Retry-After.
test.each<[outcome: string, ...kinds: FaultKind[]]>([
  ...(["request", "answer"] as const).flatMap((at): [string, FaultKind][] => [
    [RETRIED, { fault: "drop", at }],
    [RETRIED, { fault: "reset", at }],
    [RETRIED, { fault: "http", status: 503, at }],
  ]),
  [FAILED, { fault: "http", status: 200 }],
  [FAILED, { fault: "http", status: 204 }],
  [FAILED, http(200, { "content-type": "text/plain" }, '{"data":{}}')],
  [RETRIED, http(429, { "retry-after": "0" })],
  ["RATE_LIMITED, retryable", http(429, { "retry-after": `${THREE_DAYS_SECONDS}` })],
  [FAILED, { fault: "truncated-body" }],
  [RETRIED, { fault: "truncated-body", ending: "close" }],
  [RETRIED, { fault: "truncated-body", ending: "reset" }],
  [RETRIED, http(401), { fault: "truncated-body", ending: "close" }],
  [FAILED, { fault: "endless-body" }],
  ["AUTHENTICATION_FAILED", http(401), { fault: "endless-body" }],
  ["GRAPHQL_ERRORS", { fault: "graphql-errors" }],
  ["GRAPHQL_ERRORS", { fault: "graphql-errors", data: "partial" }],
  [
    "AUTHENTICATION_FAILED",
    { fault: "graphql-errors", errors: [{ message: "No.", extensions: { code: "AUTH_NOT_AUTHORIZED" } }] },
  ],
  ["AUTHENTICATION_FAILED", { fault: "revoke-key" }],
  ["done", { fault: "revoke-key", at: "answer" }],
])("answers a query with %s after the fault %j", async (outcome, ...kinds) => {
  const struck = await strike(kinds);
  expect(await outcomeOf(struck.query(), struck)).toBe(outcome);
  expect(struck.fired()).toBe(1);
});

test.each<[FaultKind]>([
  [{ fault: "drop", at: "answer" }],
  [{ fault: "http", status: 503, at: "answer" }],
  [{ fault: "truncated-body" }],
  [{ fault: "graphql-errors" }],
])("executes a mutation whose answer is lost: %j", async (kind) => {
  const { client, fired } = await strike([kind], { on: "UpdateProcurementCase" });
  const { id } = await client.createProcurementCase(NEW_CASE);
  await rejection(client.updateProcurementCase({ id, state: "COMPLETED" }));
  expect(fired()).toBe(1);
  const again = await rejection(client.updateProcurementCase({ id, name: "Other" }));
  expect(again).toMatchObject({ errors: [{ __typename: "ProcurementCaseCompletedError" }] });
});

test("does not execute a mutation whose request is dropped", async () => {
  const { faults, send, workspace } = await startServer();
  faults.add({ on: "graphql", fault: "drop" });
  const create = 'mutation { createProcurementCase(input: { name: "n" }) { case { id } } }';
  await expect(send(create)).rejects.toThrow("fetch failed");
  expect(workspace.procurementCases.size).toBe(0);
});

test("sends errors together with partial data", async () => {
  const errors = [{ message: "No.", path: ["applications"], extensions: { code: "X" } }];
  const { client } = await strike([{ fault: "graphql-errors", data: "partial", errors }]);
  const data = { applications: { totalCount: 3 } };
  expect(await client.rawRequest("{ applications { totalCount } }", {})).toMatchObject({ data, errors });
});

test.each<[FaultKind, pauses: number]>([
  [{ fault: "delay", ms: 60_000 }, 1],
  [{ fault: "delay", ms: 60_000, at: "answer" }, 1],
  [{ fault: "slow-body", ms: 60_000, pieces: 3 }, 3],
])("delays an answer by the server's clock: %j", async (kind, pauses) => {
  const { server, query } = await strike([kind]);
  const count = query();
  for (let pause = 0; pause < pauses; pause++) {
    await until(() => server.clock.sleeping === 1);
    server.clock.advance(60_000);
  }
  expect(await count).toBe(3);
});

test.each<[FaultKind]>([
  [{ fault: "stall" }],
  [{ fault: "stall", at: "answer" }],
  [{ fault: "slow-body", ms: 3_600_000 }],
])("never ends a call before the client's timeout: %j", async (kind) => {
  const { query, fired, clock } = await strike([kind]);
  const error = rejection(query());
  await until(() => fired() === 1);
  clock.advance(100_000);
  expect(await error).toMatchObject({ code: "TIMEOUT" });
});

test.each([
  ["repeated", {}],
  ["missing", {}],
  ["repeated", { from: "end" }],
  ["missing", { from: "end" }],
] as const)("ends paging with an error at a %s cursor: %j", async (cursor, paging) => {
  const { client, fired } = await strike([{ fault: "page-info", cursor }], { nth: 2 });
  const walk = async () => {
    for await (const _node of client.applications({ ...paging, pageSize: 1, prefetch: false }));
  };
  expect(await rejection(walk())).toMatchObject({ code: "PAGINATION" });
  expect(fired()).toBe(1);
});

test("matches an operation by its name, and one without a name by its first field", async () => {
  const { faults, send } = await startServer();
  const byName = faults.add({ on: "Names", fault: "http", status: 500, body: "{}" });
  const byField = faults.add({ on: "applications", fault: "http", status: 500, body: "{}" });
  await send("query Others { applications { totalCount } }");
  await send("query Names { applications { totalCount } }");
  expect([byName.fired, byField.fired]).toEqual([1, 0]);
  await send("{ applications { totalCount } }");
  expect([byName.fired, byField.fired]).toEqual([1, 1]);
});

test("sends the headers of a fault, and no body with a status that forbids bodies", async () => {
  const { faults, url } = await startServer();
  const strikeNext = (kind: FaultKind) => {
    faults.add(faultOn({ on: "graphql" }, kind));
    return fetch(url, post("{ __typename }"));
  };
  expect(await (await strikeNext(http(200, { "Content-Length": "2" }, "{}}"))).text()).toBe("{}");
  faults.add({ on: "graphql", fault: "endless-body" });
  const empty = await strikeNext({ fault: "http", status: 204, body: "x" });
  expect([empty.status, empty.headers.get("content-length"), await empty.text()]).toEqual([204, null, ""]);
});

test("refuses a delayed request whose key is revoked in the meantime", async () => {
  const { faults, send, clock, keys, key } = await startServer();
  faults.add({ on: "graphql", fault: "delay", ms: 1000 });
  const answer = send("{ applications { totalCount } }");
  await until(() => clock.sleeping === 1);
  keys.revoke(key);
  clock.advance(1000);
  expect((await answer).status).toBe(401);
});

test("drops a delayed request when the caller goes away or the server closes", async () => {
  const { faults, url, clock, key, server } = await startServer();
  faults.add({ on: "graphql", times: 2, fault: "delay", ms: 1000 });
  const caller = new AbortController();
  const left = fetch(url, { ...post("{ __typename }", key), signal: caller.signal });
  await until(() => clock.sleeping === 1);
  caller.abort();
  await expect(left).rejects.toThrow("aborted");
  await until(() => clock.sleeping === 0);
  const open = fetch(url, post("{ __typename }", key)).catch((error: Error) => error.message);
  await until(() => clock.sleeping === 1);
  await Promise.all([server.close(), server.close()]);
  expect(await open).toBe("fetch failed");
});
