import { readFileSync } from "node:fs";
import { InvalidInputError, type VendorFilter } from "@saas-management/sdk/graphql";
import { assertInputObjectType, buildSchema } from "graphql";
import { expect, test } from "vitest";
import { applicationFilter } from "../../src/graphql/vendors.js";
import { testOfAssumedSchema } from "../support/adopted.js";
import { connectClient, rejection } from "../support/http-client.js";
import { answer } from "../support/http-server.js";
import { testService } from "../support/test-service.js";

const STATE = { state: "DISQUALIFIED" } as const;

/** 250 vendors; every fifth has two applications. */
const applications = Array.from({ length: 300 }, (_, index) => ({
  name: `App ${index}`,
  vendorName: `Vendor ${String(index % 250).padStart(3, "0")}`,
}));
const others = [
  { name: "Figma", state: "DISQUALIFIED" },
  { name: "Slack", vendorName: "Salesforce" },
  { name: "Salesforce" },
] as const;

const service = testService({ server: { portfolio: { applications: [...applications, ...others] } } });

const named = (name: NonNullable<VendorFilter["vendor"]>["name"]): VendorFilter => ({ vendor: { name } });

test.each<[matching: number, where: VendorFilter | "all"]>([
  [252, "all"],
  [1, named({ eq: "Salesforce" })],
  [0, named({ eq: "salesforce" })],
  [251, named({ neq: "Figma" })],
  [250, named({ startsWith: "Vendor " })],
  [2, named({ nstartsWith: "Vendor " })],
  [25, named({ endsWith: "7" })],
  [227, named({ nendsWith: "7" })],
  [81, named({ contains: " 1", ncontains: "5" })],
  [2, named({ in: ["Figma", "Vendor 001", "Nobody"] })],
  [250, named({ nin: ["Figma", "Salesforce"] })],
  [2, { or: [named({ eq: "Figma" }), { and: [named({ contains: "24" }), named({ endsWith: "9" })] }] }],
  [14, { vendor: { or: [{ name: { contains: "12" } }, { and: [{ name: { eq: "Salesforce" } }] }] } }],
])("lists the %i vendors that the change then reaches: %j", async (matching, where) => {
  const { graphql, server } = service;
  const reader = service.graphqlClient({ apiKey: server.createApiKey({ scope: "read" }) });
  const { count, vendorNames } = await reader.previewVendorsState(STATE, where);
  expect(count).toBe(matching);
  const before = await vendorsIn("DISQUALIFIED");
  const { updatedCount } = await graphql.changeVendorsState(STATE, where);
  expect(updatedCount).toBe(count);
  const after = await vendorsIn("DISQUALIFIED");
  expect([...new Set([...before, ...vendorNames])].sort()).toEqual(after);
});

test.each([
  ["a state that the service does not know", { state: "SANCTOINED" }],
  ["a state in another case", { state: "sanctioned" }],
])("the service refuses it just like the change: %s", async (_, input) => {
  const call = (name: "previewVendorsState" | "changeVendorsState") =>
    rejection(Reflect.apply(service.graphql[name], service.graphql, [input, named({ eq: "Figma" })]));
  const refused = { code: "GRAPHQL_ERRORS", errors: [{ extensions: { code: "HC0016" } }] };
  expect(await call("changeVendorsState")).toMatchObject(refused);
  expect(await call("previewVendorsState")).toMatchObject(refused);
});

test.each([
  ["none", undefined],
  ["null", null],
  ["an empty object", {}],
  ["a state that is undefined", { state: undefined }],
  ["an empty state", { state: "" }],
  ["the state alone", "SANCTIONED"],
])("sends neither the preview nor the change with this input: %s", async (_, input) => {
  const { client, server } = await connectClient(page());
  for (const call of [client.previewVendorsState, client.changeVendorsState])
    expect(await rejection(Reflect.apply(call, client, [input, "all"]))).toMatchObject({
      code: "INVALID_INPUT",
      issues: [{ path: "input.state" }],
    });
  expect(server.requests).toEqual([]);
});

test("sends one query about the state and one query per page, and nothing else", async () => {
  const operations: string[] = [];
  const client = service.graphqlClient({
    onEvent: ({ operation, type }) => void (type === "request" && operations.push(operation)),
  });
  await client.previewVendorsState(STATE, "all");
  expect(operations).toEqual(Array(5).fill("Applications"));
});

/** Answers with one page of applications of these vendors. */
const page = (...vendorNames: readonly (string | null)[]) => {
  const nodes = vendorNames.map((vendorName) => ({ application: { vendorName } }));
  const pageInfo = { hasNextPage: false, endCursor: null };
  return answer({ data: { applications: { nodes, pageInfo, totalCount: nodes.length } } });
};

test("does not count vendors if a matching application has a vendor without a name", async () => {
  const { client } = await connectClient(page("Zoom", null, "Acme", "Zoom"));
  const told = await client.previewVendorsState(STATE, named({ ncontains: "x" }));
  expect(told).toEqual({ count: undefined, vendorNames: ["Acme", "Zoom"] });
});

test("refuses what changeVendorsState refuses, and options of other methods, before sending anything", async () => {
  const { client, server } = await connectClient(page());
  const preview = async (...args: readonly unknown[]) =>
    Reflect.apply(client.previewVendorsState, client, args);
  for (const [path, ...args] of [
    ["where", STATE],
    ["where.vendor.name.in", STATE, named({ in: [] })],
    ["where.or[0].vendor.nmae", STATE, { or: [{ vendor: { nmae: { eq: "Zoom" } } }] }],
    ["where.vendor", STATE, { vendor: "Zoom" }],
  ] as const)
    expect(await rejection(preview(...args))).toMatchObject({ code: "INVALID_INPUT", issues: [{ path }] });
  expect(await rejection(preview(STATE, "all", { idempotent: true }))).toBeInstanceOf(InvalidInputError);
  expect(server.requests).toEqual([]);
});

testOfAssumedSchema("knows every field of a vendor filter", () => {
  const schema = buildSchema(readFileSync("schema/schema.graphql", "utf8"));
  const inputs = [schema.getType("VendorDiscoveryFilterInput"), schema.getType("VendorFilterInput")];
  for (const field of inputs.flatMap((input) => Object.keys(assertInputObjectType(input).getFields())))
    expect(applicationFilter({ [field]: {} }, "where"), field).toBeDefined();
  expect(applicationFilter({ or: [{ vendor: { and: [{ name: { in: ["a"] } }] } }] }, "where")).toEqual({
    or: [{ application: { and: [{ vendorName: { in: ["a"] } }] } }],
  });
});

async function vendorsIn(state: "DISQUALIFIED"): Promise<readonly (string | null)[]> {
  const nodes = await service.graphql.applications({ where: { state: { eq: state } } }).toArray();
  return [...new Set(nodes.map(({ application }) => application.vendorName))].sort();
}
