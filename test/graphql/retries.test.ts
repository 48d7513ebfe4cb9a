import { AuthenticationError, TransportError } from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { connectClient, passPause, rejection } from "../support/http-client.js";
import { answer, answerText, json, type Responder } from "../support/http-server.js";

const QUERY = "query Names { applications { nodes { id } } }";
const MUTATION = "mutation Touch { touch }";
const HTML = { "content-type": "text/html" };
const JSON_TYPE = { "content-type": "application/json" };

const drops: Responder = (_, response) => response.destroy();

/** Fails this many times, then answers. */
function failing(times: number, fail: Responder): Responder {
  return (request, response, index) =>
    index < times ? fail(request, response, index) : json(response, { data: { ok: true } });
}

test.each<[string, Responder]>([
  ["HTTP 408", answer({}, { status: 408 })],
  ["HTTP 429", answer({}, { status: 429 })],
  ["HTTP 502 in HTML", answerText("<p>", { status: 502, headers: HTML })],
  ["HTTP 503", answer({}, { status: 503 })],
  ["HTTP 504", answer({}, { status: 504 })],
  ["a dropped connection", drops],
  ["a rate limit in errors", answer({ data: null, errors: [{ extensions: { code: "TOO_MANY_REQUESTS" } }] })],
])("repeats a query after %s", async (_, fail) => {
  const { client, clock } = await connectClient(failing(2, fail));
  const data = client.request(QUERY, {});
  await passPause(clock);
  await passPause(clock);
  expect(await data).toEqual({ ok: true });
});

test("waits as long as Retry-After asks", async () => {
  const { client, clock, server } = await connectClient(
    failing(1, answer({}, { status: 429, headers: { "retry-after": "60" } })),
  );
  const data = client.request(QUERY, {});
  await passPause(clock);
  clock.advance(49_999);
  expect(server.requests).toHaveLength(1);
  clock.advance(1);
  await data;
  expect(server.requests).toHaveLength(2);
});

test("repeats a mutation only if the call says that it is idempotent", async () => {
  const { client, clock, server } = await connectClient(failing(2, answer({}, { status: 503 })));
  expect(await rejection(client.request(MUTATION, {}))).toMatchObject({ retryable: false, attempts: 1 });
  const data = client.request(MUTATION, {}, { idempotent: true });
  await passPause(clock);
  await data;
  expect(server.requests).toHaveLength(3);
});

test.each([
  ["a retryable error", new TransportError("audit log is down", { retryable: true })],
  ["an AuthenticationError", new AuthenticationError("audit log refuses the key")],
])("does not repeat a mutation after its fetch threw %s", async (_, thrown) => {
  let keys = 0;
  const { client, server } = await connectClient(answer({ data: {} }), {
    authorization: () => `Bearer ${++keys}`,
    fetch: async (url, init) => {
      await (await fetch(url, init)).text();
      throw thrown;
    },
  });
  expect(await rejection(client.request(MUTATION, {}))).toMatchObject({ retryable: false, attempts: 1 });
  expect(server.requests).toHaveLength(1);
});

const UNKNOWN = /may or may not have taken effect/;

test("says that the outcome of a mutation is unknown after a timeout", async () => {
  const { client, clock, server } = await connectClient(() => {});
  const error = rejection(client.request(MUTATION, {}, { timeoutMs: 5_000 }));
  await server.arrived(1);
  clock.advance(5_000);
  expect(await error).toMatchObject({
    code: "TIMEOUT",
    timeoutMs: 5_000,
    stoppedBecause: "deadline",
    attempts: 1,
    message: expect.stringMatching(UNKNOWN),
  });
});

test.each<[string, Responder]>([
  ["a dropped connection", drops],
  ["HTTP 408", answer({}, { status: 408 })],
  ["HTTP 503", answer({}, { status: 503 })],
  ["HTTP 503 in HTML", answerText("<p>", { status: 503, headers: HTML })],
  ["HTTP 500 without a GraphQL response", answer({}, { status: 500 })],
  ["HTTP 200 in HTML", answerText("<p>", { headers: HTML })],
  [
    "a body that breaks off",
    (_, response) => {
      response.writeHead(200, { ...JSON_TYPE, "content-length": "100" });
      response.write('{"data":', () => response.destroy());
    },
  ],
  ["a body that is cut off", answerText('{"data":{"touch":')],
  [
    "a body that declares too many bytes",
    (_, response) => response.writeHead(200, { ...JSON_TYPE, "content-length": "5000" }).write("{"),
  ],
  ["a body that is too large", answerText("[".repeat(5000))],
  ["a redirect", (_, response) => response.writeHead(303, { location: "/done" }).end()],
  ["neither data nor errors", answer({ data: null })],
])("says that the outcome of a mutation is unknown after %s, unless it is idempotent", async (_, respond) => {
  const { client, server } = await connectClient(respond, { maxResponseBytes: 1000 });
  const error = await rejection(client.request(MUTATION, {}));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false, attempts: 1 });
  expect(String(error)).toMatch(UNKNOWN);
  expect(server.requests).toHaveLength(1);
  for (const [document, idempotent] of [
    [MUTATION, true],
    [QUERY, false],
  ] as const) {
    const repeatable = await rejection(client.request(document, {}, { idempotent, retry: false }));
    expect(String(repeatable)).not.toMatch(UNKNOWN);
  }
});

test.each<[string, Responder]>([
  ["HTTP 400 without a GraphQL response", answer({}, { status: 400 })],
  ["HTTP 404 in HTML", answerText("<p>", { status: 404, headers: HTML })],
  ["HTTP 429", answer({}, { status: 429 })],
])("does not call the outcome of a mutation unknown after %s: it was refused", async (_, respond) => {
  const { client } = await connectClient(respond);
  expect(String(await rejection(client.request(MUTATION, {})))).not.toMatch(UNKNOWN);
});

test.each<[string, boolean, Responder]>([
  ["data of null and errors", true, answer({ data: null, errors: [{ message: "m" }] })],
  ["only null", true, answer({ data: { touch: null }, errors: [{ path: ["touch"] }] })],
  ["HTTP 500 and errors", true, answer({ errors: [{ message: "m" }] }, { status: 500 })],
  ["HTTP 500 and data", true, answer({ data: { touch: 1 }, errors: [{ message: "m" }] }, { status: 500 })],
  ["errors about the request", false, answer({ errors: [{ message: "m" }] })],
  ["HTTP 400 and errors", false, answer({ errors: [{ message: "m" }] }, { status: 400 })],
  ["partial data", false, answer({ data: { touch: 1, b: null }, errors: [{ message: "m", path: ["b"] }] })],
])("after %s, says whether the outcome of a mutation is unknown: %s", async (_, isUnknown, respond) => {
  const { client } = await connectClient(respond);
  const error = await rejection(client.request(MUTATION, {}));
  expect(error).toMatchObject({ code: "GRAPHQL_ERRORS", retryable: false });
  expect(UNKNOWN.test(String(error))).toBe(isUnknown);
  for (const [document, idempotent] of [
    [MUTATION, true],
    [QUERY, false],
  ] as const)
    expect(String(await rejection(client.request(document, {}, { idempotent })))).not.toMatch(UNKNOWN);
});

test("does not call the outcome of a mutation unknown if there was no connection", async () => {
  const fetch = () => Promise.reject(Object.assign(new TypeError("x"), { code: "ECONNREFUSED" }));
  const { client } = await connectClient(() => {}, { fetch });
  expect(String(await rejection(client.request(MUTATION, {})))).not.toMatch(UNKNOWN);
});

test.each([
  ["a mutation behind a comment and a fragment", "# query Q { a }\nfragment F on M { x }\nmutation { ...F }"],
  ["a document that cannot be parsed", "query Newer($a: Int = 1 @x) on { syntax }"],
])("sends %s unchanged, once", async (_, document) => {
  const { client, server } = await connectClient(answer({}, { status: 503 }));
  expect(await rejection(client.request(document, {}))).toMatchObject({ retryable: false, attempts: 1 });
  expect(server.requests.map(({ body }) => body.query)).toEqual([document]);
});
