import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { schemaType } from "../support/adopted.js";
import { account, discoveredUsage, license, plan, startServer } from "./graphql-setup.js";

/** The scalar for dates in the schema. */
const DATE = /^scalar (\w*Date)$/m.exec(readFileSync("schema/schema.graphql", "utf8"))?.[1] ?? "Date";

/** Applications whose names differ in case, with and without owner and category, one of them never used. */
async function startWithApplications() {
  const server = await startServer({
    portfolio: {
      applications: [
        { name: "Figma", vendorName: "Figma Inc", category: "Design", state: "SANCTIONED" },
        { name: "figjam", vendorName: "Figma Inc", category: "Design", state: "IN_REVIEW" },
        { name: "Slack", vendorName: "Salesforce", owner: { id: "o1", name: "Ann" }, state: "SANCTIONED" },
        { name: "Notion", owner: { id: "o2" }, state: "ARCHIVED" },
      ],
    },
  });
  server.installation.set({
    externallyDiscoveredUsage: [
      discoveredUsage("a", "Figma", { at: "2026-03-01T10:00:00Z" }, "a@acme.test"),
      discoveredUsage("b", "Figma", { at: "2026-01-01T10:00:00Z" }, "b@acme.test"),
      discoveredUsage("a", "figjam", { at: "2026-03-10T10:00:00Z" }, "a@acme.test"),
      discoveredUsage("a", "Slack", { at: "2026-02-20T10:00:00Z" }, "a@acme.test"),
    ],
  });
  const document = `query ($where: ${schemaType("ApplicationFilter")}) {
    applications(first: 100, where: $where) { nodes { application { name } } totalCount }
  }`;
  const names = async (where: unknown): Promise<readonly string[]> => {
    const { applications } = await server.query<{
      applications: { nodes: { application: { name: string } }[]; totalCount: number };
    }>(document, { where });
    expect(applications.totalCount).toBe(applications.nodes.length);
    return applications.nodes.map(({ application }) => application.name).sort();
  };
  const errorOf = async (where: unknown) => (await server.send(document, { where })).errors?.[0];
  return { ...server, names, errorOf };
}

type Case = readonly [what: string, where: unknown, expected: readonly string[]];

const all = ["Figma", "Notion", "Slack", "figjam"];
const name = (condition: object) => ({ application: { name: condition } });
const category = (condition: object) => ({ application: { category: { name: condition } } });
const sanctioned = { state: { eq: "SANCTIONED" } };
const design = category({ eq: "Design" });

const strings: readonly Case[] = [
  ["eq", name({ eq: "Figma" }), ["Figma"]],
  ["eq in another case", name({ eq: "FIGMA" }), []],
  ["neq", name({ neq: "Figma" }), ["Notion", "Slack", "figjam"]],
  ["contains", name({ contains: "ig" }), ["Figma", "figjam"]],
  ["contains in another case", name({ contains: "Ig" }), []],
  ["ncontains", name({ ncontains: "ig" }), ["Notion", "Slack"]],
  ["startsWith", name({ startsWith: "Fig" }), ["Figma"]],
  ["startsWith in the middle", name({ startsWith: "ig" }), []],
  ["nstartsWith", name({ nstartsWith: "Fig" }), ["Notion", "Slack", "figjam"]],
  ["endsWith", name({ endsWith: "ma" }), ["Figma"]],
  ["nendsWith", name({ nendsWith: "ma" }), ["Notion", "Slack", "figjam"]],
  ["in", name({ in: ["Figma", "Slack", "Miro"] }), ["Figma", "Slack"]],
  ["in of nothing", name({ in: [] }), []],
  ["nin", name({ nin: ["Figma", "Slack"] }), ["Notion", "figjam"]],
  ["nin of nothing", name({ nin: [] }), all],
  ["several operators", name({ contains: "i", endsWith: "n" }), ["Notion"]],
];

const missingValues: readonly Case[] = [
  ["eq null", category({ eq: null }), ["Notion", "Slack"]],
  ["neq null", category({ neq: null }), ["Figma", "figjam"]],
  ["neq", category({ neq: "Design" }), ["Notion", "Slack"]],
  ["in with null", category({ in: [null] }), ["Notion", "Slack"]],
  ["nin", category({ nin: ["Design"] }), ["Notion", "Slack"]],
  ["contains", category({ contains: "" }), ["Figma", "figjam"]],
  ["ncontains", category({ ncontains: "Design" }), ["Notion", "Slack"]],
];

const otherKinds: readonly Case[] = [
  ["no filter", null, all],
  ["an empty filter", {}, all],
  ["an empty nested filter", { application: {} }, all],
  ["enum eq", sanctioned, ["Figma", "Slack"]],
  ["enum neq", { state: { neq: "SANCTIONED" } }, ["Notion", "figjam"]],
  ["enum in", { state: { in: ["IN_REVIEW", "ARCHIVED"] } }, ["Notion", "figjam"]],
  ["enum nin", { state: { nin: ["IN_REVIEW", "ARCHIVED"] } }, ["Figma", "Slack"]],
  ["id eq", { application: { id: { eq: "slack" } } }, ["Slack"]],
  ["id in", { owner: { id: { in: ["o1", "o2"] } } }, ["Notion", "Slack"]],
  ["number eq", { userCountStat: { all: { eq: 2 } } }, ["Figma"]],
  ["number neq", { userCountStat: { last30Days: { neq: 1 } } }, ["Notion"]],
  ["number in", { userCountStat: { all: { in: [0, 2] } } }, ["Figma", "Notion"]],
  ["date eq", { lastUsed: { eq: "2026-03-10" } }, ["figjam"]],
  ["date eq null", { lastUsed: { eq: null } }, ["Notion"]],
  ["date neq", { lastUsed: { neq: "2026-03-10" } }, ["Figma", "Notion", "Slack"]],
  ["date nin", { lastUsed: { nin: ["2026-03-10", null] } }, ["Figma", "Slack"]],
  ["date gte", { lastUsed: { gte: "2026-03-01" } }, ["Figma", "figjam"]],
  ["date lte", { lastUsed: { lte: "2026-03-01" } }, ["Figma", "Slack"]],
  ["date gte and lte", { lastUsed: { gte: "2026-02-21", lte: "2026-03-09" } }, ["Figma"]],
];

const combined: readonly Case[] = [
  ["several fields", { ...sanctioned, ...design }, ["Figma"]],
  ["and", { and: [sanctioned, design] }, ["Figma"]],
  ["and of nothing", { and: [] }, all],
  ["or", { or: [sanctioned, design] }, ["Figma", "Slack", "figjam"]],
  ["or of nothing", { or: [] }, []],
  ["or beside a field", { or: [sanctioned, design], lastUsed: { gte: "2026-03-05" } }, ["figjam"]],
  [
    "or in and",
    { and: [{ or: [sanctioned, design] }, { or: [{ lastUsed: { lte: "2026-03-01" } }] }] },
    ["Figma", "Slack"],
  ],
  [
    "and in or",
    { or: [{ and: [sanctioned, design] }, { owner: { id: { eq: "o2" } } }] },
    ["Figma", "Notion"],
  ],
  [
    "or in a nested object",
    { application: { or: [{ name: { eq: "Slack" } }, { vendorName: { eq: "Figma Inc" } }] } },
    ["Figma", "Slack", "figjam"],
  ],
];

test.each([
  ["strings", strings],
  ["strings of objects that are missing in some rows", missingValues],
  ["other kinds of fields", otherKinds],
  ["combined filters", combined],
] as const)("filters by %s", async (_, cases) => {
  const { names } = await startWithApplications();
  for (const [what, where, expected] of cases) expect(await names(where), what).toEqual(expected);
});

test("reads filters from the document itself", async () => {
  const { query } = await startWithApplications();
  const data =
    await query(`{ applications(where: { state: { eq: SANCTIONED }, lastUsed: { gte: "2026-03-01" } }) {
    nodes { application { name } } } }`);
  expect(data).toEqual({ applications: { nodes: [{ application: { name: "Figma" } }] } });
});

// Ignoring null would match more than the caller asked for.
test.each([
  ["where.application", { application: null }],
  ["where.application.name", { application: { name: null } }],
  ["where.application.name.contains", name({ contains: null })],
  ["where.lastUsed.gte", { lastUsed: { gte: null } }],
  ["where.state.in", { state: { in: null } }],
  ["where.or", { or: null }],
])("refuses null at %s", async (argument, where) => {
  const { errorOf } = await startWithApplications();
  expect(await errorOf(where)).toMatchObject({
    path: ["applications"],
    extensions: { code: "HC0026", argument },
  });
});

test("filters licenses by the activity of either member of the state union", async () => {
  const { installation, query } = await startServer();
  installation.set({
    accounts: [account("a1", { active: false })],
    plans: [plan("p1", "Pro")],
    licenses: [license("l1", "a1", "p1"), license("l2", "a2", "p1")],
  });
  const unused = await query(
    `{ licenses(where: { state: { activity: { eq: UNUSED } }, plan: { name: { eq: "Pro" } } }) { nodes { id } } }`,
  );
  expect(unused).toEqual({ licenses: { nodes: [{ id: "i1:l1" }, { id: "i1:l2" }] } });
  const used = await query("{ licenses(where: { state: { activity: { eq: USED } } }) { totalCount } }");
  expect(used).toEqual({ licenses: { totalCount: 0 } });
});

test("compares decimals by value", async () => {
  const { installation, query } = await startServer({
    portfolio: { planPrices: [{ planName: "Pro", annualPricePerSeat: "0.10", currency: "EUR" }] },
  });
  installation.set({
    plans: [plan("p1", "Pro", { paidSeats: 3 }), plan("p2", "Pro", { paidSeats: 7 }), plan("p3", "Free")],
  });
  const idsWhere = async (annualCost: object) => {
    const data = await query<{ licensePlans: { nodes: { id: string }[] } }>(
      `query ($where: ${schemaType("LicensePlanFilter")}) { licensePlans(where: $where) { nodes { id } } }`,
      { where: { pricingStats: { annualCost } } },
    );
    return data.licensePlans.nodes.map(({ id }) => id.replace("i1:", ""));
  };
  expect(await idsWhere({ eq: 0.3 })).toEqual(["p1"]);
  expect(await idsWhere({ neq: 0.3 })).toEqual(["p2", "p3"]);
  expect(await idsWhere({ in: [0.7, 1] })).toEqual(["p2"]);
  expect(await idsWhere({ nin: [0.7] })).toEqual(["p1", "p3"]);
  expect(await idsWhere({ eq: null })).toEqual(["p3"]);
});

test("filters and sorts license plans by the date of their renewal", async () => {
  const contract = (planName: string, value: string) =>
    ({ planName, renewal: { upcomingDate: { value, origin: "MANUAL" } } }) as const;
  const { installation, query } = await startServer({
    portfolio: {
      contracts: [contract("A", "2026-04-01"), contract("B", "2026-06-30"), contract("C", "2026-07-01")],
    },
  });
  installation.set({ plans: ["A", "B", "C", "D"].map((planName) => plan(planName, planName)) });
  const data = await query(
    `query ($from: ${DATE}!, $to: ${DATE}!) {
      licensePlans(
        where: { contractDetails: { renewal: { upcomingDate: { value: { gte: $from, lte: $to } } } } }
        order: { contractDetails: { renewal: { upcomingDate: { value: DESC } } } }
      ) { nodes { name } }
    }`,
    { from: "2026-04-01", to: "2026-06-30" },
  );
  expect(data).toEqual({ licensePlans: { nodes: [{ name: "B" }, { name: "A" }] } });
});
