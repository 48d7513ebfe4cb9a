import { type GraphQLClient, InvalidInputError } from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { answer } from "../support/http-server.js";

const OK = answer({ data: { ok: true } });
type Method = "applications" | "licenses" | "licensePlans" | "createProcurementCase" | "changeVendorsState";

/** Calls a method as JavaScript can. */
const call = async (client: GraphQLClient, method: Method, ...args: readonly unknown[]) =>
  Reflect.apply(client[method], client, args);

test.each<[path: string, nearest: string | undefined, method: Method, ...args: unknown[]]>([
  ["input.nam", "name", "createProcurementCase", { nam: "Renewal" }],
  ["input.baseline_price", "baselinePrice", "createProcurementCase", { name: "x", baseline_price: 1 }],
  ["input.nothingLikeIt", undefined, "createProcurementCase", { name: "x", nothingLikeIt: 1 }],
  ["input.name", undefined, "createProcurementCase", { name: undefined }],
  ["input.name", undefined, "createProcurementCase", {}],
  ["input", undefined, "createProcurementCase"],
  ["input.stat", "state", "changeVendorsState", { stat: "ARCHIVED" }, "all"],
  ["where.vendr", "vendor", "changeVendorsState", { state: "ARCHIVED" }, { vendr: { name: { eq: "Acme" } } }],
  ["where.sate", "state", "licenses", { where: { sate: { activity: { eq: "USED" } } } }],
  ["where.sate", "state", "licenses", { where: { sate: undefined } }],
  ["where.state.activity.EQ", "eq", "licenses", { where: { state: { activity: { EQ: "USED" } } } }],
  ["where.state.activity.equals", undefined, "licenses", { where: { state: { activity: { equals: "x" } } } }],
  ["where.state.activity.eq", undefined, "licenses", { where: { state: { activity: { eq: undefined } } } }],
  ["where.state.activity", undefined, "licenses", { where: { state: { activity: undefined } } }],
  ["where.state", undefined, "applications", { where: { state: "SANCTIONED" } }],
  [
    "where.or[1].application.nme",
    "name",
    "applications",
    { where: { or: [{}, { application: { nme: {} } }] } },
  ],
  ["order.contractDetail", "contractDetails", "licensePlans", { order: { contractDetail: {} } }],
  ["order[1].ID", "id", "licensePlans", { order: [{ name: "ASC" }, { ID: "ASC" }] }],
])("rejects %s (nearest: %s) of %s before anything is sent", async (path, nearest, method, ...args) => {
  const { client, server } = await connectClient(OK);
  const error = await rejection(call(client, method, ...args));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ issues: [{ path }] });
  const hint = nearest === undefined ? expect.not.stringContaining("Did you mean") : undefined;
  expect(error).toMatchObject({ message: hint ?? expect.stringContaining(`Did you mean ${nearest}?`) });
  expect(server.requests).toEqual([]);
});

test.each<[Method, ...unknown[]]>([
  ["licenses", { where: undefined, order: null }],
  ["licenses", { where: { state: undefined }, order: { id: undefined } }],
  ["licenses", { where: { state: { activity: { eq: "USED", neq: undefined } }, holder: null } }],
  ["applications", { where: { state: { eq: "A_STATE_OF_A_LATER_VERSION" }, and: { id: { in: ["a"] } } } }],
])("sends what the service may know better: %s %j", async (method, ...args) => {
  const { client } = await connectClient(OK);
  await expect(call(client, method, ...args)).resolves.toBeDefined();
});

test("does not check documents of the caller", async () => {
  const { client, server } = await connectClient(OK);
  await client.request("mutation Own($input: OwnInput) { own(input: $input) }", { input: { nam: 1 } });
  expect(server.requests[0]?.body.variables).toEqual({ input: { nam: 1 } });
});

test("does not show a key that is not a name", async () => {
  const { client } = await connectClient(OK);
  const error = await rejection(call(client, "licenses", { where: { "sk-canary 1": {} } }));
  expect(String(error)).not.toContain("canary");
});
