import { expect } from "vitest";
import type { Portfolio } from "../../src/reference-server/portfolio.js";
import { testOfAssumedSchema as test } from "../support/adopted.js";
import { account, discoveredUsage, employee, HandSynced, plan, startServer, usage } from "./graphql-setup.js";

async function start(portfolio?: Portfolio) {
  const server = await startServer(portfolio === undefined ? {} : { portfolio });
  const applications = async (): Promise<readonly object[]> => {
    const data = await server.query<{ applications: { nodes: object[] } }>(`{ applications { nodes {
      id state portfolioType lastUsed
      application { id name vendorName category { name } }
      owner { id name }
      userCountStat { all last30Days }
    } } }`);
    return data.applications.nodes;
  };
  return { ...server, applications };
}

test("shows an application of the portfolio with all its fields", async () => {
  const { applications } = await start({
    applications: [
      {
        id: "app-7",
        name: "Figma",
        vendorName: "Figma Inc",
        category: "Design",
        owner: { id: "e1", name: "Ann" },
        state: "SANCTIONED",
        portfolioType: "CORE",
      },
    ],
  });
  expect(await applications()).toEqual([
    {
      id: "discovery:app-7",
      state: "SANCTIONED",
      portfolioType: "CORE",
      lastUsed: null,
      application: { id: "app-7", name: "Figma", vendorName: "Figma Inc", category: { name: "Design" } },
      owner: { id: "e1", name: "Ann" },
      userCountStat: { all: 0, last30Days: 0 },
    },
  ]);
});

test("shows each product once: those of the portfolio, of synced plans and of discovered usage", async () => {
  const { installation, applications } = await start({ applications: [{ name: "Miro", state: "ARCHIVED" }] });
  installation.set({
    plans: [
      plan("p1", "Pro", { product: "Slack" }),
      plan("p2", "Free", { product: "slack" }),
      plan("p3", "Team", { product: "MIRO" }),
      plan("p4", "Team"),
    ],
  });
  const at = "2026-03-01T00:00:00Z";
  installation.set({ externallyDiscoveredUsage: [discoveredUsage("x", "ChatGPT", { at }, "ann@acme.test")] });
  const used = { lastUsed: "2026-03-01", userCountStat: { all: 1, last30Days: 1 } };
  expect(await applications()).toMatchObject([
    { id: "discovery:chatgpt:product", state: "DISCOVERED", application: { name: "ChatGPT" }, ...used },
    {
      id: "discovery:figma:product",
      state: "DISCOVERED",
      application: { name: "Figma", vendorName: "Figma" },
    },
    { id: "discovery:miro", state: "ARCHIVED", application: { name: "Miro" } },
    {
      id: "discovery:slack:product",
      state: "DISCOVERED",
      portfolioType: null,
      lastUsed: null,
      application: { name: "Slack", category: null },
      owner: null,
    },
  ]);
  installation.set({ plans: [], externallyDiscoveredUsage: [] });
  expect(await applications()).toMatchObject([{ id: "discovery:miro" }]);
});

test("counts the people of each installation rather than accounts, and shows the latest use by anyone", async () => {
  const { installation, workspace, applications } = await start({ applications: [{ name: "Figma" }] });
  installation.set({
    accounts: [
      account("a1", { email: "ann@acme.test" }),
      account("a2", { email: "BOB@acme.test" }),
      account("a3"),
      account("a4", { email: "ann@acme.test" }),
    ],
    employees: [employee("e1", "Ann", "ann@acme.test"), employee("e2", "Cem", "cem@acme.test")],
    plans: [plan("p1", "Pro", { product: "Figma" })],
    usage: [
      usage("a1", "2026-03-01T00:00:00Z"),
      usage("a1", "2026-01-05T00:00:00Z", { planId: "p1" }),
      usage("a2", "2026-02-12T23:59:59Z", { product: "figma" }),
      usage("a3", "2026-02-13T00:00:00Z"),
      usage("a3", "2026-03-14T00:00:00Z", { planId: "p9" }),
      usage("a4", "2026-01-01T00:00:00Z"),
    ],
    externallyDiscoveredUsage: [
      discoveredUsage("x2", "Figma", { at: "2025-12-24T10:00:00Z" }, "bob@acme.test"),
      discoveredUsage("e2", "Figma", { from: "2025-01-01T10:00:00Z", to: "2025-02-01T10:00:00Z" }),
    ],
  });
  // Ann, Bob, the account a3 and Cem; in the last 30 days only Ann and a3.
  expect(await applications()).toMatchObject([
    { lastUsed: "2026-03-01", userCountStat: { all: 4, last30Days: 2 } },
  ]);
  const signOn = new HandSynced("i2", "Sign-on");
  workspace.installations.push(signOn);
  signOn.set({
    externallyDiscoveredUsage: [
      discoveredUsage("x1", "Figma", { at: "2026-03-02T10:00:00Z" }, "ANN@acme.test"),
    ],
  });
  expect(await applications()).toMatchObject([
    { lastUsed: "2026-03-02", userCountStat: { all: 5, last30Days: 3 } },
  ]);
});

test("gives a discovered application an id that isn't in the portfolio", async () => {
  const { applications, installation } = await start({
    applications: [{ name: "Figma Design", id: "figma" }],
  });
  installation.set({ plans: [plan("p", "Pro", { product: "Figma" })] });
  expect(await applications()).toMatchObject([
    { id: "discovery:figma", application: { id: "figma", name: "Figma Design" } },
    { id: "discovery:figma:product", application: { id: "figma:product", name: "Figma" } },
  ]);
});
