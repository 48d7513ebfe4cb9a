import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { GraphQLClient, TimeoutError, TransportError } from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";
import { API_KEY, connectClient, passPause, rejection } from "../support/http-client.js";
import { pageOf, servePage } from "../support/http-pages.js";
import { json, type Responder, startHttpServer } from "../support/http-server.js";
import { expectStack } from "../support/stacks.js";

const QUERY = "query Names { applications { nodes { id } } }";
const FILE = "call-site.test.ts";
const refuses: Responder = (_, response) => json(response, {}, { status: 400 });
const silent: Responder = () => {};

type Call = (client: GraphQLClient) => Promise<unknown>;

/** The function whose name is looked for: no other leads from the test to the SDK. */
async function programOfTheUser(client: GraphQLClient, call: Call): Promise<unknown> {
  return await call(client);
}

/** Does not await, as a program that goes on with then and catch. */
function programWithoutAwait(client: GraphQLClient, call: Call): Promise<unknown> {
  return call(client).then(
    () => undefined,
    (error: unknown) => error,
  );
}

const calls: readonly (readonly [string, Call])[] = [
  ["request", (client) => client.request(QUERY)],
  ["rawRequest", (client) => client.rawRequest(QUERY)],
  ["createProcurementCase", (client) => client.createProcurementCase({ name: "Renewal" })],
  ["updateProcurementCase", (client) => client.updateProcurementCase({ id: "c1" })],
  ["changeVendorsState", (client) => client.changeVendorsState({ state: "ARCHIVED" }, "all")],
  ["safe.createProcurementCase", (client) => client.safe.createProcurementCase({ name: "Renewal" })],
  ["firstPage", (client) => client.applications().firstPage()],
  ["toArray", (client) => client.applications().toArray()],
  ["totalCount", (client) => client.applications().totalCount()],
  ["next of nodes", (client) => client.applications()[Symbol.asyncIterator]().next()],
  ["next of pages", (client) => client.applications().pages().next()],
];

describe.each(calls)("the stack of a rejected %s", (_, call) => {
  it("leads to the function that made the call", async () => {
    const { client } = await connectClient(refuses);
    expectStack(await rejection(programOfTheUser(client, call)), FILE, "programOfTheUser");
  });

  it("leads there where nobody awaits the call", async () => {
    const { client } = await connectClient(refuses);
    expectStack(await programWithoutAwait(client, call), FILE, "programWithoutAwait");
  });

  it("leads there from the timer that ended it", async () => {
    const { client, clock, server } = await connectClient(silent);
    const error = rejection(programOfTheUser(client, call));
    await server.arrived(1);
    clock.advance(100_000);
    expect(await error).toBeInstanceOf(TimeoutError);
    expectStack(await error, FILE, "programOfTheUser");
  });
});

describe("the stack", () => {
  it("leads to the caller after a retry", async () => {
    const { client, clock } = await connectClient((_, response, index) =>
      json(response, {}, { status: index === 0 ? 503 : 400 }),
    );
    const error = rejection(programOfTheUser(client, (graphql) => graphql.request(QUERY)));
    await passPause(clock);
    expect(await error).toMatchObject({ attempts: 2 });
    expectStack(await error, FILE, "programOfTheUser");
  });

  it("leads to the caller from the callback of a network failure", async () => {
    const { client } = await connectClient((_, response) => response.destroy(), { retry: false });
    const error = await rejection(programOfTheUser(client, (graphql) => graphql.request(QUERY)));
    expect(error).toBeInstanceOf(TransportError);
    expectStack(error, FILE, "programOfTheUser");
  });

  it.each([true, false])("leads to the loop whose later page failed (prefetch: %j)", async (prefetch) => {
    const { client } = await connectClient((request, response, index) =>
      index < 2 ? servePage(response, pageOf(10, request)) : refuses(request, response, index),
    );
    async function loopOfTheUser() {
      for await (const _ of client.applications({ first: 2 }, { prefetch }));
    }
    async function pagesOfTheUser() {
      for await (const _ of client.applications({ first: 2 }, { prefetch }).pages());
    }
    expectStack(await rejection(loopOfTheUser()), FILE, "loopOfTheUser");
    expectStack(await rejection(pagesOfTheUser()), FILE, "pagesOfTheUser");
  });

  it("leads to the caller of a mutation that the service refused", async () => {
    const errors = [{ __typename: "ProcurementCaseCreationError", message: "no" }];
    const { client } = await connectClient((_, response) =>
      json(response, { data: { createProcurementCase: { case: null, errors } } }),
    );
    const call: Call = (graphql) => graphql.createProcurementCase({ name: "Renewal" });
    expectStack(await programWithoutAwait(client, call), FILE, "programWithoutAwait");
  });

  it("of an error that is not the SDK's stays as it is", async () => {
    const reason = new Error("changed my mind");
    const { stack } = reason;
    const client = new GraphQLClient({ baseUrl: "https://api.example.com", apiKey: API_KEY });
    const call: Call = (graphql) => graphql.request(QUERY, {}, { signal: AbortSignal.abort(reason) });
    expect(await rejection(programOfTheUser(client, call))).toBe(reason);
    expect(reason.stack).toBe(stack);
  });
});

it("an engine without Error.captureStackTrace gets the same errors, with their own stacks", async () => {
  const script = fileURLToPath(new URL("../support/no-stack-capture-script.ts", import.meta.url));
  const { baseUrl } = await startHttpServer(refuses);
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", script, baseUrl], {
    timeout: 60_000,
  });
  const refused = ["TRANSPORT_FAILED", true];
  expect(JSON.parse(stdout)).toEqual({ told: [refused, refused, refused, refused], captures: false });
});
