import { GraphQLClient, SaasManagementError } from "@saas-management/sdk/graphql";
import {
  type GraphQLFault,
  type GraphQLFaultKind,
  type HttpFault,
  startReferenceServer,
  TestClock,
} from "@saas-management/sdk/reference-server";
import { describe, expect, onTestFinished, test } from "vitest";
import { rejection, until } from "../support/http-client.js";
import { startHttpServer } from "../support/http-server.js";
import { post } from "./graphql-setup.js";

const DAY_SECONDS = 24 * 60 * 60;
const JSON_TYPE = { "content-type": "application/json" };

/** A server with three applications, a fault, and a client. */
async function strike(kind: GraphQLFaultKind, place: Partial<GraphQLFault> = {}) {
  const server = await startReferenceServer({
    clock: new TestClock({ startAt: Date.now() }),
    portfolio: { applications: [{ name: "Asana" }, { name: "Box" }, { name: "Canva" }] },
  });
  const retries: Retry[] = [];
  onTestFinished(() => server.close());
  const fault = server.faults.add({ api: "graphql", kind, ...place });
  return { server, fault, retries, ...clientOf(server, server.apiKey, retries) };
}

interface Retry {
  readonly operation: string | undefined;
  readonly delayMs: number;
}

/** A client with a clock of its own. */
function clientOf({ baseUrl }: { readonly baseUrl: string }, apiKey: string, retries: Retry[]) {
  const clock = new TestClock();
  const client = new GraphQLClient({
    baseUrl,
    apiKey,
    clock,
    retry: { retries: 2, minDelayMs: 1, maxDelayMs: 1 },
    maxResponseBytes: 1024 * 1024,
    onRetry: ({ operation, delayMs }) => void retries.push({ operation, delayMs }),
  });
  onTestFinished(() => client.close());
  const query = () => client.applications({ first: 10 }).totalCount();
  const mutate = () => client.createProcurementCase({ name: "Renewal" });
  return { client, clock, query, mutate };
}

test.each([204, 304])("a %s has no body, whatever is to become of it", async (status) => {
  for (const delivery of [
    { type: "endless-body" },
    { type: "slow-body", ms: 60_000 },
    { type: "truncated-body", ending: "reset" },
  ] as const) {
    const { server } = await strike({ type: "http", status, body: "{}", delivery });
    const response = await fetch(`${server.baseUrl}/graphql`, post("{ __typename }", server.apiKey));
    expect([response.status, await response.text()]).toEqual([status, ""]);
  }
});

/** What became of a call, in words that a table can hold. */
async function outcomeOf(call: Promise<unknown>, retries: readonly unknown[]): Promise<string> {
  const code = await call.then(
    () => "done",
    (error: unknown) => {
      if (!(error instanceof SaasManagementError)) throw error;
      return `${error.code}${error.retryable ? ", retryable" : ""}`;
    },
  );
  return retries.length === 0 ? code : `${code}, ${retries.length} retried`;
}

type Row = readonly [kind: GraphQLFaultKind, query: string, mutation: string];

const retried = "done, 1 retried";
const lost = "TRANSPORT_FAILED";

const connections: readonly Row[] = (["request", "answer"] as const).flatMap((at): Row[] => [
  [{ type: "drop", at }, retried, lost],
  [{ type: "reset", at }, retried, lost],
]);

const statuses: readonly Row[] = [
  ...[408, 502, 503, 504].map(
    (status): Row => [{ type: "http", status, headers: JSON_TYPE, body: "{}" }, retried, lost],
  ),
  ...[408, 502, 503, 504].map((status): Row => [{ type: "html", status }, retried, lost]),
  [{ type: "http", status: 429, headers: JSON_TYPE, body: "{}" }, retried, "RATE_LIMITED"],
  [{ type: "html", status: 429 }, retried, "RATE_LIMITED"],
  [{ type: "http", status: 503 }, retried, lost],
  [{ type: "http", status: 503, at: "answer" }, retried, lost],
  [
    { type: "http", status: 401, headers: JSON_TYPE, body: "{}" },
    "AUTHENTICATION_FAILED",
    "AUTHENTICATION_FAILED",
  ],
  [{ type: "html", status: 401 }, "AUTHENTICATION_FAILED", "AUTHENTICATION_FAILED"],
  [{ type: "http", status: 403, headers: JSON_TYPE, body: "{}" }, "PERMISSION_DENIED", "PERMISSION_DENIED"],
  [{ type: "html", status: 403 }, "PERMISSION_DENIED", "PERMISSION_DENIED"],
  ...[400, 404, 413, 500].map(
    (status): Row => [{ type: "http", status, headers: JSON_TYPE, body: "{}" }, lost, lost],
  ),
  ...[301, 302, 307, 308].map(
    (status): Row => [
      { type: "http", status, headers: { location: "https://other.invalid/graphql" } },
      lost,
      lost,
    ],
  ),
];

const bodies: readonly Row[] = [
  [{ type: "html" }, lost, lost],
  [{ type: "http", status: 200, headers: JSON_TYPE }, lost, lost],
  [{ type: "http", status: 200, headers: JSON_TYPE, body: "[]" }, lost, lost],
  [{ type: "http", status: 200, headers: JSON_TYPE, body: '{"data":7}' }, lost, lost],
  [{ type: "http", status: 200, headers: JSON_TYPE, body: "{}" }, lost, lost],
  [{ type: "http", status: 200, headers: { "content-type": "text/plain" }, body: '{"data":{}}' }, lost, lost],
  [{ type: "http", status: 204 }, lost, lost],
  [{ type: "truncated-body" }, lost, lost],
  [{ type: "truncated-body", ending: "close" }, retried, lost],
  [{ type: "truncated-body", ending: "reset" }, retried, lost],
  [{ type: "endless-body" }, lost, lost],
  [{ type: "graphql-errors" }, "GRAPHQL_ERRORS", "GRAPHQL_ERRORS"],
  [{ type: "graphql-errors", data: "partial" }, "GRAPHQL_ERRORS", "GRAPHQL_ERRORS"],
  [
    { type: "graphql-errors", errors: [{ message: "No.", code: "AUTH_NOT_AUTHORIZED" }] },
    "AUTHENTICATION_FAILED",
    "AUTHENTICATION_FAILED",
  ],
  [{ type: "revoke-key" }, "AUTHENTICATION_FAILED", "AUTHENTICATION_FAILED"],
  [{ type: "revoke-key", at: "answer" }, "done", "done"],
];

const KINDS_OF_STATUS: readonly (readonly [status: number, query: string, mutation: string])[] = [
  [200, lost, lost],
  [400, lost, lost],
  [401, "AUTHENTICATION_FAILED", "AUTHENTICATION_FAILED"],
  [403, "PERMISSION_DENIED", "PERMISSION_DENIED"],
  [404, lost, lost],
  [408, retried, lost],
  [413, lost, lost],
  [429, retried, "RATE_LIMITED"],
  [500, lost, lost],
  [502, retried, lost],
  [503, retried, lost],
  [504, retried, lost],
];

/** Whatever the body is, the status says what became of the request. */
const statusesWithBodies: readonly Row[] = KINDS_OF_STATUS.flatMap(([status, query, mutation]) => {
  const http = { type: "http", status } as const;
  const page = "<html><body>Down for maintenance</body></html>";
  const bodies: readonly Omit<HttpFault, "type" | "status">[] = [
    { headers: JSON_TYPE, body: "{}" },
    { headers: { "content-type": "text/html" }, body: page },
    { headers: JSON_TYPE },
    {},
    { headers: JSON_TYPE, body: '{"data":{"applications":' },
    { headers: JSON_TYPE, body: '"a text"' },
    { headers: JSON_TYPE, body: '{"data":[],"errors":{}}' },
    { headers: { "content-type": "application/octet-stream" }, body: "{}" },
    { headers: JSON_TYPE, body: "{}", delivery: { type: "endless-body" } },
  ];
  return bodies.map((body): Row => [{ ...http, ...body }, query, mutation]);
});

/** What breaks off tells of the network, whatever the status was: a query is asked for again. */
const bodiesThatBreakOff: readonly Row[] = (["close", "reset"] as const).flatMap((ending) =>
  KINDS_OF_STATUS.map(([status]): Row => {
    const delivery = { type: "truncated-body", ending } as const;
    const kind = { type: "http", status, headers: JSON_TYPE, body: '{"data":{}}', delivery } as const;
    return [kind, retried, lost];
  }),
);

const hints: readonly Row[] = [
  [{ type: "http", status: 429, retryAfter: { seconds: 0 } }, retried, "RATE_LIMITED"],
  [{ type: "http", status: 503, retryAfter: { seconds: 0, as: "date" } }, retried, lost],
  [{ type: "http", status: 503, retryAfter: { seconds: -DAY_SECONDS, as: "date" } }, retried, lost],
  [
    { type: "http", status: 503, retryAfter: { seconds: 3 * DAY_SECONDS } },
    "TRANSPORT_FAILED, retryable",
    lost,
  ],
  [
    { type: "http", status: 429, retryAfter: { seconds: 3 * DAY_SECONDS, as: "date" } },
    "RATE_LIMITED, retryable",
    "RATE_LIMITED",
  ],
];

describe.each([
  ["a connection that ends", connections],
  ["a status", statuses],
  ["a body", bodies],
  ["a status with a body", statusesWithBodies],
  ["a status with a body that breaks off", bodiesThatBreakOff],
  ["a hint when to come again", hints],
] as const)("%s", (_, rows) => {
  const cases = rows.map(([kind, query, mutation]) => ({
    name: JSON.stringify(kind),
    kind,
    query,
    mutation,
  }));

  test.each(cases)(
    "$name: a query → $query; a mutation, which is never repeated → $mutation",
    async ({ kind, query: ofQuery, mutation: ofMutation }) => {
      const { server, query, mutate, retries, fault } = await strike(kind);
      expect(await outcomeOf(query(), retries)).toBe(ofQuery);
      expect(fault.firings).toBe(1);
      retries.length = 0;
      const apiKey = server.createApiKey();
      const { mutate: mutateAgain } =
        kind.type === "revoke-key" ? clientOf(server, apiKey, retries) : { mutate };
      const again = server.faults.add({ api: "graphql", kind });
      expect(await outcomeOf(mutateAgain(), retries)).toBe(ofMutation);
      expect(again.firings).toBe(1);
    },
  );
});

test("a Retry-After is waited for, by the client's clock", async () => {
  const { query, retries, clock } = await strike({ type: "http", status: 503, retryAfter: { seconds: 30 } });
  const count = query();
  await until(() => retries.length === 1);
  expect(retries[0]?.delayMs).toBe(30_000);
  clock.advance(30_000);
  expect(await count).toBe(3);
});

test("a redirect to another host gets neither request nor key", async () => {
  const other = await startHttpServer((_, response) => response.end());
  const { query } = await strike({
    type: "http",
    status: 307,
    headers: { location: `${other.baseUrl}/graphql` },
  });
  expect(await rejection(query())).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false, status: 307 });
  expect(other.requests).toEqual([]);
});

test("errors come beside partial data", async () => {
  const { client, server } = await strike({
    type: "graphql-errors",
    data: "partial",
    errors: [{ message: "No.", code: "X", path: ["applications"] }],
  });
  const document = "{ applications { totalCount } }";
  expect(await client.rawRequest(document)).toMatchObject({
    data: { applications: { totalCount: 3 } },
    errors: [{ message: "No.", path: ["applications"], extensions: { code: "X" } }],
  });
  server.faults.assertFired();
});

describe("slowness is on the server's clock", () => {
  test("of the head", async () => {
    const { server, query } = await strike({ type: "delay", ms: 60_000, at: "answer" });
    const count = query();
    await until(() => server.clock.sleeping === 1);
    server.clock.advance(60_000);
    expect(await count).toBe(3);
  });

  test("of the body, piece by piece", async () => {
    const { server, query } = await strike({ type: "slow-body", ms: 60_000, pieces: 3 });
    const count = query();
    for (let piece = 0; piece < 3; piece++) {
      await until(() => server.clock.sleeping === 1);
      server.clock.advance(60_000);
    }
    expect(await count).toBe(3);
  });

  test.each<[string, GraphQLFaultKind]>([
    ["nothing is answered", { type: "stall" }],
    ["nothing is answered after all was done", { type: "stall", at: "answer" }],
    ["the body never comes", { type: "slow-body", ms: 3_600_000 }],
  ])("and ends with the client's time where %s", async (_, kind) => {
    const { query, fault, clock } = await strike(kind);
    const error = rejection(query());
    await until(() => fault.firings === 1);
    clock.advance(100_000);
    expect(await error).toMatchObject({ code: "TIMEOUT" });
  });
});

describe("pages", () => {
  test.each([
    ["forward", "repeated", { first: 1 }],
    ["forward", "missing", { first: 1 }],
    ["backward", "repeated", { last: 1 }],
    ["backward", "missing", { last: 1 }],
  ] as const)("that go %s with a cursor that is %s end the walk with an error", async (_, cursor, paging) => {
    const { client, fault } = await strike({ type: "page-info", cursor }, { nth: 2 });
    let nodes = 0;
    const walk = async () => {
      for await (const _node of client.applications(paging, { prefetch: false })) nodes += 1;
    };
    expect(await rejection(walk())).toMatchObject({ code: "PAGINATION" });
    expect(fault.firings).toBe(1);
    expect(nodes).toBeGreaterThanOrEqual(1);
  });
});

test.each<[GraphQLFaultKind]>([
  [{ type: "drop", at: "answer" }],
  [{ type: "reset", at: "answer" }],
  [{ type: "http", status: 503, at: "answer" }],
  [{ type: "truncated-body" }],
  [{ type: "graphql-errors" }],
])("a mutation whose answer is lost was carried out: %j", async (kind) => {
  const { client, fault } = await strike(kind, { operation: "UpdateProcurementCase" });
  const { id } = await client.createProcurementCase({ name: "Renewal" });
  await rejection(client.updateProcurementCase({ id, state: "COMPLETED" }));
  expect(fault.firings).toBe(1);
  const again = await client.safe.updateProcurementCase({ id, name: "Other" });
  expect(again).toMatchObject({ ok: false, errors: [{ __typename: "ProcurementCaseCompletedError" }] });
});
