import { type GraphQLClient, InvalidInputError } from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { answer } from "../support/http-server.js";

const ARCHIVED = { state: "ARCHIVED" };
const OK = answer({ data: { ok: true } });
type Method = "applications" | "licenses" | "licensePlans" | "createProcurementCase" | "changeVendorsState";

/** Calls a method as JavaScript can. */
const call = async (client: GraphQLClient, method: Method, ...args: readonly unknown[]) =>
  Reflect.apply(client[method], client, args);

test.each<[path: string, method: Method, ...args: unknown[]]>([
  ["where.state.activity.eq", "licenses", { where: { state: { activity: { eq: undefined } } } }],
  ["where.state.activity", "licenses", { where: { state: { activity: undefined } } }],
  ["where.or[1].id.in", "applications", { where: { or: [{}, { id: { in: undefined, eq: undefined } }] } }],
  ["where.vendor.name.eq", "changeVendorsState", ARCHIVED, { vendor: { name: { eq: undefined } } }],
])("rejects %s of %s before anything is sent if nothing is set beside it", async (path, method, ...args) => {
  const { client, server } = await connectClient(OK);
  const error = await rejection(call(client, method, ...args));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ issues: [{ path }] });
  expect(server.requests).toEqual([]);
});

test.each<[Method, ...unknown[]]>([
  ["licenses", { where: undefined, order: null }],
  ["licenses", { where: { state: undefined }, order: { id: undefined } }],
  ["licenses", { where: { state: { activity: { eq: "USED", neq: undefined } }, holder: null } }],
  ["applications", { where: { state: { eq: "A_STATE_OF_A_LATER_VERSION" }, and: { id: { in: ["a"] } } } }],
])("leaves to the service what it may know better: %s %j", async (method, ...args) => {
  const { client } = await connectClient(OK);
  await expect(call(client, method, ...args)).resolves.toBeDefined();
});

test("does not check the caller's own documents", async () => {
  const { client, server } = await connectClient(OK);
  await client.request("mutation Own($input: OwnInput) { own(input: $input) }", { input: { nam: 1 } });
  expect(server.requests[0]?.body.variables).toEqual({ input: { nam: 1 } });
});
