import { describe, expect, test } from "vitest";
import { account, discoveredUsage, license, plan, startServer } from "./graphql-setup.js";

/** Applications whose names differ in case, with and without owner and category, one of them never used. */
async function startWithApplications() {
  const server = await startServer({
    portfolio: {
      applications: [
        {
          name: "Figma",
          vendorName: "Figma Inc",
          category: "Design",
          state: "SANCTIONED",
          portfolioType: "CORE",
        },
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
  const document = `query ($where: ApplicationDiscoveryFilterInput) {
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

const all = ["Figma", "Notion", "Slack", "figjam"];

test("matches every row without a filter, and with an empty one", async () => {
  const { names } = await startWithApplications();
  expect(await names(null)).toEqual(all);
  expect(await names({})).toEqual(all);
  expect(await names({ application: {} })).toEqual(all);
});

describe("on strings", () => {
  const cases: [string, object, readonly string[]][] = [
    ["eq", { eq: "Figma" }, ["Figma"]],
    ["eq, in another case", { eq: "FIGMA" }, []],
    ["neq", { neq: "Figma" }, ["Notion", "Slack", "figjam"]],
    ["contains", { contains: "ig" }, ["Figma", "figjam"]],
    ["contains, in another case", { contains: "Ig" }, []],
    ["ncontains", { ncontains: "ig" }, ["Notion", "Slack"]],
    ["startsWith", { startsWith: "Fig" }, ["Figma"]],
    ["startsWith, in the middle", { startsWith: "ig" }, []],
    ["nstartsWith", { nstartsWith: "Fig" }, ["Notion", "Slack", "figjam"]],
    ["endsWith", { endsWith: "ma" }, ["Figma"]],
    ["endsWith, in the middle", { endsWith: "ig" }, []],
    ["nendsWith", { nendsWith: "ma" }, ["Notion", "Slack", "figjam"]],
    ["in", { in: ["Figma", "Slack", "Miro"] }, ["Figma", "Slack"]],
    ["in of nothing", { in: [] }, []],
    ["nin", { nin: ["Figma", "Slack"] }, ["Notion", "figjam"]],
    ["nin of nothing", { nin: [] }, all],
    ["several operators, which all hold", { contains: "i", endsWith: "n" }, ["Notion"]],
  ];
  test.each(cases)("%s", async (_, name, expected) => {
    const { names } = await startWithApplications();
    expect(await names({ application: { name } })).toEqual(expected);
  });

  const missing: [string, object, readonly string[]][] = [
    ["eq null", { eq: null }, ["Notion", "Slack"]],
    ["neq null", { neq: null }, ["Figma", "figjam"]],
    ["neq", { neq: "Design" }, ["Notion", "Slack"]],
    ["in with null", { in: [null] }, ["Notion", "Slack"]],
    ["nin", { nin: ["Design"] }, ["Notion", "Slack"]],
    ["contains", { contains: "" }, ["Figma", "figjam"]],
    ["ncontains", { ncontains: "Design" }, ["Notion", "Slack"]],
  ];
  test.each(missing)("%s, of a value whose object is missing in some rows", async (_, name, expected) => {
    const { names } = await startWithApplications();
    expect(await names({ application: { category: { name } } })).toEqual(expected);
  });
});

describe("on other kinds of fields", () => {
  const cases: [string, object, readonly string[]][] = [
    ["enum eq", { state: { eq: "SANCTIONED" } }, ["Figma", "Slack"]],
    ["enum neq", { state: { neq: "SANCTIONED" } }, ["Notion", "figjam"]],
    ["enum in", { state: { in: ["IN_REVIEW", "ARCHIVED"] } }, ["Notion", "figjam"]],
    ["enum nin", { state: { nin: ["IN_REVIEW", "ARCHIVED"] } }, ["Figma", "Slack"]],
    ["id eq", { application: { id: { eq: "slack" } } }, ["Slack"]],
    ["id in", { owner: { id: { in: ["o1", "o2"] } } }, ["Notion", "Slack"]],
    ["number eq", { userCountStat: { all: { eq: 2 } } }, ["Figma"]],
    ["number neq", { userCountStat: { last30Days: { neq: 1 } } }, ["Notion"]],
    ["number in", { userCountStat: { all: { in: [0, 2] } } }, ["Figma", "Notion"]],
    ["number nin", { userCountStat: { all: { nin: [0, 2] } } }, ["Slack", "figjam"]],
    ["date eq", { lastUsed: { eq: "2026-03-10" } }, ["figjam"]],
    ["date eq null", { lastUsed: { eq: null } }, ["Notion"]],
    ["date neq", { lastUsed: { neq: "2026-03-10" } }, ["Figma", "Notion", "Slack"]],
    ["date in", { lastUsed: { in: ["2026-03-10", "2026-03-01"] } }, ["Figma", "figjam"]],
    ["date nin", { lastUsed: { nin: ["2026-03-10", null] } }, ["Figma", "Slack"]],
    ["date gte", { lastUsed: { gte: "2026-03-01" } }, ["Figma", "figjam"]],
    ["date lte", { lastUsed: { lte: "2026-03-01" } }, ["Figma", "Slack"]],
    ["date gte and lte", { lastUsed: { gte: "2026-02-21", lte: "2026-03-09" } }, ["Figma"]],
  ];
  test.each(cases)("%s", async (_, where, expected) => {
    const { names } = await startWithApplications();
    expect(await names(where)).toEqual(expected);
  });
});

describe("combines", () => {
  const sanctioned = { state: { eq: "SANCTIONED" } };
  const design = { application: { category: { name: { eq: "Design" } } } };
  const cases: [string, object, readonly string[]][] = [
    ["several fields with AND", { ...sanctioned, ...design }, ["Figma"]],
    ["and", { and: [sanctioned, design] }, ["Figma"]],
    ["and of nothing, which holds", { and: [] }, all],
    ["or", { or: [sanctioned, design] }, ["Figma", "Slack", "figjam"]],
    ["or of nothing, which does not hold", { or: [] }, []],
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
  test.each(cases)("%s", async (_, where, expected) => {
    const { names } = await startWithApplications();
    expect(await names(where)).toEqual(expected);
  });
});

test("reads filters in the document itself", async () => {
  const { query } = await startWithApplications();
  const data =
    await query(`{ applications(where: { state: { eq: SANCTIONED }, lastUsed: { gte: "2026-03-01" } }) {
    nodes { application { name } } } }`);
  expect(data).toEqual({ applications: { nodes: [{ application: { name: "Figma" } }] } });
});

describe("refuses null, instead of matching more than was asked for,", () => {
  const cases: [string, object][] = [
    ["where.application", { application: null }],
    ["where.application.name", { application: { name: null } }],
    ["where.application.name.contains", { application: { name: { contains: null } } }],
    ["where.lastUsed.gte", { lastUsed: { gte: null } }],
    ["where.state.in", { state: { in: null } }],
    ["where.or", { or: null }],
  ];
  test.each(cases)("at %s", async (argument, where) => {
    const { errorOf } = await startWithApplications();
    expect(await errorOf(where)).toMatchObject({
      message: `\`${argument}\` must not be null. Leave it out, or give it a value.`,
      path: ["applications"],
      extensions: { code: "HC0026", argument },
    });
  });
});

test("filters licenses by the activity of their state, whatever member of the union it is", async () => {
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

test("compares decimals by their value", async () => {
  const { installation, query } = await startServer({
    portfolio: { planPrices: [{ planName: "Pro", annualPricePerSeat: "0.10", currency: "EUR" }] },
  });
  installation.set({
    plans: [plan("p1", "Pro", { paidSeats: 3 }), plan("p2", "Pro", { paidSeats: 7 }), plan("p3", "Free")],
  });
  const idsWhere = async (annualCost: object) => {
    const data = await query<{ licensePlans: { nodes: { id: string }[] } }>(
      "query ($where: LicensePlanFilterInput) { licensePlans(where: $where) { nodes { id } } }",
      { where: { pricingStats: { annualCost } } },
    );
    return data.licensePlans.nodes.map(({ id }) => id);
  };
  expect(await idsWhere({ eq: 0.3 })).toEqual(["i1:p1"]);
  expect(await idsWhere({ neq: 0.3 })).toEqual(["i1:p2", "i1:p3"]);
  expect(await idsWhere({ in: [0.7, 1] })).toEqual(["i1:p2"]);
  expect(await idsWhere({ nin: [0.7] })).toEqual(["i1:p1", "i1:p3"]);
  expect(await idsWhere({ eq: null })).toEqual(["i1:p3"]);
});

test("filters license plans by the date of their renewal", async () => {
  const contract = (planName: string, value: string) =>
    ({ planName, renewal: { upcomingDate: { value, origin: "MANUAL" } } }) as const;
  const { installation, query } = await startServer({
    portfolio: {
      contracts: [contract("A", "2026-04-01"), contract("B", "2026-06-30"), contract("C", "2026-07-01")],
    },
  });
  installation.set({ plans: ["A", "B", "C", "D"].map((name) => plan(name, name)) });
  const data = await query(
    `query ($from: Date!, $to: Date!) {
      licensePlans(
        where: { contractDetails: { renewal: { upcomingDate: { value: { gte: $from, lte: $to } } } } }
        order: { contractDetails: { renewal: { upcomingDate: { value: DESC } } } }
      ) { nodes { name contractDetails { renewal { upcomingDate { value origin } } } } }
    }`,
    { from: "2026-04-01", to: "2026-06-30" },
  );
  const node = (name: string, value: string) => ({
    name,
    contractDetails: { renewal: { upcomingDate: { value, origin: "MANUAL" } } },
  });
  expect(data).toEqual({ licensePlans: { nodes: [node("B", "2026-06-30"), node("A", "2026-04-01")] } });
});
