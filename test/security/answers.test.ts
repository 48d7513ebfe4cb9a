import { SaasManagementClient, TransportError } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { rejection } from "../support/http-client.js";
import { json, startHttpServer } from "../support/http-server.js";
import { startSyncServer } from "../support/sync-server.js";

const QUERY = "query Q { a }";
const START = { installationId: "installation-1" };
const MEBIBYTE = 1024 * 1024;

function connect(urls: { readonly baseUrl?: string; readonly syncUrl?: string }): SaasManagementClient {
  return new SaasManagementClient({ ...urls, apiKey: "key-1", retry: false });
}

test("an answer with 50,000 errors is an error with the first thousand", async () => {
  const body = `{"errors":[${"{},".repeat(49_999)}{"message":"last"}]}`;
  const server = await startHttpServer((_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(body),
  );
  await using client = connect({ baseUrl: server.baseUrl });
  const error = await rejection(client.graphql.request(QUERY, {}));
  expect(error).toMatchObject({ code: "GRAPHQL_ERRORS", errors: { length: 1000 } });
});

test("a header of a mebibyte fails the request in either API", async () => {
  const large = "x".repeat(MEBIBYTE);
  const graphql = await startHttpServer((_, response) =>
    json(response, { data: {} }, { headers: { large } }),
  );
  const sync = await startSyncServer();
  sync.answer = (stream) => {
    const headers = { ":status": 200, "content-type": "application/grpc", "grpc-status": "0" };
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x-${i}`, "x".repeat(1000)]));
    stream.respond({ ...headers, ...many }, { endStream: true });
  };
  await using client = connect({ baseUrl: graphql.baseUrl, syncUrl: `http://127.0.0.1:${sync.port}` });
  expect(await rejection(client.graphql.request(QUERY, {}))).toBeInstanceOf(TransportError);
  expect(await rejection(client.sync.startBatch(START))).toMatchObject({
    code: expect.stringMatching(/TRANSPORT_FAILED|SYNC_PROTOCOL|RATE_LIMITED/),
  });
});

test.each([
  "0",
  "-5",
  "1e9",
  "999999999",
  "99999999999999999999",
  "NaN",
  "soon",
  "Thu, 01 Jan 9999 00:00:00 GMT",
])("Retry-After: %s never delays a call beyond its deadline", async (value) => {
  const server = await startHttpServer((_, response) =>
    json(response, {}, { status: 429, headers: { "retry-after": value } }),
  );
  const { baseUrl } = server;
  const retry = { retries: 1, minDelayMs: 1, maxDelayMs: 1 };
  await using client = new SaasManagementClient({ baseUrl, apiKey: "key-1", retry });
  const error = await rejection(client.graphql.request(QUERY, {}));
  expect(error).toMatchObject({ code: "RATE_LIMITED" });
  expect(server.requests.length).toBeLessThanOrEqual(2);
});
