import { Metadata } from "@grpc/grpc-js";
import { MutationError, SaasManagementClient, SaasManagementError } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { accounts } from "../support/accounts.js";
import { failureOf } from "../support/batch-internals.js";
import { API_KEY, connectClient, everythingIn, rejection } from "../support/http-client.js";
import { json } from "../support/http-server.js";
import { observedHooks } from "../support/observed.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { startTestService } from "../support/test-service.js";

const harness = useScriptedServer();
const QUERY = "query Names { applications { totalCount } }";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The request id of an error of the SDK. */
async function requestIdOf(promise: Promise<unknown>): Promise<string | undefined> {
  const error = await rejection(promise);
  if (error instanceof SaasManagementError) return error.requestId;
  throw error;
}

test("every failure of GraphQL shows the request id on the error, in its JSON and in inspection", async () => {
  const answers = [
    { status: 503, body: {} },
    { status: 401, body: {} },
    { status: 200, body: { errors: [{ message: "no" }] } },
    { status: 200, body: {} },
  ];
  const { client } = await connectClient((_, response, index) => {
    const { status, body } = answers[index] ?? { status: 500, body: {} };
    json(response, body, { status, headers: { "x-request-id": `r-${index}` } });
  });
  for (const index of answers.keys()) {
    const error = await rejection(client.request(QUERY, {}, { retry: false }));
    expect(error).toMatchObject({ requestId: `r-${index}` });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ requestId: `r-${index}` });
    expect(everythingIn(error)).toContain(`r-${index}`);
  }
});

test("the request id may come as x-correlation-id", async () => {
  const { client } = await connectClient((_, response) =>
    json(response, {}, { status: 400, headers: { "x-correlation-id": "c-1" } }),
  );
  expect(await requestIdOf(client.request(QUERY, {}))).toBe("c-1");
});

test.each([
  ["too long", "r".repeat(129)],
  ["not printable", "r\u00e9"],
  ["of several words", "r 1"],
  ["an echo of the key", `r-${API_KEY}`],
])("the request id is undefined if the server's is %s", async (_, id) => {
  const { client } = await connectClient((_request, response) =>
    json(response, {}, { status: 400, headers: { "x-request-id": id } }),
  );
  expect(await requestIdOf(client.request(QUERY, {}))).toBeUndefined();
});

test("the request id is read from the trailers of the Sync API, unless it is the key", async () => {
  const metadata = (id: string) => {
    const trailers = new Metadata();
    trailers.set("x-request-id", id);
    return trailers;
  };
  harness.server.scripts.StartSyncBatch.push(
    { code: 7, details: "no", metadata: metadata("r-1") },
    { code: 7, details: "no", metadata: metadata("canary-key") },
  );
  const options = { apiKey: "canary-key" };
  expect(await requestIdOf(harness.startBatch(options))).toBe("r-1");
  expect(await requestIdOf(harness.startBatch(options))).toBeUndefined();
});

test("an unknown outcome of a completion has the request id of the unclear answer", async () => {
  const metadata = new Metadata();
  metadata.set("x-request-id", "r-2");
  harness.server.scripts.CompleteSyncBatch.push({ code: 14, details: "gone", metadata });
  const batch = await harness.startBatch({ retry: false });
  const error = await rejection(batch.complete({ unverified: true }));
  expect(error).toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN", requestId: "r-2" });
});

test("errors and hooks of both APIs show the request ids of the reference server", async () => {
  const { server } = await startTestService();
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  const { hooks, responses } = observedHooks();
  await using client = new SaasManagementClient({ baseUrl, syncUrl, apiKey, ...hooks });
  const ids = [
    await requestIdOf(client.graphql.request("{ nothing }", {})),
    await requestIdOf(client.sync.startBatch({ installationId: "unknown" })),
  ];
  const refused = await rejection(client.graphql.updateProcurementCase({ id: "unknown", name: "n" }));
  expect(refused).toBeInstanceOf(MutationError);
  const batch = await client.sync.startBatch({ installationId });
  server.clock.advance(15 * 60_000);
  ids.push(await requestIdOf(batch.write("accounts", accounts(1))));
  expect(failureOf(batch)).toMatchObject({ code: "BATCH_STATE", requestId: ids[2] });
  for (const id of ids) expect(id).toMatch(UUID);
  expect(refused).toMatchObject({ requestId: responses[2]?.requestId });
  const told = responses.map(({ requestId }) => requestId);
  expect(told.every((id) => UUID.test(String(id)))).toBe(true);
  expect(new Set(told).size).toBe(5);
});
