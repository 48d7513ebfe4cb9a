import { describe, expect, test } from "vitest";
import type { Portfolio } from "../../src/reference-server/portfolio.js";
import { account, HandSynced, license, plan, startServer, usage } from "./graphql-setup.js";

interface PlanNode {
  readonly id: string;
  readonly contractDetails: object | null;
  readonly pricingStats: object | null;
  readonly usageStats: object;
}

async function start(portfolio?: Portfolio) {
  const server = await startServer(portfolio === undefined ? {} : { portfolio });
  const plans = async (): Promise<readonly PlanNode[]> => {
    const data = await server.query<{ licensePlans: { nodes: PlanNode[] } }>(`{ licensePlans { nodes {
      id name integration { id name }
      contractDetails { type renewal { upcomingDate { value origin } terminationPeriod { value origin } } }
      pricingStats { annualCost currency potentialSaving { amount percentage } }
      usageStats { total inUse { total } unused { total } }
    } } }`);
    return data.licensePlans.nodes;
  };
  return { ...server, plans };
}

const usageStats = (total: number, inUse: number, unused: number) => ({
  total,
  inUse: { total: inUse },
  unused: { total: unused },
});

test("shows a plan that was synced, and nothing of what is not known of it", async () => {
  const { installation, plans } = await start();
  installation.set({ plans: [plan("p1", "Pro")] });
  expect(await plans()).toEqual([
    {
      id: "i1:p1",
      name: "Pro",
      integration: { id: "integration-i1", name: "Figma" },
      contractDetails: null,
      pricingStats: null,
      usageStats: usageStats(0, 0, 0),
    },
  ]);
  installation.set({ plans: [] });
  expect(await plans()).toEqual([]);
});

describe("counts seats", () => {
  const used = ["a1", "a2"].map((id) => usage(id, "2026-03-10T00:00:00Z"));
  const accounts = ["a1", "a2", "a3"].map((id) => account(id));
  const licenses = ["a1", "a2", "a3"].map((id) => license(`l-${id}`, id, "p1"));

  const cases: [string, Parameters<typeof plan>[2], typeof licenses, object][] = [
    ["by the licenses, where no number of paid seats is known", {}, licenses, usageStats(3, 2, 1)],
    [
      "that are paid, those that nobody holds being unused",
      { paidSeats: 10 },
      licenses,
      usageStats(10, 2, 8),
    ],
    ["of which fewer are paid than held", { paidSeats: 2 }, licenses, usageStats(2, 2, 1)],
    [
      "by the source's own count, where no license was synced",
      { paidSeats: 10, consumedSeats: 4 },
      [],
      usageStats(10, 4, 6),
    ],
    [
      "by the licenses, whatever the source counts",
      { paidSeats: 10, consumedSeats: 9 },
      licenses,
      usageStats(10, 2, 8),
    ],
  ];
  test.each(cases)("%s", async (_, fields, held, expected) => {
    const { installation, plans } = await start();
    installation.set({ accounts, usage: used, licenses: held, plans: [plan("p1", "Pro", fields)] });
    expect(await plans()).toMatchObject([{ usageStats: expected }]);
  });
});

describe("prices seats", () => {
  const portfolio: Portfolio = {
    planPrices: [{ planName: "Pro", annualPricePerSeat: "33.33", currency: "USD" }],
  };

  const stats = (annualCost: number, amount: number, percentage: number | null) => ({
    annualCost,
    currency: "USD",
    potentialSaving: { amount, percentage },
  });
  const held = [license("l1", "a1", "p1"), license("l2", "a2", "p1"), license("l3", "a3", "p1", false)];

  const cases: [string, Parameters<typeof plan>[2], typeof held, object][] = [
    ["that are billable", {}, held, stats(66.66, 33.33, 50)],
    [
      "that are paid, those that nobody holds being saved too",
      { paidSeats: 3 },
      held,
      stats(99.99, 66.66, 66.67),
    ],
    [
      "of which fewer are paid than held",
      { paidSeats: 1 },
      held.slice(1).concat(license("l4", "a2", "p1")),
      stats(33.33, 33.33, 100),
    ],
    [
      "that the source counts, where no license was synced",
      { paidSeats: 3, consumedSeats: 1 },
      [],
      stats(99.99, 66.66, 66.67),
    ],
    ["of which there are none", {}, [], stats(0, 0, null)],
  ];
  test.each(cases)("%s", async (_, fields, licenses, expected) => {
    const { installation, plans } = await start(portfolio);
    installation.set({
      accounts: [account("a1"), account("a2"), account("a3")],
      usage: [usage("a1", "2026-03-10T00:00:00Z")],
      licenses,
      plans: [plan("p1", "Pro", fields)],
    });
    expect(await plans()).toMatchObject([{ pricingStats: expected }]);
  });

  test("with sums that are exact", async () => {
    const { installation, plans } = await start({
      planPrices: [{ planName: "Pro", annualPricePerSeat: 0.1, currency: "USD" }],
    });
    installation.set({ plans: [plan("p1", "Pro", { paidSeats: 3 })] });
    expect(await plans()).toMatchObject([{ pricingStats: stats(0.3, 0.3, 100) }]);
  });
});

test("takes the price that says most about which plan it means", async () => {
  const price = (annualPricePerSeat: number, match: object) => ({
    planName: "Pro",
    annualPricePerSeat,
    currency: "EUR",
    ...match,
  });
  const { installation, workspace, plans } = await start({
    planPrices: [
      price(1, {}),
      price(2, { integrationName: "Figma" }),
      price(3, { integrationName: "Figma", sourcePlanId: "p2" }),
      price(4, { integrationName: "Miro", sourcePlanId: "p2" }),
      price(5, { planName: "pro" }),
    ],
  });
  installation.set({ plans: ["p1", "p2"].map((id) => plan(id, "Pro", { paidSeats: 1 })) });
  const other = new HandSynced("i2", "Slack");
  workspace.installations.push(other.set({ plans: [plan("p2", "Pro", { paidSeats: 1 })] }));
  expect(await plans()).toMatchObject([
    { id: "i1:p1", pricingStats: { annualCost: 2 } },
    { id: "i1:p2", pricingStats: { annualCost: 3 } },
    { id: "i2:p2", pricingStats: { annualCost: 1 } },
  ]);
});

test("shows what the contract says, and null for what it does not", async () => {
  const { installation, plans } = await start({
    contracts: [
      {
        planName: "A",
        type: "SUBSCRIPTION",
        renewal: {
          upcomingDate: { value: "2026-06-01", origin: "MANUAL" },
          terminationPeriod: { value: 90, origin: "INTEGRATION" },
        },
      },
      { planName: "B", renewal: {} },
      { planName: "C" },
    ],
  });
  installation.set({ plans: ["A", "B", "C", "D"].map((name) => plan(name, name)) });
  expect((await plans()).map(({ contractDetails }) => contractDetails)).toEqual([
    {
      type: "SUBSCRIPTION",
      renewal: {
        upcomingDate: { value: "2026-06-01", origin: "MANUAL" },
        terminationPeriod: { value: 90, origin: "INTEGRATION" },
      },
    },
    { type: null, renewal: { upcomingDate: null, terminationPeriod: null } },
    { type: null, renewal: null },
    null,
  ]);
});

describe("refuses a portfolio with", () => {
  const planName = "Pro";
  const cases: [string, Portfolio][] = [
    ["applications[0].name must be a name", { applications: [{ name: " " }] }],
    [
      "applications[1].name must be a name that no other application has",
      { applications: [{ name: "Figma" }, { name: "FIGMA " }] },
    ],
    [
      "applications[1].id must be an id that no other application has",
      { applications: [{ name: "Figma" }, { name: "Slack", id: "figma" }] },
    ],
    [
      "applications[0].state must be one of DISCOVERED, IN_REVIEW, SANCTIONED, DISQUALIFIED, ARCHIVED",
      JSON.parse('{ "applications": [{ "name": "Figma", "state": "bought" }] }'),
    ],
    [
      "contracts[0].renewal.upcomingDate.origin must be one of MANUAL, INTEGRATION",
      JSON.parse(
        '{ "contracts": [{ "planName": "Pro", "renewal": { "upcomingDate": { "value": "2026-01-01" } } }] }',
      ),
    ],
    [
      'planPrices[0].annualPricePerSeat must be a decimal such as "12.50"',
      { planPrices: [{ planName, annualPricePerSeat: "-1", currency: "EUR" }] },
    ],
    [
      'planPrices[0].currency must be an ISO 4217 code such as "EUR"',
      { planPrices: [{ planName, annualPricePerSeat: 1, currency: "euro" }] },
    ],
    [
      "contracts[0].renewal.upcomingDate.value must be a day as YYYY-MM-DD",
      { contracts: [{ planName, renewal: { upcomingDate: { value: "2026-02-30", origin: "MANUAL" } } }] },
    ],
    [
      "contracts[0].renewal.terminationPeriod.value must be a whole number, 0 or more",
      { contracts: [{ planName, renewal: { terminationPeriod: { value: 1.5, origin: "MANUAL" } } }] },
    ],
    ["unusedAfterDays must be a whole number, 0 or more", { unusedAfterDays: -1 }],
  ];
  test.each(cases)("a value that is wrong: %s", async (message, portfolio) => {
    await expect(startServer({ portfolio })).rejects.toThrow(new TypeError(`portfolio.${message}.`));
  });
});
