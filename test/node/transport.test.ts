import { createServer, type ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { type ClientOptions, SaasManagementClient } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { API_KEY, everythingIn, passPause, rejection } from "../support/http-client.js";
import { answer, type Responder, startHttpServer } from "../support/http-server.js";
import { listen, unusedPort } from "../support/tcp-peers.js";

const QUERY = "query Names { names }";
const MUTATION = "mutation Touch { touch }";
const JSON_TYPE = { "content-type": "application/json" };
const BODY = JSON.stringify({ data: { names: ["Zoë", "é".repeat(100_000)] } });

function connect(baseUrl: string, options: Partial<ClientOptions> = {}): SaasManagementClient {
  const client = new SaasManagementClient({ baseUrl, apiKey: API_KEY, transport: "node", ...options });
  onTestFinished(() => client.close());
  return client;
}

async function errorOf(respond: Responder, options: Partial<ClientOptions> = {}, document = QUERY) {
  const server = await startHttpServer(respond);
  const client = connect(server.baseUrl, { retry: false, ...options });
  const error = await rejection(client.graphql.request(document, {}));
  expect(everythingIn(error)).not.toContain(API_KEY);
  return { error, server };
}

test('transport "node" reads plain and compressed answers over one connection, without fetch', async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new Error("fetch was called")));
  onTestFinished(() => void vi.unstubAllGlobals());
  const answers: readonly ((response: ServerResponse) => unknown)[] = [
    (response) => response.writeHead(200, JSON_TYPE).end(BODY),
    (response) => response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end(gzipSync(BODY)),
    (response) =>
      response.writeHead(200, { ...JSON_TYPE, "content-encoding": "br" }).end(brotliCompressSync(BODY)),
    // Names of encodings have no case, and x-gzip is gzip.
    (response) => response.writeHead(200, { ...JSON_TYPE, "content-encoding": "X-GZIP" }).end(gzipSync(BODY)),
  ];
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    const index = asked.push([request.method, request.url, request.headers["accept-encoding"]]) - 1;
    request.resume().once("end", () => answers[index % answers.length]?.(response));
  });
  const peer = await listen(server);
  const client = connect(`http://127.0.0.1:${peer.port}`);
  for (const _ of answers) expect(await client.graphql.request(QUERY, {})).toEqual(JSON.parse(BODY).data);
  expect(asked).toEqual(answers.map(() => ["POST", "/graphql", "gzip, br"]));
  expect(peer.accepted()).toBe(1);
  await client.close();
  const again = connect(`http://127.0.0.1:${peer.port}`);
  expect(await again.graphql.request(QUERY, {})).toEqual(JSON.parse(BODY).data);
  expect([peer.accepted(), peer.open()]).toEqual([2, 1]);
});

test.each<[string, Responder, object]>([
  [
    "HTML",
    (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    { status: 200 },
  ],
  ["a redirect", (_, response) => response.writeHead(307, { location: "/x" }).end(), { status: 307 }],
  ["HTTP 401", answer({}, { status: 401 }), { code: "AUTHENTICATION_FAILED" }],
  ["an answer that is too large", answer({ data: "x".repeat(2000) }), { status: 200 }],
  [
    "an answer that grows too large",
    (_, response) =>
      response
        .writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" })
        .end(gzipSync(" ".repeat(100_000))),
    { status: 200 },
  ],
  [
    "an answer that is not compressed as it says",
    (_, response) => response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end("{}"),
    { message: expect.stringContaining("damaged, or not compressed") },
  ],
  ["an impossible status", (_, response) => response.writeHead(999).end(), { retryable: true }],
])('transport "node" refuses %s', async (_, respond, expected) => {
  const { error, server } = await errorOf(respond, { maxResponseBytes: 1000 });
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", retryable: false, attempts: 1, ...expected });
  expect(server.requests).toHaveLength(1);
});

test('transport "node" repeats a query after a reset, and not a mutation', async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const respond: Responder = (request, response, index) => {
    if (index === 1) return response.writeHead(200, JSON_TYPE).write('{"data":', () => response.destroy());
    return index === 2 && request.body.query === QUERY
      ? answer({ data: { names: [] } })(request, response, index)
      : response.destroy();
  };
  const server = await startHttpServer(respond);
  const names = connect(server.baseUrl, { clock }).graphql.request(QUERY, {});
  await passPause(clock);
  await server.arrived(2);
  await passPause(clock);
  expect(await names).toEqual({ names: [] });
  const { error } = await errorOf(respond, { retry: {} }, MUTATION);
  expect(error).toMatchObject({ attempts: 1, message: expect.stringMatching(/closed .*not known whether/) });
  const refused = connect(`http://127.0.0.1:${await unusedPort()}`, { retry: false });
  expect(String(await rejection(refused.graphql.request(QUERY, {})))).toContain("ECONNREFUSED");
});

test.each<[string, Responder]>([
  ["before the answer", () => {}],
  ["within the answer", (_, response) => response.writeHead(200, JSON_TYPE).write("{")],
])('transport "node" ends a server that stalls %s with the time or the caller', async (_, respond) => {
  const clock = new TestClock({ startAt: new Date(0) });
  const server = await startHttpServer(respond);
  const client = connect(server.baseUrl, { clock });
  const timedOut = rejection(client.graphql.request(QUERY, {}, { timeoutMs: 5_000 }));
  await server.arrived(1);
  clock.advance(5_000);
  expect(await timedOut).toMatchObject({ code: "TIMEOUT" });
  await server.requests[0]?.cancelled;
  const abort = new AbortController();
  const left = rejection(client.graphql.request(QUERY, {}, { signal: abort.signal }));
  await server.arrived(2);
  abort.abort("left");
  expect(await left).toBe("left");
  await server.requests[1]?.cancelled;
});
