import { expect } from "vitest";
import type { Portfolio } from "../../src/reference-server/portfolio.js";
import { testOfAssumedSchema as test } from "../support/adopted.js";
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

test("shows a synced plan with null for what is unknown", async () => {
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

const licenses = ["a1", "a2", "a3"].map((id) => license(`l-${id}`, id, "p1"));

test.each<[what: string, fields: Parameters<typeof plan>[2], held: typeof licenses, expected: object]>([
  ["by the licenses if the number of paid seats is unknown", {}, licenses, usageStats(3, 2, 1)],
  ["with paid seats that nobody holds as unused", { paidSeats: 10 }, licenses, usageStats(10, 2, 8)],
  ["with fewer paid than held", { paidSeats: 2 }, licenses, usageStats(2, 2, 1)],
  ["by the source's count without licenses", { paidSeats: 10, consumedSeats: 4 }, [], usageStats(10, 4, 6)],
  ["by the licenses in any case", { paidSeats: 10, consumedSeats: 9 }, licenses, usageStats(10, 2, 8)],
])("counts seats %s", async (_, fields, held, expected) => {
  const { installation, plans } = await start();
  installation.set({
    accounts: ["a1", "a2", "a3"].map((id) => account(id)),
    usage: ["a1", "a2"].map((id) => usage(id, "2026-03-10T00:00:00Z")),
    licenses: held,
    plans: [plan("p1", "Pro", fields)],
  });
  expect(await plans()).toMatchObject([{ usageStats: expected }]);
});

const priced = [license("l1", "a1", "p1"), license("l2", "a2", "p1"), license("l3", "a3", "p1", false)];

const pricingStats = (annualCost: number, amount: number, percentage: number | null) => ({
  annualCost,
  currency: "USD",
  potentialSaving: { amount, percentage },
});

test.each<[what: string, fields: Parameters<typeof plan>[2], held: typeof priced, expected: object]>([
  ["that are billable", {}, priced, pricingStats(66.66, 33.33, 50)],
  ["and saves paid seats that nobody holds", { paidSeats: 3 }, priced, pricingStats(99.99, 66.66, 66.67)],
  [
    "with fewer paid than held",
    { paidSeats: 1 },
    priced.slice(1).concat(license("l4", "a2", "p1")),
    pricingStats(33.33, 33.33, 100),
  ],
  [
    "that the source counts if no license was synced",
    { paidSeats: 3, consumedSeats: 1 },
    [],
    pricingStats(99.99, 66.66, 66.67),
  ],
  ["of a plan without seats", {}, [], pricingStats(0, 0, null)],
])("prices seats %s", async (_, fields, held, expected) => {
  const { installation, plans } = await start({
    planPrices: [{ planName: "Pro", annualPricePerSeat: "33.33", currency: "USD" }],
  });
  installation.set({
    accounts: [account("a1"), account("a2"), account("a3")],
    usage: [usage("a1", "2026-03-10T00:00:00Z")],
    licenses: held,
    plans: [plan("p1", "Pro", fields)],
  });
  expect(await plans()).toMatchObject([{ pricingStats: expected }]);
});

test("uses the price that matches the most fields of the plan", async () => {
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

test("shows the terms of a contract, with null for what it omits", async () => {
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
