import {
  AuthenticationError,
  GraphQLResponseError,
  sumByCurrency,
  TransportError,
} from "@saas-management/sdk/graphql";
import { type Portfolio, TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { rejection } from "../support/http-client.js";
import { license, plan } from "../support/records.js";
import { testService } from "../support/test-service.js";

const portfolio: Portfolio = {
  applications: [
    { name: "Figma", category: "Design", state: "SANCTIONED", owner: { id: "o1", name: "Ada" } },
    { name: "Miro", category: "Design" },
    { name: "Notion", category: "Docs", state: "IN_REVIEW" },
    { name: "Slack", vendorName: "Salesforce", category: "Chat" },
    { name: "Zoom", category: "Chat", state: "ARCHIVED" },
  ],
  planPrices: [
    { planName: "Pro", annualPricePerSeat: "144.10", currency: "EUR" },
    { planName: "Basic", annualPricePerSeat: "0.20", currency: "USD" },
  ],
  contracts: [
    { planName: "Pro", renewal: { upcomingDate: { value: "2026-05-01", origin: "MANUAL" } } },
    { planName: "Basic", renewal: { upcomingDate: { value: "2027-05-01", origin: "INTEGRATION" } } },
  ],
};

const clock = new TestClock({ startAt: new Date(Date.parse("2026-03-15T12:00:00Z")) });
const service = testService({ server: { clock, portfolio } });

/** Syncs a snapshot of licenses with these ids, all of them for the plan Pro. */
async function syncLicenses(ids: readonly string[]): Promise<void> {
  const batch = await service.startBatch();
  await batch.write("accounts", [{ id: "a1", email: "ada@example.com" }]);
  await batch.write("plans", [plan("p1", "Pro"), plan("p2", "Basic")]);
  await batch.write(
    "licenses",
    ids.map((id) => license(id, "a1")),
  );
  await batch.complete();
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `l${String(from + index).padStart(3, "0")}`);

/** The id that a license was synced with. */
const sourceId = ({ id }: { readonly id: string }) => id.slice(id.indexOf("l0"));

const byName = { application: { name: "ASC" } } as const;

test("continues from a cursor in another client, and rejects a cursor that the service never gave", async () => {
  const { pageInfo } = await service.graphql.applications({ order: byName, pageSize: 3 }).firstPage();
  const other = service.graphqlClient();
  const cursor = pageInfo.endCursor ?? undefined;
  const rest = await other.applications({ order: byName, cursor }).toArray();
  expect(rest.map(({ application }) => application.name)).toEqual(["Slack", "Zoom"]);
  expect(await rejection(other.applications({ cursor: "nonsense" }).firstPage())).toBeInstanceOf(
    GraphQLResponseError,
  );
});

test("reads licenses with prices, savings and state, and sums them exactly", async () => {
  await syncLicenses(numbered(0, 3));
  const unused = { state: { activity: { eq: "UNUSED" } } } as const;
  const licenses = await service.graphql.licenses({ where: unused }).toArray();
  expect(licenses).toHaveLength(3);
  expect(licenses[0]).toMatchObject({
    state: { __typename: "UnusedLicenseState", activity: "UNUSED", reason: expect.any(String) },
    holder: { email: "ada@example.com" },
    plan: { name: "Pro", integration: { name: "Custom integration" } },
    annualPrice: { amount: 144.1, currency: "EUR" },
  });
  const saving = (license: (typeof licenses)[number]) => license.potentialSaving;
  expect([...(await sumByCurrency(licenses, saving))]).toEqual([["EUR", "432.3"]]);
  expect([...(await sumByCurrency(service.graphql.licenses({ pageSize: 2 }), saving))]).toEqual([
    ["EUR", "432.3"],
  ]);
});

const walks = [
  ["forward", { pageSize: 10 }, true],
  ["forward without prefetch", { pageSize: 10 }, false],
  ["backward", { from: "end", pageSize: 10 }, true],
  ["backward without prefetch", { from: "end", pageSize: 10 }, false],
] as const;

test.each(walks)("yields rows that exist throughout exactly once, reading %s", async (_, size, prefetch) => {
  await syncLicenses(numbered(10, 50));
  const met: string[] = [];
  let page = 0;
  for await (const { nodes } of service.graphql
    .licenses({ ...size, order: { id: "ASC" }, prefetch })
    .pages()) {
    met.push(...nodes.map(sourceId));
    page += 1;
    // The collection shrinks at both ends and around the cursors, then grows again.
    if (page === 1) await syncLicenses([...numbered(22, 28), ...numbered(31, 40)]);
    if (page === 2) await syncLicenses(numbered(0, 60));
  }
  expect(new Set(met).size).toBe(met.length);
  expect(met).toEqual(expect.arrayContaining([...numbered(22, 28), ...numbered(31, 40)]));
});

test.each(walks)(
  "continues from the position of an error without gap or repetition, reading %s",
  async (_, size, prefetch) => {
    await syncLicenses(numbered(0, 40));
    const met: string[] = [];
    service.server.faults.add({ on: "graphql", nth: 3, fault: "http", status: 500 });
    let cursor: string | undefined;
    for (let walk = 0; walk < 2; walk++) {
      const licenses = service.graphql.licenses({ ...size, cursor, order: { id: "ASC" }, prefetch });
      try {
        for await (const license of licenses) met.push(sourceId(license));
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        expect(error.position?.nodesYielded).toBe(met.length);
        cursor = error.position?.cursor;
      }
    }
    expect(cursor).toEqual(expect.any(String));
    expect(met.sort()).toEqual(numbered(0, 40));
  },
);

test("rejects an unknown or revoked key, and a mutation with a key that may only read", async () => {
  const { server, graphql } = service;
  const stranger = service.graphqlClient({ apiKey: "unknown" });
  expect(await rejection(stranger.applications().toArray())).toBeInstanceOf(AuthenticationError);
  await graphql.applications().toArray();
  const reader = service.graphqlClient({ apiKey: server.createApiKey({ scope: "read" }) });
  server.revokeApiKey(server.apiKey);
  expect(await rejection(graphql.applications().toArray())).toBeInstanceOf(AuthenticationError);
  const refused = () => rejection(reader.changeVendorsState({ state: "ARCHIVED" }, "all"));
  // As long as no request has succeeded, the key may also be unknown, so the message names both causes.
  expect(await refused()).toMatchObject({
    code: "AUTHENTICATION_FAILED",
    message: expect.stringMatching(/unknown or revoked, or its permission scope/),
  });
  expect(await reader.applications().totalCount()).toBe(5);
  expect(await refused()).toMatchObject({ code: "PERMISSION_DENIED" });
});
