import {
  AuthenticationError,
  GraphQLClient,
  type GraphQLClientOptions,
  GraphQLResponseError,
  isMutationError,
  MutationError,
  renewalBetween,
  sumByCurrency,
  TransportError,
} from "@saas-management/sdk/graphql";
import {
  type Portfolio,
  type ReferenceServer,
  type ReferenceServerOptions,
  startReferenceServer,
  TestClock,
} from "@saas-management/sdk/reference-server";
import { SyncClient } from "@saas-management/sdk/sync";
import { describe, expect, it, onTestFinished } from "vitest";
import { passPause, rejection } from "../support/http-client.js";

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

interface Setup {
  readonly server: ReferenceServer;
  readonly client: GraphQLClient;
  /** Another client of the same server. */
  connect(options: Partial<GraphQLClientOptions>): GraphQLClient;
}

async function start(options: ReferenceServerOptions = {}): Promise<Setup> {
  const clock = new TestClock({ startAt: Date.parse(TODAY) });
  const server = await startReferenceServer({ clock, portfolio, ...options });
  onTestFinished(() => server.close());
  const connect = (own: Partial<GraphQLClientOptions>) => {
    const client = new GraphQLClient({ baseUrl: server.baseUrl, apiKey: server.apiKey, ...own });
    onTestFinished(() => client.close());
    return client;
  };
  return { server, client: connect({}), connect };
}

/** Puts a snapshot of licenses with these ids into the installation, all of the plan Pro. */
async function syncLicenses(server: ReferenceServer, ids: readonly string[]): Promise<void> {
  const sync = new SyncClient({ endpoint: server.syncUrl, apiKey: server.apiKey });
  const batch = await sync.startBatch({ installationId: server.installationId });
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
  await sync.close();
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `l${String(from + index).padStart(3, "0")}`);

describe("applications of the reference server", () => {
  it("are walked forward and backward, filtered and sorted", async () => {
    const { client } = await start();
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

  it("have all the fields of the description", async () => {
    const { client } = await start();
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

  it("can be walked on from a cursor in another client", async () => {
    const { client, connect } = await start();
    const order = { application: { name: "ASC" } } as const;
    const { pageInfo } = await client.applications({ order, first: 3 }).firstPage();
    const rest = await connect({}).applications({ order, after: pageInfo.endCursor }).toArray();
    expect(rest.map(({ application }) => application.name)).toEqual(["Slack", "Zoom"]);
  });

  it("refuse a cursor that is none", async () => {
    const { client } = await start();
    const error = await rejection(client.applications({ after: "nonsense" }).firstPage());
    expect(error).toBeInstanceOf(GraphQLResponseError);
  });

  it("of another workspace are not seen", async () => {
    const { server, connect } = await start();
    const apiKey = server.createApiKey({ workspace: server.createWorkspace("Other") });
    expect(await connect({ apiKey }).applications().totalCount()).toBe(0);
  });
});

describe("licenses and plans that were synced", () => {
  it("are read with prices, savings and state, and summed exactly", async () => {
    const { client, server } = await start();
    await syncLicenses(server, numbered(0, 3));
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

  it("are found by the days of their renewal, both included", async () => {
    const { client, server } = await start();
    await syncLicenses(server, []);
    const names = async (from: string, to: string) =>
      (await client.licensePlans({ where: renewalBetween(from, to) }).toArray()).map(({ name }) => name);
    expect(await names("2026-03-15", "2026-06-13")).toEqual(["Pro"]);
    expect(await names("2026-05-01", "2026-05-01")).toEqual(["Pro"]);
    expect(await names("2026-05-02", "2027-04-30")).toEqual([]);
  });

  it("are met once each while rows come and go between two pages, if they are there throughout", async () => {
    const { client, server } = await start();
    await syncLicenses(server, numbered(0, 40));
    const met: string[] = [];
    const order = { id: "ASC" } as const;
    let page = 0;
    for await (const { nodes } of client.licenses({ first: 10, order }, { prefetch: false }).pages()) {
      met.push(...nodes.map(({ id }) => id.slice(id.indexOf("l0"))));
      page += 1;
      // Rows before, at and after the cursor go, and others come.
      if (page === 1) await syncLicenses(server, [...numbered(5, 9), ...numbered(12, 45)]);
      if (page === 2) await syncLicenses(server, [...numbered(0, 3), ...numbered(20, 60)]);
    }
    expect(new Set(met).size).toBe(met.length);
    expect(met).toEqual(expect.arrayContaining(numbered(20, 40)));
  });
});

describe.each([
  ["forward", { first: 10 }, true],
  ["forward without prefetch", { first: 10 }, false],
  ["backward", { last: 10 }, true],
  ["backward without prefetch", { last: 10 }, false],
] as const)("licenses walked %s", (_, size, prefetch) => {
  it("while rows come and go are met once each, if they are there throughout", async () => {
    const { client, server } = await start();
    await syncLicenses(server, numbered(10, 50));
    const met: string[] = [];
    const order = { id: "ASC" } as const;
    let page = 0;
    for await (const { nodes } of client.licenses({ ...size, order }, { prefetch }).pages()) {
      met.push(...nodes.map(({ id }) => id.slice(id.indexOf("l0"))));
      page += 1;
      // The collection shrinks at both ends and around the cursors, then grows again.
      if (page === 1) await syncLicenses(server, [...numbered(22, 28), ...numbered(31, 40)]);
      if (page === 2) await syncLicenses(server, numbered(0, 60));
    }
    expect(new Set(met).size).toBe(met.length);
    expect(met).toEqual(expect.arrayContaining([...numbered(22, 28), ...numbered(31, 40)]));
  });

  it("go on from the position of an error without a gap or a repetition", async () => {
    const { client, server } = await start();
    await syncLicenses(server, numbered(0, 40));
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

describe("the mutations of the reference server", () => {
  it("open a case, change it, complete it, and then refuse to change it", async () => {
    const { client } = await start();
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

  it("tell a case that does not exist, and one that cannot be created", async () => {
    const { client } = await start();
    expect(await client.safe.updateProcurementCase({ id: "none" })).toMatchObject({
      ok: false,
      errors: [{ __typename: "ProcurementCaseNotFoundError" }],
    });
    expect(await rejection(client.createProcurementCase({ name: " " }))).toBeInstanceOf(MutationError);
  });

  it("set the state of the vendors that match, or of all when it is said", async () => {
    const { client } = await start();
    const where = { vendor: { name: { in: ["Salesforce", "Miro"] } } };
    expect(await client.changeVendorsState({ state: "SANCTIONED" }, where)).toEqual({ updatedCount: 2 });
    const sanctioned = client.applications({ where: { state: { eq: "SANCTIONED" } } });
    expect(await sanctioned.totalCount()).toBe(3);
    expect(await client.changeVendorsState({ state: "ARCHIVED" }, "all")).toEqual({ updatedCount: 5 });
    expect(await sanctioned.totalCount()).toBe(0);
    const refused = await client.safe.changeVendorsState({ state: "DISCOVERED" }, "all");
    expect(refused).toMatchObject({ ok: false, errors: [{ __typename: "ChangeVendorsStateError" }] });
  });
});

describe("the credential", () => {
  it("that is unknown, or revoked, is an AuthenticationError", async () => {
    const { server, client, connect } = await start();
    expect(await rejection(connect({ apiKey: "unknown" }).applications().toArray())).toBeInstanceOf(
      AuthenticationError,
    );
    await client.applications().toArray();
    server.revokeApiKey(server.apiKey);
    expect(await rejection(client.applications().toArray())).toBeInstanceOf(AuthenticationError);
  });

  it("that may only read cannot run a mutation", async () => {
    const { server, connect } = await start();
    const reader = connect({ apiKey: server.createApiKey({ scope: "read" }) });
    expect(await reader.applications().totalCount()).toBe(5);
    expect(await rejection(reader.changeVendorsState({ state: "ARCHIVED" }, "all"))).toBeInstanceOf(
      AuthenticationError,
    );
  });
});

describe("own documents", () => {
  it("that ask for a field that there is not are a GraphQLResponseError", async () => {
    const { client } = await start();
    const error = await rejection(client.request("{ applications { nodes { nope } } }"));
    expect(error).toBeInstanceOf(GraphQLResponseError);
    expect(error).toMatchObject({ serverMessage: expect.stringContaining("nope") });
  });

  it("are paged", async () => {
    const { client } = await start();
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
});

describe("a fault of the server", () => {
  it("that passes is not noticed by a query, page for page", async () => {
    const { server, connect } = await start();
    const clock = new TestClock({ startAt: Date.parse(TODAY) });
    server.faults.add({ api: "graphql", nth: 2, kind: { type: "http", status: 503 } });
    server.faults.add({ api: "graphql", nth: 3, kind: { type: "drop" } });
    const nodes = connect({ clock }).applications({ first: 2 }).toArray();
    await passPause(clock);
    await passPause(clock);
    expect(await nodes).toHaveLength(5);
  });

  it("that hits a mutation is reported, and nothing is sent again", async () => {
    const { server, client } = await start();
    const fault = server.faults.add({ api: "graphql", times: 2, kind: { type: "drop", at: "answer" } });
    const error = await rejection(client.createProcurementCase({ name: "Once" }));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ retryable: false, attempts: 1 });
    expect(fault.firings).toBe(1);
  });

  it("that answers with HTML is a TransportError", async () => {
    const { server, client } = await start();
    server.faults.add({ api: "graphql", kind: { type: "html" } });
    const error = await rejection(client.applications().toArray());
    expect(error).toMatchObject({ code: "TRANSPORT_FAILED", status: 200 });
  });

  it("that holds a request back ends with the caller's signal", async () => {
    const { server, client } = await start();
    const fault = server.faults.add({ api: "graphql", kind: { type: "delay", ms: 60_000 } });
    const abort = new AbortController();
    const error = rejection(client.applications({}, { signal: abort.signal }).toArray());
    while (fault.firings === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort("enough");
    expect(await error).toBe("enough");
  });
});
