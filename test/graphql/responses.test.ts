import {
  AuthenticationError,
  GraphQLClient,
  GraphQLResponseError,
  PermissionDeniedError,
  RateLimitError,
  SaasManagementError,
  TransportError,
} from "@saas-management/sdk/graphql";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { API_KEY, connectClient, everythingIn, rejection } from "../support/http-client.js";
import { answer, answerText, type Responder, startHttpServer } from "../support/http-server.js";

const QUERY = "query Names { applications { nodes { id } } }";
const HTML = { "content-type": "text/html" };
const NOT_AUTHORIZED = {
  message: "The current user is not authorized to access this resource.",
  extensions: { code: "AUTH_NOT_AUTHORIZED" },
};
const PARTIAL = {
  data: { applications: { nodes: [] }, licenses: null },
  errors: [
    {
      message: "no licenses",
      path: ["licenses", 0],
      locations: [{ line: 1, column: 15 }],
      extensions: { code: "INTERNAL", hint: "x" },
    },
  ],
};

/** The error of a call that gets this answer from the server. */
async function errorOf(respond: Responder, method: "request" | "rawRequest" = "request"): Promise<unknown> {
  const { client } = await connectClient(respond, { retry: false });
  return rejection(client[method](QUERY, {}));
}

/** The error of a fetch that fails without a network. */
async function errorOfFetch(fail: (init: RequestInit) => never): Promise<unknown> {
  const fetch: typeof globalThis.fetch = async (_, init = {}) => fail(init);
  const options = { baseUrl: "https://api.example.com", apiKey: API_KEY, retry: false, fetch } as const;
  return rejection(new GraphQLClient(options).request(QUERY, {}));
}

test.each([401, 403, 408, 429, 502, 503, 504, 400, 404, 500])(
  "maps HTTP %i to its error class, whatever the body",
  async (status) => {
    const expected =
      { 401: AuthenticationError, 403: PermissionDeniedError, 429: RateLimitError }[status] ?? TransportError;
    for (const [contentType, respond] of [
      ["application/json", answer({}, { status })],
      ["text/html", answerText("<h1>canary page</h1>", { status, headers: HTML })],
    ] as const) {
      const error = await errorOf(respond);
      expect(error).toBeInstanceOf(expected);
      if (expected === TransportError) expect(error).toMatchObject({ status, contentType });
      expect(error).toMatchObject({ retryable: [408, 429, 502, 503, 504].includes(status) });
      expect(everythingIn(error)).not.toContain("canary page");
    }
  },
);

test.each([
  ["0", 0],
  ["1", 1_000],
  ["259200", 259_200_000],
  ["Thu, 15 Jan 2026 00:00:30 GMT", 30_000],
  ["Thu, 01 Jan 2026 00:00:00 GMT", 0],
  ["Thursday, 15-Jan-26 00:00:30 GMT", 30_000],
  ["Thu Jan 15 00:00:30 2026", 30_000],
  ["2026-01-15T00:00:30Z", 30_000],
  ["9999999999", 2_147_483_648_000],
  ["soon", undefined],
  ["soon 5", undefined],
  ["-1", undefined],
  ["5, 5", undefined],
])("reads Retry-After: %s", async (retryAfter, retryAfterMs) => {
  const error = await errorOf(answer({}, { status: 429, headers: { "retry-after": retryAfter } }));
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ retryAfterMs });
});

test.each([200, 400])("recognizes a rate limit by its error code with HTTP %i", async (status) => {
  const errors = [{ message: "slow down", extensions: { code: "RATE_LIMITED" } }];
  const error = await errorOf(answer({ data: null, errors }, { status, headers: { "retry-after": "2" } }));
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ retryable: true, retryAfterMs: 2_000, serverMessage: "slow down" });
});

const PLAIN = { data: null, errors: [{ message: "slow down" }] };
test.each<[string, Responder]>([
  ["HTTP 403 with Retry-After", answer({}, { status: 403, headers: { "retry-after": "2" } })],
  ["HTTP 403 in HTML", answerText("<p>", { status: 403, headers: { ...HTML, "retry-after": "2" } })],
  ["HTTP 403 without requests left", answer({}, { status: 403, headers: { "x-ratelimit-remaining": "0" } })],
  ["HTTP 403 with errors", answer(PLAIN, { status: 403, headers: { "retry-after": "2" } })],
  ["a type beside the message", answer({ ...PLAIN, errors: [{ message: "m", type: "RATE_LIMITED" }] })],
  ["a type and another code", answer({ errors: [{ type: "RATE_LIMITED", extensions: { hint: 1 } }] })],
  ["code 429 as text", answer({ ...PLAIN, errors: [{ message: "m", extensions: { code: "429" } }] })],
  ["code 429 as a number", answer({ ...PLAIN, errors: [{ message: "m", extensions: { code: 429 } }] })],
])("recognizes a rate limit in the form of %s", async (_, respond) => {
  const error = await errorOf(respond);
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ retryable: true });
});

test.each<[string, Responder]>([
  ["HTTP 403 with requests left", answer({}, { status: 403, headers: { "x-ratelimit-remaining": "10" } })],
  ["another type", answer({ data: null, errors: [{ message: "m", type: "FORBIDDEN" }] })],
  ["code 4290", answer({ data: null, errors: [{ message: "m", extensions: { code: 4290 } }] })],
])("does not take %s for a rate limit", async (_, respond) => {
  expect(await errorOf(respond)).not.toBeInstanceOf(RateLimitError);
});

test("does not mistake a partial answer for data", async () => {
  const { client } = await connectClient(answer({ data: { a: 1 }, hasNext: true }));
  for (const method of ["request", "rawRequest"] as const)
    expect(await rejection(client[method](QUERY, {}))).toMatchObject({
      code: "TRANSPORT_FAILED",
      retryable: false,
    });
  const { client: whole } = await connectClient(answer({ data: { a: 1 }, hasNext: false }));
  expect(await whole.request(QUERY, {})).toEqual({ a: 1 });
});

test.each([
  ["@defer", "query Q { a ...F @defer } fragment F on Query { b }"],
  ["@defer", '{ ... @defer(label: "x") { b } }'],
  ["@stream", "{ list @stream(initialCount: 1) { id } }"],
  ["a subscription", "subscription S { changed }"],
])("refuses %s before it is sent", async (what, document) => {
  const { client, server } = await connectClient(answer({ data: { a: 1 } }));
  const error = await rejection(client.request(document, {}));
  expect(error).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining(`has ${what},`) });
  expect(server.requests).toEqual([]);
});

test.each([301, 302, 303, 307, 308])(
  "does not follow a redirect with HTTP %i, so its target gets no key",
  async (status) => {
    const target = await startHttpServer(answer({ data: { ok: true } }));
    const headers = { location: `${target.baseUrl}/graphql` };
    const redirect: Responder = (_, response) => response.writeHead(status, headers).end();
    const own = await connectClient(redirect, { fetch: (url, init) => fetch(url, init) });
    for (const { client, server } of [await connectClient(redirect), own]) {
      const error = await rejection(client.request(QUERY, {}));
      expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false, attempts: 1 });
      expect(error).toHaveProperty("status", client === own.client ? status : undefined);
      expect(String(error)).toMatch(/sent a redirect.* not followed.* Check baseUrl\./);
      expect(server.requests).toHaveLength(1);
    }
    expect(target.requests).toHaveLength(0);
  },
);

test("does not follow a redirect if the runtime refuses the redirect mode 'error', as Workers do", async () => {
  const { fetch, Request } = globalThis;
  class WorkersRequest extends Request {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      if (init?.redirect === "error") throw new TypeError("Invalid redirect value");
      super(input, init);
    }
  }
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("Request", WorkersRequest);
  vi.stubGlobal("fetch", async (input: string, init?: RequestInit) => fetch(new WorkersRequest(input, init)));
  const target = await startHttpServer(answer({ data: { ok: true } }));
  const headers = { location: `${target.baseUrl}/graphql` };
  const { client } = await connectClient((_, response) => response.writeHead(307, headers).end());
  const error = await rejection(client.request(QUERY, {}));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false, attempts: 1, status: 307 });
  expect(String(error)).toContain("sent a redirect");
  expect(target.requests).toHaveLength(0);
});

test.each([
  ["HTML", HTML, "<h1>login</h1>"],
  ["JSON that declares itself as text", { "content-type": "text/plain" }, '{"data":{"ok":true}}'],
  ["JSON without a content type", {}, '{"data":{"ok":true}}'],
])("does not parse %s", async (_, headers, body) => {
  const error = await errorOf((_request, response) => response.writeHead(200, headers).end(body));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", status: 200, retryable: false });
});

test.each([
  "",
  '{"data":{"canary":',
  '[{"data":{"canary":true}}]',
  '"canary"',
  '{"canary":true}',
  '{"data":null}',
  '{"data":[1]}',
  '{"data":null,"errors":{"message":"canary"}}',
  '{"data":{"ok":true},"errors":{"message":"canary"}}',
  '{"data":{"ok":true},"errors":"canary"}',
  '{"data":{"ok":true},"errors":7}',
  '{"data":{"ok":true},"errors":false}',
])("rejects with a TransportError if the body is not a GraphQL response: %s", async (body) => {
  for (const method of ["request", "rawRequest"] as const) {
    const error = await errorOf(answerText(body), method);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ status: 200, retryable: false });
    expect(everythingIn(error)).not.toContain("canary");
  }
});

test.each([
  '{"data":{"ok":true},"errors":null}',
  '{"data":{"ok":true},"errors":[]}',
  '{"data":{"ok":true},"extensions":null}',
  '{"errors":null,"extensions":null,"hasNext":null,"data":{"ok":true}}',
])("reads a response with empty or unknown parts: %s", async (body) => {
  const headers = { "content-type": "application/graphql-response+json; charset=utf-8" };
  const { client } = await connectClient(answerText(body, { headers }));
  expect(await client.request(QUERY, {})).toEqual({ ok: true });
});

test.each([
  ["the Sync API", ({ syncUrl }: ReferenceServer) => syncUrl],
  ["https without TLS", ({ baseUrl }: ReferenceServer) => baseUrl.replace("http:", "https:")],
  ["a port that fetch refuses", () => "http://127.0.0.1:6667"],
])("does not repeat a request if baseUrl is %s", async (_, wrong) => {
  await using server = await startReferenceServer();
  await using client = new GraphQLClient({ baseUrl: wrong(server), apiKey: server.apiKey });
  const error = await rejection(client.request(QUERY, {}));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false, attempts: 1 });
});

test.each<[string, unknown, string]>([
  [
    "a foreign AbortSignal",
    new TypeError('Expected signal ("AbortSignal {}") to be an instance of AbortSignal.'),
    "Expected signal",
  ],
  ["a mock's own error", new Error("unexpected call"), "unexpected call"],
  ["a mistake", new RangeError("Invalid array length"), "Invalid array length"],
  [
    "a mistake that names a connection",
    new TypeError("Cannot read properties of undefined (reading 'connection')"),
    "(reading 'connection')",
  ],
  ["a name that is missing", new ReferenceError("socket is not defined"), "socket is not defined"],
  ["what is no function", new TypeError("this.network.fetch is not a function"), "is not a function"],
  ["a range", new RangeError("timeout is out of range"), "timeout is out of range"],
  ["an assertion", Object.assign(new Error("expected body"), { code: "ERR_ASSERTION" }), "expected body"],
])("does not retry an error inside fetch that isn't a network failure: %s", async (_, thrown, said) => {
  let calls = 0;
  const fetch = async () => {
    calls += 1;
    throw thrown;
  };
  const client = new GraphQLClient({ baseUrl: "https://api.example.com", apiKey: API_KEY, fetch });
  const error = await rejection(client.request(QUERY, {}));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false, attempts: 1 });
  expect(String(error)).toContain(said);
  expect(calls).toBe(1);
});

test.each([{ ok: true, status: 200 }, undefined])(
  "does not repeat a fetch that returns no Response: %o",
  async (value) => {
    const fetch = async () => JSON.parse(JSON.stringify({ value })).value;
    const client = new GraphQLClient({ baseUrl: "https://api.example.com", apiKey: API_KEY, fetch });
    const error = await rejection(client.request(QUERY, {}));
    expect(error).toMatchObject({ retryable: false, attempts: 1 });
    expect(String(error)).toContain("fetch did not return a Response");
  },
);

test.each([
  ["Firefox", new TypeError("NetworkError when attempting to fetch resource.")],
  ["Safari", new TypeError("cannot parse response: the network connection was lost")],
  ["workerd", new Error("Network connection lost.")],
  ["a wrapper around fetch", new Error("request failed", { cause: new TypeError("Load failed") })],
])("retries a network failure that %s reports without a code", async (_, thrown) => {
  let calls = 0;
  const fetch = async () => {
    calls += 1;
    throw thrown;
  };
  const retry = { retries: 1, minDelayMs: 1, maxDelayMs: 1 };
  const client = new GraphQLClient({ baseUrl: "https://api.example.com", apiKey: API_KEY, fetch, retry });
  const error = await rejection(client.request(QUERY, {}));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: true, attempts: 2 });
  expect(calls).toBe(2);
});

test.each<[string, object]>([
  ["a Map as headers, and a text", { text: async () => "" }],
  ["a Map as headers, and no text", {}],
  ["a Map as headers, and HTTP 500", { status: 500, text: async () => "{}" }],
])("fails with an SDK error if fetch returns %s", async (_, fields) => {
  const headers = new Map([["content-type", "application/json"]]);
  const fetch: typeof globalThis.fetch = async () => Object({ status: 200, headers, ...fields });
  const client = new GraphQLClient({
    baseUrl: "https://api.example.com",
    apiKey: API_KEY,
    fetch,
    retry: false,
  });
  expect(await rejection(client.request(QUERY, {}))).toMatchObject({ code: "TRANSPORT_FAILED" });
});

test("keeps a copy of a fetch error as the cause, without the request", async () => {
  const error = await errorOfFetch((init) => {
    const message = `sending ${new Headers(init.headers).get("authorization")} failed`;
    throw Object.assign(new Error(message), { code: "EPROXY", request: init });
  });
  expect(error).toMatchObject({
    code: "TRANSPORT_FAILED",
    cause: { message: "sending [redacted] failed", code: "EPROXY" },
  });
  expect(everythingIn(error)).not.toContain(API_KEY);
});

test("request() rejects with the entries of errors and the partial data", async () => {
  const error = await errorOf(answer(PARTIAL));
  expect(error).toBeInstanceOf(GraphQLResponseError);
  expect(error).toMatchObject({ ...PARTIAL, status: 200, retryable: false, serverMessage: "no licenses" });
  expect(String(error)).not.toContain("no licenses");
});

test.each<[string, readonly unknown[]]>([
  [" (INTERNAL), at licenses.0. See", PARTIAL.errors],
  [", at line 3, column 7 of the document. See", [{ locations: [{ line: 3, column: 7 }] }]],
  ["2 errors, the first at a. See", [{ path: ["a"] }, { path: ["b"] }]],
  ["an error. See", [{ path: ["a", "b\nERROR c"], extensions: { code: "not a code" } }]],
  ["an error. See", [{ path: Array.from({ length: 21 }, () => "a") }]],
  ["an error. See", [{ locations: [{ line: "x", column: -1 }, 5] }]],
])("shows the code and place of the first entry if they are plain: %s", async (told, errors) => {
  expect(await errorOf(answer({ errors }))).toMatchObject({ message: expect.stringContaining(told) });
});

test("resolves rawRequest with data, errors, status, headers and request id, even for HTTP 400", async () => {
  const { client } = await connectClient(answer(PARTIAL, { headers: { "x-request-id": "r1" } }));
  const partial = await client.rawRequest(QUERY, {});
  expect(partial).toEqual({ ...PARTIAL, status: 200, headers: expect.any(Headers), requestId: "r1" });
  expect(partial.headers.get("X-Request-Id")).toBe("r1");
  const body = { data: { a: 1 }, errors: [{ message: "unknown field" }] };
  const { client: other } = await connectClient(answer(body, { status: 400 }));
  expect(await other.rawRequest(QUERY, {})).toMatchObject({ status: 400, data: null, errors: body.errors });
});

test.each([
  ["absent", { errors: [NOT_AUTHORIZED] }],
  ["null", { data: null, errors: [NOT_AUTHORIZED] }],
  ["null in every field", { data: { applications: null, licenses: null }, errors: [NOT_AUTHORIZED] }],
])("rejects with an AuthenticationError if data is %s beside AUTH_NOT_AUTHORIZED", async (_, body) => {
  for (const method of ["request", "rawRequest"] as const) {
    const error = await errorOf(answer(body), method);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ retryable: false, serverMessage: NOT_AUTHORIZED.message });
  }
});

test.each(["AUTH_NOT_AUTHORIZED", "RATE_LIMITED"])(
  "leaves %s of one field to the caller if there is data",
  async (code) => {
    const errors = [{ message: "m", path: ["licenses"], extensions: { code } }];
    const error = await errorOf(answer({ data: { applications: [], licenses: null }, errors }));
    expect(error).toBeInstanceOf(GraphQLResponseError);
    expect(error).toMatchObject({ errors });
  },
);

test("drops invalid parts of entries in `errors`, and all entries after the first 1,000", async () => {
  const odd = [null, "text", { message: 7, path: ["a", {}, 1], extensions: { code: 4, hint: [1] } }];
  const errors = [...odd, ...Array.from({ length: 1_000 }, () => ({ message: "m" }))];
  const { client } = await connectClient(answer({ data: { a: 1 }, errors }));
  const { errors: read } = await client.rawRequest(QUERY, {});
  expect(read).toHaveLength(1_000);
  expect(read.slice(0, 4)).toEqual([
    { message: "" },
    { message: "" },
    { message: "", path: ["a", 1], extensions: { hint: [1] } },
    { message: "m" },
  ]);
});

test("redacts the API key wherever the server echoes it with errors", async () => {
  const extensions = { code: API_KEY, deep: [{ key: API_KEY, [API_KEY]: 1 }] };
  const echo = { message: `key ${API_KEY} is wrong`, path: ["licenses", API_KEY], extensions };
  const errors = [
    await errorOf(answer({ data: { a: API_KEY }, errors: [echo] })),
    await errorOf(answer({ errors: [echo] }, { status: 401 })),
    await errorOf(answer({ errors: [echo] }, { status: 429 })),
    await errorOf((_, response) => response.writeHead(200, { "content-type": API_KEY }).end()),
  ];
  for (const error of errors) {
    expect(error).toBeInstanceOf(SaasManagementError);
    expect(everythingIn(error)).not.toContain(API_KEY);
  }
  expect(errors[0]).toMatchObject({
    data: { a: "[redacted]" },
    errors: [{ extensions: { code: "[redacted]", deep: [{ key: "[redacted]", "[redacted]": 1 }] } }],
  });
});

test("does not show the variables of the request in an error", async () => {
  const { client } = await connectClient((_, response) => response.destroy(), { retry: false });
  const error = await rejection(client.request(QUERY, { secret: "canary-variable" }));
  expect(everythingIn(error)).not.toContain("canary-variable");
});
