import {
  AuthenticationError,
  type GraphQLClient,
  GraphQLResponseError,
  isMutationError,
  MutationError,
  renewalBetween,
  sumByCurrency,
  TransportError,
} from "@saas-management/sdk/graphql";
import { type Portfolio, TestClock } from "@saas-management/sdk/reference-server";
import { describe, expect, test } from "vitest";
import { rejection, until } from "../support/promises.js";
import { testService } from "../support/test-service.js";

const TODAY = "2026-03-15T12:00:00Z";

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

const service = testService({
  server: { clock: new TestClock({ startAt: Date.parse(TODAY) }), portfolio },
  graphql: { clock: new TestClock() },
});

/** Syncs a snapshot of licenses with these ids, all of the plan Pro. */
async function syncLicenses(ids: readonly string[]): Promise<void> {
  const batch = await service.startBatch();
  const details = { model: "SEAT_BASED", seatBased: {} } as const;
  await batch.write("accounts", [{ generic: { id: "a1", email: "ada@example.com" } }]);
  await batch.write("plans", [
    { generic: { id: "p1", externalPlanName: "Pro", details } },
    { generic: { id: "p2", externalPlanName: "Basic", details } },
  ]);
  await batch.write(
    "licenses",
    ids.map((sourceId) => ({
      generic: { sourceId, sourceAccountId: "a1", sourcePlanId: "p1", billable: true },
    })),
  );
  await batch.complete();
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `l${String(from + index).padStart(3, "0")}`);

test("walks applications forward and backward, filtered and sorted", async () => {
  const { graphql: client } = service;
  const order = { application: { name: "ASC" } } as const;
  const names = async (args: Parameters<GraphQLClient["applications"]>[0]) =>
    (await client.applications(args).toArray()).map(({ application }) => application.name);
  expect(await names({ order, first: 2 })).toEqual(["Figma", "Miro", "Notion", "Slack", "Zoom"]);
  expect(await names({ order, last: 2 })).toEqual(["Zoom", "Slack", "Notion", "Miro", "Figma"]);
  expect(await names({ order, where: { application: { category: { name: { eq: "Design" } } } } })).toEqual([
    "Figma",
    "Miro",
  ]);
  expect(
    await names({
      order: [{ application: { category: { name: "DESC" } } }, { application: { name: "DESC" } }],
      where: {
        or: [{ state: { in: ["IN_REVIEW", "ARCHIVED"] } }, { owner: { name: { startsWith: "A" } } }],
      },
    }),
  ).toEqual(["Notion", "Figma", "Zoom"]);
});

test("reads all fields of an application", async () => {
  const { graphql: client } = service;
  const page = await client.applications({ where: { application: { name: { eq: "Figma" } } } }).firstPage();
  expect(page.totalCount).toBe(1);
  expect(page.nodes).toEqual([
    {
      id: expect.any(String),
      state: "SANCTIONED",
      portfolioType: null,
      lastUsed: null,
      application: {
        id: expect.any(String),
        name: "Figma",
        vendorName: "Figma",
        category: { name: "Design" },
      },
      owner: { id: "o1", name: "Ada" },
      userCountStat: { all: 0, last30Days: 0 },
    },
  ]);
});

test("continues a walk from a cursor in another client", async () => {
  const { graphql: client } = service;
  const order = { application: { name: "ASC" } } as const;
  const { pageInfo } = await client.applications({ order, first: 3 }).firstPage();
  const rest = await service.graphqlClient({}).applications({ order, after: pageInfo.endCursor }).toArray();
  expect(rest.map(({ application }) => application.name)).toEqual(["Slack", "Zoom"]);
});

test("rejects an invalid cursor", async () => {
  const { graphql: client } = service;
  const error = await rejection(client.applications({ after: "nonsense" }).firstPage());
  expect(error).toBeInstanceOf(GraphQLResponseError);
});

test("hides the applications of another workspace", async () => {
  const { server } = service;
  const apiKey = server.createApiKey({ workspace: server.createWorkspace("Other") });
  expect(await service.graphqlClient({ apiKey }).applications().totalCount()).toBe(0);
});

test("reads licenses with prices, savings and state, and sums them exactly", async () => {
  const { graphql: client } = service;
  await syncLicenses(numbered(0, 3));
  const licenses = await client.licenses({ where: { state: { activity: { eq: "UNUSED" } } } }).toArray();
  expect(licenses).toHaveLength(3);
  expect(licenses[0]).toMatchObject({
    state: { __typename: "UnusedLicenseState", activity: "UNUSED", reason: expect.any(String) },
    holder: { email: "ada@example.com" },
    plan: { name: "Pro", integration: { name: "Custom integration" } },
    annualPrice: { amount: 144.1, currency: "EUR" },
  });
  const saving = (license: (typeof licenses)[number]) => license.potentialSaving;
  expect([...sumByCurrency(licenses, saving)]).toEqual([["EUR", "432.3"]]);
  expect([...(await sumByCurrency(client.licenses({ first: 2 }), saving))]).toEqual([["EUR", "432.3"]]);
});

test("finds plans by the days of their renewal, both included", async () => {
  const { graphql: client } = service;
  await syncLicenses([]);
  const names = async (from: string, to: string) =>
    (await client.licensePlans({ where: renewalBetween(from, to) }).toArray()).map(({ name }) => name);
  expect(await names("2026-03-15", "2026-06-13")).toEqual(["Pro"]);
  expect(await names("2026-05-01", "2026-05-01")).toEqual(["Pro"]);
  expect(await names("2026-05-02", "2027-04-30")).toEqual([]);
});

test("visits each license once while rows come and go between two pages", async () => {
  const { graphql: client } = service;
  await syncLicenses(numbered(0, 40));
  const met: string[] = [];
  const order = { id: "ASC" } as const;
  let page = 0;
  for await (const { nodes } of client.licenses({ first: 10, order }, { prefetch: false }).pages()) {
    met.push(...nodes.map(({ id }) => id.slice(id.indexOf("l0"))));
    page += 1;
    // Rows before, at and after the cursor go, and others come.
    if (page === 1) await syncLicenses([...numbered(5, 9), ...numbered(12, 45)]);
    if (page === 2) await syncLicenses([...numbered(0, 3), ...numbered(20, 60)]);
  }
  expect(new Set(met).size).toBe(met.length);
  expect(met).toEqual(expect.arrayContaining(numbered(20, 40)));
});

describe.each([
  ["forward", { first: 10 }, true],
  ["forward without prefetch", { first: 10 }, false],
  ["backward", { last: 10 }, true],
  ["backward without prefetch", { last: 10 }, false],
] as const)("licenses walked %s", (_, size, prefetch) => {
  test("visit each license once while rows come and go", async () => {
    const { graphql: client } = service;
    await syncLicenses(numbered(10, 50));
    const met: string[] = [];
    const order = { id: "ASC" } as const;
    let page = 0;
    for await (const { nodes } of client.licenses({ ...size, order }, { prefetch }).pages()) {
      met.push(...nodes.map(({ id }) => id.slice(id.indexOf("l0"))));
      page += 1;
      // The collection shrinks at both ends and around the cursors, then grows again.
      if (page === 1) await syncLicenses([...numbered(22, 28), ...numbered(31, 40)]);
      if (page === 2) await syncLicenses(numbered(0, 60));
    }
    expect(new Set(met).size).toBe(met.length);
    expect(met).toEqual(expect.arrayContaining([...numbered(22, 28), ...numbered(31, 40)]));
  });

  test("continue from the position of an error without a gap or a repetition", async () => {
    const { graphql: client, server } = service;
    await syncLicenses(numbered(0, 40));
    const order = { id: "ASC" } as const;
    const met: string[] = [];
    server.faults.add({ api: "graphql", nth: 3, kind: { type: "http", status: 500 } });
    let cursor: string | undefined;
    for (let walks = 0; walks < 2; walks++) {
      const from = "first" in size ? { ...size, after: cursor } : { ...size, before: cursor };
      try {
        for await (const { id } of client.licenses({ ...from, order }, { prefetch })) met.push(id);
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        expect(error.position?.nodesYielded).toBe(met.length);
        cursor = error.position?.cursor;
      }
    }
    expect(cursor).toEqual(expect.any(String));
    expect(met.map((id) => id.slice(id.indexOf("l0"))).sort()).toEqual(numbered(0, 40));
  });
});

test("creates, updates and completes a procurement case, which then rejects updates", async () => {
  const { graphql: client } = service;
  const opened = await client.createProcurementCase({
    name: "Figma renewal",
    state: "PRE",
    deadline: "2026-12-31",
    baselineType: "LAST_YEAR_COST",
    baselinePrice: 1000,
  });
  expect(opened).toMatchObject({ name: "Figma renewal", state: "PRE" });
  const changed = await client.updateProcurementCase({ id: opened.id, baselinePrice: 899.5 });
  expect(changed).toMatchObject({ savingAmount: 100.5, savingPercentage: 10.05 });
  await client.updateProcurementCase({ id: opened.id, state: "COMPLETED" });
  const error = await rejection(client.updateProcurementCase({ id: opened.id, name: "again" }));
  if (!isMutationError(error, "updateProcurementCase")) throw error;
  expect(error.errors.map((entry) => entry.__typename)).toEqual(["ProcurementCaseCompletedError"]);
});

test("reports a procurement case that does not exist or cannot be created", async () => {
  const { graphql: client } = service;
  expect(await client.safe.updateProcurementCase({ id: "none" })).toMatchObject({
    ok: false,
    errors: [{ __typename: "ProcurementCaseNotFoundError" }],
  });
  expect(await rejection(client.createProcurementCase({ name: " " }))).toBeInstanceOf(MutationError);
});

test("changes the state of matching vendors, or of all", async () => {
  const { graphql: client } = service;
  const where = { vendor: { name: { in: ["Salesforce", "Miro"] } } };
  expect(await client.changeVendorsState({ state: "SANCTIONED" }, where)).toEqual({ updatedCount: 2 });
  const sanctioned = client.applications({ where: { state: { eq: "SANCTIONED" } } });
  expect(await sanctioned.totalCount()).toBe(3);
  expect(await client.changeVendorsState({ state: "ARCHIVED" }, "all")).toEqual({ updatedCount: 5 });
  expect(await sanctioned.totalCount()).toBe(0);
  const refused = await client.safe.changeVendorsState({ state: "DISCOVERED" }, "all");
  expect(refused).toMatchObject({ ok: false, errors: [{ __typename: "ChangeVendorsStateError" }] });
});

test("rejects an unknown or revoked key with an AuthenticationError", async () => {
  const { server, graphql: client } = service;
  expect(
    await rejection(service.graphqlClient({ apiKey: "unknown" }).applications().toArray()),
  ).toBeInstanceOf(AuthenticationError);
  await client.applications().toArray();
  server.revokeApiKey(server.apiKey);
  expect(await rejection(client.applications().toArray())).toBeInstanceOf(AuthenticationError);
});

test("rejects a mutation with a key that may only read", async () => {
  const { server } = service;
  const reader = service.graphqlClient({ apiKey: server.createApiKey({ scope: "read" }) });
  expect(await reader.applications().totalCount()).toBe(5);
  expect(await rejection(reader.changeVendorsState({ state: "ARCHIVED" }, "all"))).toBeInstanceOf(
    AuthenticationError,
  );
});

test("rejects a document with an unknown field", async () => {
  const { graphql: client } = service;
  const error = await rejection(client.request("{ applications { nodes { nope } } }"));
  expect(error).toBeInstanceOf(GraphQLResponseError);
  expect(error).toMatchObject({ serverMessage: expect.stringContaining("nope") });
});

test("pages through a document of the caller", async () => {
  const { graphql: client } = service;
  const document = `query($first: Int, $after: String) {
      applications(first: $first, after: $after, order: { application: { name: ASC } }) {
        edges { node { application { name } } }
        pageInfo { hasNextPage endCursor }
      }
    }`;
  interface Names {
    readonly applications: {
      readonly edges: readonly { readonly node: { readonly application: { readonly name: string } } }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    };
  }
  const names = client.paginate(
    document,
    {},
    {
      pageSize: 2,
      select: ({ applications: { edges, pageInfo } }: Names) => ({
        nodes: edges.map(({ node }) => node.application.name),
        pageInfo,
      }),
    },
  );
  expect(await names.toArray()).toEqual(["Figma", "Miro", "Notion", "Slack", "Zoom"]);
});

test("retries a query page by page until a fault has passed", async () => {
  const { server } = service;
  server.faults.add({ api: "graphql", nth: 2, kind: { type: "http", status: 503 } });
  server.faults.add({ api: "graphql", nth: 3, kind: { type: "drop" } });
  const client = service.graphqlClient({ retry: { retries: 2, minDelayMs: 1, maxDelayMs: 1 } });
  expect(await client.applications({ first: 2 }).toArray()).toHaveLength(5);
});

test("reports a fault that hits a mutation, and sends nothing again", async () => {
  const { server, graphql: client } = service;
  const fault = server.faults.add({ api: "graphql", times: 2, kind: { type: "drop", at: "answer" } });
  const error = await rejection(client.createProcurementCase({ name: "Once" }));
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ retryable: false, attempts: 1 });
  expect(fault.firings).toBe(1);
});

test("reports an answer in HTML as a TransportError", async () => {
  const { server, graphql: client } = service;
  server.faults.add({ api: "graphql", kind: { type: "html" } });
  const error = await rejection(client.applications().toArray());
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", status: 200 });
});

test("ends a request that is held back with the caller's signal", async () => {
  const { server, graphql: client } = service;
  const fault = server.faults.add({ api: "graphql", kind: { type: "delay", ms: 60_000 } });
  const abort = new AbortController();
  const error = rejection(client.applications({}, { signal: abort.signal }).toArray());
  await until(() => fault.firings > 0);
  abort.abort("enough");
  expect(await error).toBe("enough");
});
