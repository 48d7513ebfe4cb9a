import { createServer } from "node:net";
import { SaasManagementClient } from "@saas-management/sdk";
import {
  AuthenticationError,
  ConfigurationError,
  GraphQLClient,
  GraphQLResponseError,
  PermissionDeniedError,
  RateLimitError,
  SaasManagementError,
  TransportError,
} from "@saas-management/sdk/graphql";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/reference-server";
import { describe, expect, it } from "vitest";
import { API_KEY, connectClient, everythingIn, rejection } from "../support/http-client.js";
import { json, startHttpServer } from "../support/http-server.js";

const QUERY = "query Names { applications { nodes { id } } }";
const NOT_AUTHORIZED = {
  message: "The current user is not authorized to access this resource.",
  extensions: { code: "AUTH_NOT_AUTHORIZED" },
};

/** The error that one answer of the server ends in. */
async function errorOf(
  answer: Parameters<typeof connectClient>[0],
  method: "request" | "rawRequest" = "request",
): Promise<unknown> {
  const { client } = await connectClient(answer, { retry: false });
  return rejection(client[method](QUERY));
}

describe("an HTTP status", () => {
  it.each([401, 403, 408, 429, 502, 503, 504, 400, 404, 500])(
    "%i has its error class, with JSON and with HTML",
    async (status) => {
      const expected =
        { 401: AuthenticationError, 403: PermissionDeniedError, 429: RateLimitError }[status] ??
        TransportError;
      const retryable = [408, 429, 502, 503, 504].includes(status);
      const errors = [
        await errorOf((_, response) => json(response, {}, { status })),
        await errorOf((_, response) =>
          response.writeHead(status, { "content-type": "text/html" }).end("<h1>canary page</h1>"),
        ),
      ];
      for (const error of errors) {
        expect(error).toBeInstanceOf(expected);
        expect(error).toMatchObject({ retryable });
        expect(everythingIn(error)).not.toContain("canary page");
      }
    },
  );

  it("that is no success comes with status and content type", async () => {
    const error = await errorOf((_, response) =>
      response.writeHead(502, { "content-type": "text/html; charset=utf-8" }).end("<h1>Bad gateway</h1>"),
    );
    expect(error).toMatchObject({ status: 502, contentType: "text/html; charset=utf-8" });
  });

  it("401 with a GraphQL body keeps the server's text apart from the message", async () => {
    const error = await errorOf((_, response) =>
      json(response, { errors: [NOT_AUTHORIZED] }, { status: 401 }),
    );
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ serverMessage: NOT_AUTHORIZED.message });
    expect(String(error)).not.toContain(NOT_AUTHORIZED.message);
  });

  it("400 with GraphQL errors is a GraphQLResponseError", async () => {
    const error = await errorOf((_, response) =>
      json(response, { errors: [{ message: "The field `x` does not exist." }] }, { status: 400 }),
    );
    expect(error).toBeInstanceOf(GraphQLResponseError);
    expect(error).toMatchObject({ status: 400, errors: [{ message: "The field `x` does not exist." }] });
  });
});

describe("a rate limit", () => {
  it.each([
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
  ])("tells by Retry-After: %s how long to wait", async (retryAfter, retryAfterMs) => {
    const error = await errorOf((_, response) =>
      json(response, {}, { status: 429, headers: { "retry-after": retryAfter } }),
    );
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs });
  });

  it.each([200, 400])("may be told as an error code with HTTP %i", async (status) => {
    const errors = [{ message: "slow down", extensions: { code: "RATE_LIMITED" } }];
    const error = await errorOf((_, response) =>
      json(response, { data: null, errors }, { status, headers: { "retry-after": "2" } }),
    );
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryable: true, retryAfterMs: 2_000, serverMessage: "slow down" });
  });

  it("of one field beside data stays one of the errors", async () => {
    const errors = [{ message: "slow down", path: ["licenses"], extensions: { code: "RATE_LIMITED" } }];
    const error = await errorOf((_, response) =>
      json(response, { data: { licenses: null, applications: [] }, errors }),
    );
    expect(error).toBeInstanceOf(GraphQLResponseError);
  });
});

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])("%i is refused, and its target gets nothing", async (status) => {
    const target = await startHttpServer((_, response) => json(response, { data: { ok: true } }));
    const error = await errorOf((_, response) =>
      response.writeHead(status, { location: `${target.baseUrl}/graphql` }).end(),
    );
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ status, retryable: false });
    expect(String(error)).toContain("redirected");
    expect(target.requests).toHaveLength(0);
  });
});

describe("a body", () => {
  it.each([
    ["HTML", { "content-type": "text/html" }, "<h1>login</h1>"],
    ["JSON that says it is text", { "content-type": "text/plain" }, '{"data":{"ok":true}}'],
    [
      "JSON that says it is UTF-16",
      { "content-type": "application/json; charset=utf-16" },
      '{"data":{"ok":true}}',
    ],
    ["JSON that says nothing", {}, '{"data":{"ok":true}}'],
  ])("of %s is not parsed", async (_, headers, body) => {
    const error = await errorOf((_request, response) => response.writeHead(200, headers).end(body));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ status: 200, retryable: false });
  });

  it("that is missing (204) is a TransportError", async () => {
    const error = await errorOf((_, response) => response.writeHead(204).end());
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ status: 204, contentType: undefined });
  });

  it.each([
    ["is empty", ""],
    ["is cut off", '{"data":{"canary":'],
    ["is a list", '[{"data":{"canary":true}}]'],
    ["is a text", '"canary"'],
    ["has neither data nor errors", '{"canary":true}'],
    ["has null data and no errors", '{"data":null}'],
    ["has a list as data", '{"data":[1]}'],
    ["has errors that are no list", '{"data":null,"errors":{"message":"canary"}}'],
  ])("that %s is a TransportError with its status", async (_, body) => {
    for (const method of ["request", "rawRequest"] as const) {
      const error = await errorOf(
        (_request, response) => response.writeHead(200, { "content-type": "application/json" }).end(body),
        method,
      );
      expect(error).toBeInstanceOf(TransportError);
      expect(error).toMatchObject({ status: 200, retryable: false });
      expect(everythingIn(error)).not.toContain("canary");
    }
  });

  it.each([
    ["errors", '{"data":{"ok":true},"errors":null}'],
    ["extensions", '{"data":{"ok":true},"extensions":null}'],
    ["both, and an unknown part", '{"errors":null,"extensions":null,"hasNext":null,"data":{"ok":true}}'],
  ])("that has null for %s has none", async (_, body) => {
    const { client } = await connectClient((_request, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(body),
    );
    expect(await client.request(QUERY)).toEqual({ ok: true });
  });

  it.each(['{"message":"canary"}', '"canary"', '""', "7", "true", "false", "0"])(
    "that has data beside errors that are no list is no response: %s",
    async (errors) => {
      const body = `{"data":{"ok":true},"errors":${errors}}`;
      const error = await errorOf((_request, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(body),
      );
      expect(error).toBeInstanceOf(TransportError);
      expect(everythingIn(error)).not.toContain("canary");
    },
  );

  it("that breaks off is a network failure", async () => {
    const error = await errorOf((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"data":', () => response.destroy());
    });
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ status: 200, retryable: true });
  });

  it("may be application/graphql-response+json", async () => {
    const { client } = await connectClient((_, response) =>
      response
        .writeHead(200, { "content-type": "application/graphql-response+json; charset=utf-8" })
        .end('{"data":{"ok":true}}'),
    );
    await expect(client.request(QUERY)).resolves.toEqual({ ok: true });
  });
});

describe("the network", () => {
  it("that refuses the connection is told by its code", async () => {
    const { baseUrl } = await closedPort();
    const client = new GraphQLClient({ baseUrl, apiKey: API_KEY, retry: false });
    const error = await rejection(client.request(QUERY));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ status: undefined, retryable: true });
    expect(String(error)).toContain(
      `to ${baseUrl}/graphql failed: the server refused the connection (ECONNREFUSED). Check`,
    );
  });

  it.each([
    [
      "the Sync API",
      (server: ReferenceServer) => server.syncUrl,
      /does not speak HTTP\/1\.1.*and not that of the Sync API/,
    ],
    [
      "https where the server speaks none",
      ({ baseUrl }: ReferenceServer) => baseUrl.replace("http:", "https:"),
      /does not speak TLS.*check the port of baseUrl/,
    ],
  ])("is not asked again when baseUrl is %s", async (_, wrong, message) => {
    await using server = await startReferenceServer();
    await using client = new GraphQLClient({ baseUrl: wrong(server), apiKey: server.apiKey });
    const error = await rejection(client.request(QUERY));
    expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false, attempts: 1 });
    expect(String(error)).toMatch(message);
  });

  it.each([
    ["GraphQLClient", {}],
    ["SaasManagementClient", {}],
    ["SaasManagementClient", { proxy: "http://127.0.0.1:3128" }],
  ] as const)(
    "is not reached at a port that fetch refuses, which %s with %j tells at once",
    async (name, options) => {
      const common = { baseUrl: "http://127.0.0.1:6667", apiKey: API_KEY };
      await using owner = new SaasManagementClient({ ...common, ...options });
      await using plain = new GraphQLClient(common);
      const client = name === "GraphQLClient" ? plain : owner.graphql;
      for (const document of [QUERY, "mutation Touch { touch }"]) {
        const error = await rejection(client.request(document));
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(error).toMatchObject({ retryable: false, attempts: 1, stoppedBecause: "not-retryable" });
        expect(String(error)).toContain("was not sent: fetch refuses port 6667");
      }
    },
  );

  it("that drops the connection is told by its code", async () => {
    const error = await errorOf((_, response) => response.destroy());
    expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: true });
    expect(String(error)).toMatch(/UND_ERR_SOCKET|ECONNRESET/);
  });

  it("with a certificate that is not trusted is no reason to try again", async () => {
    const untrusted = Object.assign(new Error("self-signed certificate"), {
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    });
    const error = await failingFetch(() => {
      throw new TypeError("fetch failed", { cause: untrusted });
    });
    expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false });
    expect(String(error)).toContain("DEPTH_ZERO_SELF_SIGNED_CERT");
  });

  it.each([
    ["UnknownIssuer", "is not trusted (CERT_UNTRUSTED)"],
    ['certificate not valid for name "localhost"', "is not for this host name (HOSTNAME_MISMATCH)"],
    ["certificate expired: verification time 2", "is not valid at this time (CERT_HAS_EXPIRED)"],
  ])("with a certificate of which Deno says %s, without a code, is none either", async (said, told) => {
    const error = await failingFetch(() => {
      const cause = new Error(`client error (Connect): invalid peer certificate: ${said}`);
      throw new TypeError("fetch failed", { cause });
    });
    expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false, attempts: 1 });
    expect(String(error)).toContain(told);
  });

  it("may fail in a fetch of the user's: the copy kept as cause has no request in it", async () => {
    const error = await failingFetch((init) => {
      throw Object.assign(new Error(`sending ${new Headers(init.headers).get("authorization")} failed`), {
        code: "EPROXY",
        request: init,
      });
    });
    expect(error).toMatchObject({
      code: "TRANSPORT_FAILED",
      cause: { message: "sending [redacted] failed", code: "EPROXY" },
    });
    expect(everythingIn(error)).not.toContain(API_KEY);
  });
});

describe("entries in errors", () => {
  const partial = {
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

  it("make request reject with them and the partial data", async () => {
    const error = await errorOf((_, response) => json(response, partial));
    expect(error).toBeInstanceOf(GraphQLResponseError);
    expect(error).toMatchObject({ ...partial, status: 200, retryable: false, serverMessage: "no licenses" });
    expect(String(error)).toContain("INTERNAL");
    expect(String(error)).not.toContain("no licenses");
  });

  it.each<[string, readonly unknown[], string]>([
    ["its path", [{ message: "m", path: ["licenses", 0, "plan"] }], "an error, at licenses.0.plan. See"],
    [
      "its place in the document, where it has no path",
      [{ message: "m", locations: [{ line: 3, column: 7 }] }],
      "an error, at line 3, column 7 of the document. See",
    ],
    ["the first of several", [{ path: ["a"] }, { path: ["b"] }], "2 errors, the first at a. See"],
    ["no path that is not plain", [{ path: ["a", "b\nERROR c"] }], "an error. See"],
    ["no endless path", [{ path: Array.from({ length: 21 }, () => "a") }], "an error. See"],
    ["no location that is none", [{ locations: [{ line: "x", column: -1 }, 5] }], "an error. See"],
  ])("are told in the message with %s", async (_, errors, told) => {
    const error = await errorOf((_request, response) => json(response, { errors }));
    expect(error).toMatchObject({ code: "GRAPHQL_ERRORS", message: expect.stringContaining(told) });
  });

  it("let rawRequest resolve with both, and with status and headers", async () => {
    const { client } = await connectClient((_, response) =>
      json(response, partial, { headers: { "x-request-id": "r1" } }),
    );
    const answer = await client.rawRequest(QUERY);
    expect(answer).toMatchObject({ ...partial, status: 200 });
    expect(answer.headers.get("x-request-id")).toBe("r1");
  });

  it("let rawRequest resolve beside HTTP 400 too", async () => {
    const { client } = await connectClient((_, response) =>
      json(response, { errors: [{ message: "unknown field" }] }, { status: 400 }),
    );
    await expect(client.rawRequest(QUERY)).resolves.toMatchObject({
      status: 400,
      data: null,
      errors: [{ message: "unknown field" }],
    });
  });

  it.each([
    ["absent", { errors: [NOT_AUTHORIZED] }],
    ["null", { data: null, errors: [NOT_AUTHORIZED] }],
    ["null in every field", { data: { applications: null, licenses: null }, errors: [NOT_AUTHORIZED] }],
  ])("with AUTH_NOT_AUTHORIZED are an AuthenticationError where data is %s", async (_, body) => {
    for (const method of ["request", "rawRequest"] as const) {
      const error = await errorOf((_request, response) => json(response, body), method);
      expect(error).toBeInstanceOf(AuthenticationError);
      expect(error).toMatchObject({ retryable: false, serverMessage: NOT_AUTHORIZED.message });
    }
  });

  it("with AUTH_NOT_AUTHORIZED beside data stay entries", async () => {
    const error = await errorOf((_, response) =>
      json(response, { data: { applications: [], licenses: null }, errors: [NOT_AUTHORIZED] }),
    );
    expect(error).toBeInstanceOf(GraphQLResponseError);
    expect(error).toMatchObject({ errors: [{ extensions: { code: "AUTH_NOT_AUTHORIZED" } }] });
  });

  it("of a shape that the API does not know are reduced to what it does", async () => {
    const errors = [null, "text", { message: 7, path: ["a", {}, 1], extensions: { code: 4, hint: [1] } }];
    const { client } = await connectClient((_, response) => json(response, { data: { a: 1 }, errors }));
    const answer = await client.rawRequest(QUERY);
    expect(answer.errors).toEqual([
      { message: "" },
      { message: "" },
      { message: "", path: ["a", 1], extensions: { hint: [1] } },
    ]);
  });
});

describe("an error", () => {
  it("never holds the API key, not even where the server echoes it", async () => {
    const echo = {
      message: `key ${API_KEY} is wrong`,
      path: ["licenses", API_KEY],
      extensions: { code: API_KEY, deep: [{ key: API_KEY, [API_KEY]: 1 }] },
    };
    const errors = [
      await errorOf((_, response) => json(response, { data: { a: 1 }, errors: [echo] })),
      await errorOf((_, response) => json(response, { errors: [echo] }, { status: 401 })),
      await errorOf((_, response) => json(response, { errors: [echo] }, { status: 429 })),
      await errorOf((_, response) => response.writeHead(200, { "content-type": API_KEY }).end()),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(SaasManagementError);
      expect(everythingIn(error)).not.toContain(API_KEY);
    }
  });

  it("never shows the variables of the request", async () => {
    const { client } = await connectClient((_, response) => response.destroy(), { retry: false });
    const error = await rejection(client.request(QUERY, { secret: "canary-variable" }));
    expect(everythingIn(error)).not.toContain("canary-variable");
  });
});

describe("what the server sends", () => {
  it("may hold keys of a prototype without reaching one", async () => {
    const { client } = await connectClient((_, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(
          '{"data":{"__proto__":{"polluted":true},"constructor":1},"errors":[{"message":"m","extensions":{"__proto__":{"polluted":true}}}]}',
        ),
    );
    await client.rawRequest(QUERY);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect("polluted" in {}).toBe(false);
  });
});

async function failingFetch(fail: (init: RequestInit) => never): Promise<unknown> {
  const client = new GraphQLClient({
    baseUrl: "https://api.example.com",
    apiKey: API_KEY,
    retry: false,
    fetch: async (_, init) => fail(init),
  });
  return rejection(client.request(QUERY));
}

/** An address where nobody listens. */
async function closedPort(): Promise<{ readonly baseUrl: string }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));
  return { baseUrl: `http://127.0.0.1:${port}` };
}
