import { readFileSync } from "node:fs";
import { SaasManagementClient } from "@saas-management/sdk";
import { buildSchema, introspectionFromSchema } from "graphql";
import { expect, onTestFinished, test } from "vitest";
import { schemaType } from "../support/adopted.js";
import { testService } from "../support/test-service.js";

const service = testService();
const LICENSE_FILTER = schemaType("LicenseFilter");

/** A client of a service that answers with what `respond` returns. */
function clientOf(data: unknown): SaasManagementClient {
  const fetch = async () => Response.json({ data });
  const client = new SaasManagementClient({ baseUrl: "https://api.example.com", apiKey: "key-1", fetch });
  onTestFinished(() => client.close());
  return client;
}

test("finds every operation valid at the reference server", async () => {
  const report = await service.client().checkContract();
  expect(report).toMatchObject({ ok: true, problems: [] });
  expect(String(report)).toBe("Every GraphQL operation is valid.");
});

test("names the operations that another schema refuses, with the nearest field", async () => {
  const schema = readFileSync("schema/schema.graphql", "utf8")
    .replaceAll(/\blastUsed\b/g, "lastUsedOn")
    .replaceAll(new RegExp(`\\b${LICENSE_FILTER}\\b`, "g"), "OtherLicenseFilter");
  const report = await clientOf(introspectionFromSchema(buildSchema(schema))).checkContract();
  expect(report.ok).toBe(false);
  expect(report.problems).toEqual([
    {
      operation: "Applications",
      field: "lastUsed",
      message: expect.stringContaining('"lastUsedOn"'),
    },
    {
      operation: "Licenses",
      field: LICENSE_FILTER,
      message: expect.stringContaining(LICENSE_FILTER),
    },
  ]);
  expect(String(report)).toMatch(/^Applications: .*\nLicenses: /);
});

test("refuses an answer that is not a schema", async () => {
  const report = clientOf({ __schema: { types: [] } }).checkContract();
  await expect(report).rejects.toMatchObject({
    code: "TRANSPORT_FAILED",
    message: expect.stringContaining("isn't a schema"),
  });
});

test("keeps fields, enum values and union members of a newer service", async () => {
  const node = {
    id: "a1",
    state: "ADDED_LATER",
    application: { id: "p1", name: "Docs", addedLater: { deep: true } },
  };
  const page = { nodes: [node], pageInfo: { hasNextPage: false, endCursor: null }, totalCount: 1 };
  const applications = [];
  for await (const application of clientOf({ applications: page }).graphql.applications())
    applications.push(application);
  expect(applications).toEqual([node]);
  const payload = { updatedCount: null, errors: [{ __typename: "AddedLaterError", message: "no" }] };
  const changed = clientOf({ changeVendorsState: payload }).graphql.changeVendorsState(
    { state: "SANCTIONED" },
    "all",
  );
  await expect(changed).rejects.toMatchObject({
    code: "MUTATION_REJECTED",
    errors: [{ __typename: "AddedLaterError" }],
  });
});
