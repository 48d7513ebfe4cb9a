import { AuthenticationError, RateLimitError, TransportError } from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";
import { connectClient, passPause, rejection } from "../support/http-client.js";
import { json, type Responder } from "../support/http-server.js";

const QUERY = "query Names { applications { nodes { id } } }";
const MUTATION = "mutation Touch { touch }";
const HTML = { "content-type": "text/html" };
const JSON_TYPE = { "content-type": "application/json" };

/** Fails so many times, then answers. */
function failing(times: number, fail: Responder): Responder {
  return (request, response, index) =>
    index < times ? fail(request, response, index) : json(response, { data: { ok: true } });
}

describe("a query", () => {
  it.each<[string, Responder]>([
    ["HTTP 408", (_, response) => json(response, {}, { status: 408 })],
    ["HTTP 429", (_, response) => json(response, {}, { status: 429 })],
    ["HTTP 502 in HTML", (_, response) => response.writeHead(502, HTML).end("<p>")],
    ["HTTP 503", (_, response) => json(response, {}, { status: 503 })],
    ["HTTP 504", (_, response) => json(response, {}, { status: 504 })],
    ["a dropped connection", (_, response) => response.destroy()],
    [
      "a rate limit told with HTTP 200",
      (_, response) =>
        json(response, { data: null, errors: [{ extensions: { code: "TOO_MANY_REQUESTS" } }] }),
    ],
  ])("is sent again after %s", async (_, fail) => {
    const { client, clock } = await connectClient(failing(2, fail));
    const data = client.request(QUERY);
    await passPause(clock);
    await passPause(clock);
    await expect(data).resolves.toEqual({ ok: true });
  });

  it.each([400, 401, 403, 404, 500])("is not sent again after HTTP %i", async (status) => {
    const { client, server } = await connectClient(
      failing(1, (_, response) => json(response, {}, { status })),
    );
    expect(await rejection(client.request(QUERY))).toMatchObject({ attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it("ends with the last failure when its retries are used up", async () => {
    const { client, clock, server } = await connectClient(
      (_, response) => json(response, {}, { status: 503 }),
      { retry: { retries: 2 } },
    );
    const error = rejection(client.request(QUERY));
    await passPause(clock);
    await passPause(clock);
    expect(await error).toBeInstanceOf(TransportError);
    expect(await error).toMatchObject({ attempts: 3, status: 503 });
    expect(server.requests).toHaveLength(3);
  });

  it.each([false, { retries: 0 }] as const)("is sent once with retry: %j", async (retry) => {
    const { client, server } = await connectClient((_, response) => json(response, {}, { status: 503 }));
    expect(await rejection(client.request(QUERY, {}, { retry }))).toMatchObject({ attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it("waits as long as Retry-After asks", async () => {
    const { client, clock, server } = await connectClient(
      failing(1, (_, response) => json(response, {}, { status: 429, headers: { "retry-after": "60" } })),
    );
    const data = client.request(QUERY);
    await passPause(clock);
    clock.advance(49_999);
    expect(server.requests).toHaveLength(1);
    clock.advance(1);
    await data;
    expect(server.requests).toHaveLength(2);
  });

  it("fails at once where Retry-After exceeds the time that is left", async () => {
    const { client, server } = await connectClient((_, response) =>
      json(response, {}, { status: 429, headers: { "retry-after": "259200" } }),
    );
    const error = await rejection(client.request(QUERY));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 259_200_000, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it("tells the logger of each retry, without key or variables", async () => {
    const lines: string[] = [];
    const log = (message: string, details?: object) => lines.push(`${message} ${JSON.stringify(details)}`);
    const { client, clock } = await connectClient(
      failing(1, (_, response) => json(response, {}, { status: 503 })),
      { logger: { debug: log, info: log, warn: log, error: log } },
    );
    const data = client.request(QUERY, { secret: "canary-variable" });
    await passPause(clock);
    await data;
    expect(lines.join()).toContain("GraphQL query Names");
    expect(lines.join()).not.toMatch(/canary/);
  });
});

describe("a mutation", () => {
  it.each<[string, Responder]>([
    ["HTTP 503", (_, response) => json(response, {}, { status: 503 })],
    ["HTTP 429", (_, response) => json(response, {}, { status: 429 })],
    ["a dropped connection", (_, response) => response.destroy()],
  ])("is not sent again after %s, and its error is not retryable", async (_, fail) => {
    const { client, server } = await connectClient(fail);
    const error = await rejection(client.request(MUTATION));
    expect(error).toMatchObject({ retryable: false, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it("is sent again where the call says that it is idempotent", async () => {
    const { client, clock, server } = await connectClient(
      failing(1, (_, response) => json(response, {}, { status: 503 })),
    );
    const data = client.request(MUTATION, {}, { idempotent: true });
    await passPause(clock);
    await data;
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ["a failure that it says may be repeated", new TransportError("audit log is down", { retryable: true })],
    ["a refused key", new AuthenticationError("audit log refuses the key")],
  ])("is not sent again after a fetch of the user's threw %s", async (_, thrown) => {
    let minted = 0;
    const { client, server } = await connectClient((_request, response) => json(response, { data: {} }), {
      authorization: () => `Bearer ${++minted}`,
      fetch: async (url, init) => {
        await (await fetch(url, init)).text();
        throw thrown;
      },
    });
    const error = await rejection(client.request(MUTATION));
    expect(error).toMatchObject({ retryable: false, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  const NOT_KNOWN = "Whether it was done is not known: read the data to find out.";

  it("says that its fate is not known where the time is up, and not to try again", async () => {
    const { client, clock, server } = await connectClient(() => {});
    const error = rejection(client.request(MUTATION, {}, { timeoutMs: 5_000 }));
    await server.arrived(1);
    clock.advance(5_000);
    expect(await error).toMatchObject({
      code: "TIMEOUT",
      timeoutMs: 5_000,
      stoppedBecause: "deadline",
      attempts: 1,
    });
    expect(String(await error)).toContain(`took longer than 5000 ms. Raise timeoutMs. ${NOT_KNOWN}`);
  });

  it("says that its fate is not known where the connection was closed", async () => {
    const { client } = await connectClient((_, response) => response.destroy());
    expect(String(await rejection(client.request(MUTATION)))).toContain(NOT_KNOWN);
    const repeatable = await rejection(client.request(MUTATION, {}, { idempotent: true, retry: false }));
    expect(String(repeatable)).not.toContain(NOT_KNOWN);
  });

  /** Answers that were on their way, or came whole, and say nothing of what became of the mutation. */
  const UNCLEAR_ANSWERS: readonly [string, Responder][] = [
    ...[408, 502, 503, 504].map((status): [string, Responder] => [
      `HTTP ${status}`,
      (_, response) => json(response, {}, { status }),
    ]),
    ["HTTP 503 in HTML", (_, response) => response.writeHead(503, HTML).end("<p>")],
    ["HTTP 500 without a GraphQL response", (_, response) => json(response, {}, { status: 500 })],
    ["HTTP 200 in HTML", (_, response) => response.writeHead(200, HTML).end("<p>")],
    [
      "a body that breaks off",
      (_, response) => {
        response.writeHead(200, { ...JSON_TYPE, "content-length": "100" });
        response.write('{"data":', () => response.destroy());
      },
    ],
    ["a body that is cut off", (_, response) => response.writeHead(200, JSON_TYPE).end('{"data":{"touch":')],
    [
      "a body that is too large by its own word",
      (_, response) => response.writeHead(200, { ...JSON_TYPE, "content-length": "5000" }).write("{"),
    ],
    ["a body that is too large", (_, response) => response.writeHead(200, JSON_TYPE).end("[".repeat(5000))],
    ["a redirect", (_, response) => response.writeHead(303, { location: "/done" }).end()],
    ["neither data nor errors", (_, response) => json(response, { data: null })],
  ];

  it.each(UNCLEAR_ANSWERS)(
    "says that its fate is not known after %s, unless it is idempotent",
    async (_, answer) => {
      const { client, server } = await connectClient(answer, { maxResponseBytes: 1000 });
      const error = await rejection(client.request(MUTATION));
      expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false, attempts: 1 });
      expect(String(error)).toContain(NOT_KNOWN);
      expect(server.requests).toHaveLength(1);
      for (const [document, options] of [
        [MUTATION, { idempotent: true }],
        [QUERY, {}],
      ] as const) {
        const repeatable = await rejection(client.request(document, {}, { ...options, retry: false }));
        expect(String(repeatable)).not.toContain(NOT_KNOWN);
      }
    },
  );

  it.each<[string, Responder]>([
    ["HTTP 400 without a GraphQL response", (_, response) => json(response, {}, { status: 400 })],
    ["HTTP 404 in HTML", (_, response) => response.writeHead(404, HTML).end("<p>")],
    ["HTTP 429", (_, response) => json(response, {}, { status: 429 })],
  ])("says nothing of its fate after %s, which refuses the request", async (_, answer) => {
    const { client } = await connectClient(answer);
    expect(String(await rejection(client.request(MUTATION)))).not.toContain(NOT_KNOWN);
  });

  it("says nothing of its fate where there was no connection to send it on", async () => {
    const fetch = () => Promise.reject(Object.assign(new TypeError("x"), { code: "ECONNREFUSED" }));
    const { client } = await connectClient(() => {}, { fetch });
    expect(String(await rejection(client.request(MUTATION)))).not.toContain("done");
  });

  it("is told from a query in any document, fragments and comments included", async () => {
    const { client, server } = await connectClient((_, response) => json(response, {}, { status: 503 }));
    const hidden = `# query Q { a }\nfragment F on M { x }\nmutation { touch { ...F } }`;
    expect(await rejection(client.request(hidden))).toMatchObject({ retryable: false });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a document that cannot be read", () => {
  it("is sent as it is, once: nothing says that it only reads", async () => {
    const { client, server } = await connectClient((_, response) => json(response, {}, { status: 503 }));
    const document = "query Newer($a: Int = 1 @x) on { syntax }";
    expect(await rejection(client.request(document))).toMatchObject({ retryable: false, attempts: 1 });
    expect(server.requests[0]?.body.query).toBe(document);
  });
});
