import { Metadata } from "@grpc/grpc-js";
import { MutationError, SaasManagementClient, SaasManagementError } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { failureOf } from "../support/batch-internals.js";
import { API_KEY, connectClient, everythingIn, rejection } from "../support/http-client.js";
import { json } from "../support/http-server.js";
import { observedHooks } from "../support/observed.js";
import { accounts } from "../support/records.js";
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
])("the request id is undefined if the server sends %s", async (_, id) => {
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

test("a completion of unknown outcome has the request id of the unclear answer", async () => {
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

test("a page has the id of the request that read it, in either direction and even if a limit cuts the page", async () => {
  const page = { nodes: [{ id: "a" }, { id: "b" }], totalCount: 2, pageInfo: {} };
  const { client } = await connectClient((_, response, index) => {
    const pageInfo = {
      hasNextPage: index === 0,
      hasPreviousPage: index === 2,
      endCursor: "c",
      startCursor: "c",
    };
    const body = { data: { applications: { ...page, pageInfo } } };
    json(response, body, index === 4 ? {} : { headers: { "x-request-id": `r-${index}` } });
  });
  const idsOf = async (pages: AsyncIterable<{ readonly requestId: string | undefined }>) => {
    const ids: (string | undefined)[] = [];
    for await (const { requestId } of pages) ids.push(requestId);
    return ids;
  };
  expect(await idsOf(client.applications().pages())).toEqual(["r-0", "r-1"]);
  expect(await idsOf(client.applications({ from: "end", limit: 3 }).pages())).toEqual(["r-2", "r-3"]);
  expect((await client.applications().firstPage()).requestId).toBeUndefined();
  expect(await client.applications({ limit: 1 }).firstPage()).toMatchObject({
    nodes: [{ id: "a" }],
    requestId: "r-5",
  });
});

test("a response event gives access to every header, but never to a key that the server echoes there", async () => {
  const { hooks, responses, requests } = observedHooks();
  const { client } = await connectClient((_, response, index) => {
    const headers = { "x-ray": `ray-${index}`, "x-echo": `seen ${API_KEY}` };
    json(response, { data: { ok: true } }, { status: index === 0 ? 400 : 200, headers });
  }, hooks);
  await rejection(client.request(QUERY, {}));
  await client.request(QUERY, {});
  expect(responses.map(({ header }) => header?.("X-Ray"))).toEqual(["ray-0", "ray-1"]);
  expect(responses[0]?.header?.("x-echo")).toBe("seen [redacted]");
  expect(responses[0]?.header?.("x-none")).toBeUndefined();
  expect(requests[0]?.header).toBeUndefined();
  expect(structuredClone(responses[0])).toMatchObject({ type: "response" });
});

test("a response event of the Sync API gives access to metadata and trailers, once there is an answer", async () => {
  const { hooks, responses } = observedHooks();
  const metadata = new Metadata();
  metadata.set("x-ray", "ray-1");
  harness.server.scripts.StartSyncBatch.push({ code: 7, details: "no", metadata });
  await rejection(harness.startBatch(hooks));
  expect(responses[0]?.header?.("x-ray")).toBe("ray-1");
  expect(responses[0]?.header?.("content-type")).toMatch(/^application\/grpc/);
  const nowhere = { ...hooks, endpoint: "http://127.0.0.1:1", retry: false } as const;
  await rejection(harness.startBatch(nowhere));
  expect(responses[1]?.header?.("x-ray")).toBeUndefined();
});
