import { GraphQLClient, SaasManagementError } from "@saas-management/sdk/graphql";
import { type Fault, startReferenceServer, TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import { type FaultKind, faultOn } from "../support/faults.js";
import { rejection, until } from "../support/http-client.js";
import { startHttpServer } from "../support/http-server.js";
import { post, startServer } from "./graphql-setup.js";

const START = Date.UTC(2026, 2, 15);
const THREE_DAYS_SECONDS = 3 * 24 * 60 * 60;
const JSON_TYPE = { "content-type": "application/json" };

interface Retry {
  readonly delayMs: number;
}

/** A server with three applications and a fault, and a client with a clock of its own. */
async function strike(kind: FaultKind, place: Partial<Pick<Fault, "on" | "nth">> = {}, body?: FaultKind) {
  const server = await startReferenceServer({
    clock: new TestClock({ startAt: new Date(START) }),
    portfolio: { applications: [{ name: "Asana" }, { name: "Box" }, { name: "Canva" }] },
  });
  onTestFinished(() => server.close());
  const fault = server.faults.add(faultOn({ on: "graphql", ...place }, kind));
  if (body !== undefined) server.faults.add(faultOn({ on: "graphql" }, body));
  const clock = new TestClock({ startAt: new Date(START) });
  const retries: Retry[] = [];
  const client = new GraphQLClient({
    baseUrl: server.baseUrl,
    apiKey: server.apiKey,
    clock,
    retry: { retries: 2, minDelayMs: 1, maxDelayMs: 1 },
    maxResponseBytes: 1024 * 1024,
    onEvent: ({ type, delayMs = 0 }) => void (type === "retry" && retries.push({ delayMs })),
  });
  onTestFinished(() => client.close());
  const query = () => client.applications({ pageSize: 10 }).totalCount();
  const mutate = () => client.createProcurementCase({ name: "Renewal" });
  return { server, fault, client, clock, retries, query, mutate };
}

/** The outcome of a call as a string: `done, 1 retried`. Advances the clock over pauses before retries. */
async function outcomeOf(
  call: Promise<unknown>,
  { retries, clock }: { readonly retries: readonly Retry[]; readonly clock: TestClock },
): Promise<string> {
  let settled = false;
  const outcome = call.then(
    () => "done",
    (error: unknown) => {
      if (!(error instanceof SaasManagementError)) throw error;
      return `${error.code}${error.retryable ? ", retryable" : ""}`;
    },
  );
  void outcome.finally(() => {
    settled = true;
  });
  await until(() => {
    if (retries.length > 0 && clock.sleeping > 0) clock.advance(1);
    return settled;
  });
  return retries.length === 0 ? outcome : `${await outcome}, ${retries.length} retried`;
}

/** A fault, the outcomes of a query and of a mutation, and a fault of the body that is sent. */
type Row = readonly [kind: FaultKind, query: string, mutation: string, body?: FaultKind];

const retried = "done, 1 retried";
const failed = "TRANSPORT_FAILED";
const unauthenticated = "AUTHENTICATION_FAILED";

const connections: readonly Row[] = (["request", "answer"] as const).flatMap((at): Row[] => [
  [{ fault: "drop", at }, retried, failed],
  [{ fault: "reset", at }, retried, failed],
  [{ fault: "http", status: 503, at }, retried, failed],
]);

const STATUSES: readonly (readonly [status: number, query: string, mutation: string])[] = [
  [400, failed, failed],
  [401, unauthenticated, unauthenticated],
  [403, "PERMISSION_DENIED", "PERMISSION_DENIED"],
  [408, retried, failed],
  [429, retried, "RATE_LIMITED"],
  [500, failed, failed],
  [502, retried, failed],
  [503, retried, failed],
];

/** The status decides, whatever the body is. */
const statuses: readonly Row[] = STATUSES.flatMap(([status, query, mutation]) => {
  const bodies: readonly { readonly headers: Record<string, string>; readonly body: string }[] = [
    { headers: JSON_TYPE, body: "{}" },
    { headers: JSON_TYPE, body: '{"data":{"applications":' },
    { headers: { "content-type": "text/html" }, body: "<html>Maintenance</html>" },
  ];
  return [
    ...bodies.map((body): Row => [{ fault: "http", status, ...body }, query, mutation]),
    [{ fault: "http", status, headers: JSON_TYPE, body: "{}" }, query, mutation, { fault: "endless-body" }],
  ];
});

const bodies: readonly Row[] = [
  [{ fault: "http", status: 200 }, failed, failed],
  ...["", "[]", "{}", '{"data":7}'].map(
    (body): Row => [{ fault: "http", status: 200, headers: JSON_TYPE, body }, failed, failed],
  ),
  [
    { fault: "http", status: 200, headers: { "content-type": "text/plain" }, body: '{"data":{}}' },
    failed,
    failed,
  ],
  [{ fault: "http", status: 204 }, failed, failed],
  [{ fault: "http", status: 307, headers: { location: "https://other.invalid/graphql" } }, failed, failed],
  [{ fault: "truncated-body" }, failed, failed],
  [{ fault: "truncated-body", ending: "close" }, retried, failed],
  [{ fault: "truncated-body", ending: "reset" }, retried, failed],
  [
    { fault: "http", status: 401, headers: JSON_TYPE, body: "{}" },
    retried,
    failed,
    { fault: "truncated-body", ending: "close" },
  ],
  [{ fault: "endless-body" }, failed, failed],
  [{ fault: "graphql-errors" }, "GRAPHQL_ERRORS", "GRAPHQL_ERRORS"],
  [{ fault: "graphql-errors", data: "partial" }, "GRAPHQL_ERRORS", "GRAPHQL_ERRORS"],
  [
    { fault: "graphql-errors", errors: [{ message: "No.", extensions: { code: "AUTH_NOT_AUTHORIZED" } }] },
    unauthenticated,
    unauthenticated,
  ],
  [{ fault: "revoke-key" }, unauthenticated, unauthenticated],
  [{ fault: "revoke-key", at: "answer" }, "done", "done"],
];

const dateIn = (seconds: number) => new Date(START + seconds * 1000).toUTCString();

const hints: readonly Row[] = [
  [{ fault: "http", status: 429, headers: { "retry-after": "0" } }, retried, "RATE_LIMITED"],
  [{ fault: "http", status: 503, headers: { "retry-after": dateIn(-THREE_DAYS_SECONDS) } }, retried, failed],
  [
    { fault: "http", status: 503, headers: { "retry-after": String(THREE_DAYS_SECONDS) } },
    "TRANSPORT_FAILED, retryable",
    failed,
  ],
  [
    { fault: "http", status: 429, headers: { "retry-after": dateIn(THREE_DAYS_SECONDS) } },
    "RATE_LIMITED, retryable",
    "RATE_LIMITED",
  ],
];

const cases = [...connections, ...statuses, ...bodies, ...hints].map(([kind, query, mutation, body]) => ({
  kind,
  query,
  mutation,
  body,
}));

test.each(cases)("answers a query struck by $kind with: $query", async ({ kind, query: expected, body }) => {
  const struck = await strike(kind, {}, body);
  expect(await outcomeOf(struck.query(), struck)).toBe(expected);
  expect(struck.fault.fired).toBe(1);
});

// Mutations are never repeated, so one case of each outcome is enough.
const mutations = cases.filter(
  ({ mutation }, index) => cases.findIndex((other) => other.mutation === mutation) === index,
);

test.each(mutations)(
  "never repeats a mutation struck by $kind: $mutation",
  async ({ kind, mutation, body }) => {
    const struck = await strike(kind, {}, body);
    expect(await outcomeOf(struck.mutate(), struck)).toBe(mutation);
    expect(struck.fault.fired).toBe(1);
  },
);

test.each<[FaultKind]>([
  [{ fault: "drop", at: "answer" }],
  [{ fault: "http", status: 503, at: "answer" }],
  [{ fault: "truncated-body" }],
  [{ fault: "graphql-errors" }],
])("executes a mutation whose answer is lost: %j", async (kind) => {
  const { client, fault } = await strike(kind, { on: "UpdateProcurementCase" });
  const { id } = await client.createProcurementCase({ name: "Renewal" });
  await rejection(client.updateProcurementCase({ id, state: "COMPLETED" }));
  expect(fault.fired).toBe(1);
  const again = await rejection(client.updateProcurementCase({ id, name: "Other" }));
  expect(again).toMatchObject({ errors: [{ __typename: "ProcurementCaseCompletedError" }] });
});

test("does not execute a mutation that is dropped as a request", async () => {
  const { faults, send, workspace } = await startServer();
  faults.add({ on: "graphql", fault: "drop" });
  const create = 'mutation { createProcurementCase(input: { name: "n" }) { case { id } } }';
  await expect(send(create)).rejects.toThrow("fetch failed");
  expect(workspace.procurementCases.size).toBe(0);
});

test("waits for Retry-After by the client's clock", async () => {
  const { query, retries, clock } = await strike({
    fault: "http",
    status: 503,
    headers: { "retry-after": "30" },
  });
  const count = query();
  await until(() => retries.length === 1);
  expect(retries[0]?.delayMs).toBe(30_000);
  clock.advance(30_000);
  expect(await count).toBe(3);
});

test("sends neither request nor key to another host after a redirect", async () => {
  const other = await startHttpServer((_, response) => response.end());
  const { query } = await strike({
    fault: "http",
    status: 307,
    headers: { location: `${other.baseUrl}/graphql` },
  });
  expect(await rejection(query())).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false });
  expect(other.requests).toEqual([]);
});

test("adds errors beside partial data", async () => {
  const { client } = await strike({
    fault: "graphql-errors",
    data: "partial",
    errors: [{ message: "No.", path: ["applications"], extensions: { code: "X" } }],
  });
  expect(await client.rawRequest("{ applications { totalCount } }", {})).toMatchObject({
    data: { applications: { totalCount: 3 } },
    errors: [{ message: "No.", path: ["applications"], extensions: { code: "X" } }],
  });
});

test.each<[FaultKind, pauses: number]>([
  [{ fault: "delay", ms: 60_000 }, 1],
  [{ fault: "delay", ms: 60_000, at: "answer" }, 1],
  [{ fault: "slow-body", ms: 60_000, pieces: 3 }, 3],
])("delays an answer by the server's clock: %j", async (kind, pauses) => {
  const { server, query } = await strike(kind);
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
  const { query, fault, clock } = await strike(kind);
  const error = rejection(query());
  await until(() => fault.fired === 1);
  clock.advance(100_000);
  expect(await error).toMatchObject({ code: "TIMEOUT" });
});

test.each([
  ["repeated", { pageSize: 1 }],
  ["missing", { pageSize: 1 }],
  ["repeated", { from: "end", pageSize: 1 }],
  ["missing", { from: "end", pageSize: 1 }],
] as const)("ends a walk over pages with a %s cursor with an error: %j", async (cursor, paging) => {
  const { client, fault } = await strike({ fault: "page-info", cursor }, { nth: 2 });
  const walk = async () => {
    for await (const _node of client.applications({ ...paging, prefetch: false }));
  };
  expect(await rejection(walk())).toMatchObject({ code: "PAGINATION" });
  expect(fault.fired).toBe(1);
});

test("strikes an operation by its name, and one without a name by its first field", async () => {
  const { faults, send } = await startServer();
  const kind = { fault: "http", status: 500, body: "{}" } as const;
  const byName = faults.add({ on: "Names", ...kind });
  const byField = faults.add({ on: "applications", ...kind });
  await send("query Others { applications { totalCount } }");
  await send("query Names { applications { totalCount } }");
  expect([byName.fired, byField.fired]).toEqual([1, 0]);
  await send("{ applications { totalCount } }");
  expect([byName.fired, byField.fired]).toEqual([1, 1]);
});

test("sends the headers of a fault, and no body with a status that has none", async () => {
  const { faults, url } = await startServer();
  const strikeNext = (kind: FaultKind) => {
    faults.add(faultOn({ on: "graphql" }, kind));
    return fetch(url, post("{ __typename }"));
  };
  const body = await strikeNext({
    fault: "http",
    status: 200,
    headers: { "Content-Length": "2" },
    body: "{}}",
  });
  expect(await body.text()).toBe("{}");
  faults.add({ on: "graphql", fault: "endless-body" });
  const empty = await strikeNext({ fault: "http", status: 204, body: "x" });
  expect([empty.status, empty.headers.get("content-length"), await empty.text()]).toEqual([204, null, ""]);
});

test("refuses a delayed request whose key is revoked meanwhile", async () => {
  const { faults, send, clock, keys, key } = await startServer();
  faults.add({ on: "graphql", fault: "delay", ms: 1000 });
  const answer = send("{ applications { totalCount } }");
  await until(() => clock.sleeping === 1);
  keys.revoke(key);
  clock.advance(1000);
  expect((await answer).status).toBe(401);
});

test("forgets a delayed request when the caller leaves or the server closes", async () => {
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
