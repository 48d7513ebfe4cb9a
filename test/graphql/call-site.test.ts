import { type GraphQLClient, TimeoutError, TransportError } from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { connectClient, passPause, rejection } from "../support/http-client.js";
import { answer, json } from "../support/http-server.js";
import { NEW_CASE } from "../support/records.js";
import { expectStack } from "../support/stacks.js";

const QUERY = "query Names { applications { nodes { id } } }";
const FILE = "call-site.test.ts";

type Call = (client: GraphQLClient) => Promise<unknown>;

async function userProgram(client: GraphQLClient, call: Call): Promise<unknown> {
  return await call(client);
}

/** Does not await, so that the engine has no async stack. */
function userProgramWithoutAwait(client: GraphQLClient, call: Call): Promise<unknown> {
  return call(client).then(
    () => undefined,
    (error: unknown) => error,
  );
}

const calls: readonly (readonly [string, Call])[] = [
  ["request", (client) => client.request(QUERY, {})],
  ["rawRequest", (client) => client.rawRequest(QUERY, {})],
  ["createProcurementCase", (client) => client.createProcurementCase(NEW_CASE)],
  ["updateProcurementCase", (client) => client.updateProcurementCase({ id: "c1" })],
  ["changeVendorsState", (client) => client.changeVendorsState({ state: "ARCHIVED" }, "all")],
  ["previewVendorsState", (client) => client.previewVendorsState({ state: "ARCHIVED" }, "all")],
  ["firstPage", (client) => client.applications().firstPage()],
  ["toArray", (client) => client.applications().toArray()],
  ["totalCount", (client) => client.applications().totalCount()],
];

test.each(calls)("adds the caller to the stack of an error of %s", async (_, call) => {
  const { client } = await connectClient(answer({}, { status: 400 }));
  expectStack(await rejection(userProgram(client, call)), FILE, "userProgram");
  expectStack(await userProgramWithoutAwait(client, call), FILE, "userProgramWithoutAwait");
});

test("adds the caller to the stack of a timeout", async () => {
  const { client, clock, server } = await connectClient(() => {});
  const error = rejection(userProgram(client, (graphql) => graphql.request(QUERY, {})));
  await server.arrived(1);
  clock.advance(100_000);
  expect(await error).toBeInstanceOf(TimeoutError);
  expectStack(await error, FILE, "userProgram");
});

test("adds the caller to the stack of a network failure, and after a retry", async () => {
  const { client, clock } = await connectClient((_, response, index) =>
    index === 0 ? json(response, {}, { status: 503 }) : response.destroy(),
  );
  const options = { retry: { retries: 1 } };
  const error = rejection(userProgram(client, (graphql) => graphql.request(QUERY, {}, options)));
  await passPause(clock);
  expect(await error).toBeInstanceOf(TransportError);
  expect(await error).toMatchObject({ attempts: 2 });
  expectStack(await error, FILE, "userProgram");
});
