import { TestClock } from "@saas-management/sdk/reference-server";
import { expect, test } from "vitest";
import type { Portfolio } from "../../src/reference-server/portfolio.js";
import type { MessageOf } from "../../src/reference-server/workspace.js";
import type { WireCollection } from "../support/grpc-client.js";
import { type SyncFixture, startSync } from "../support/grpc-server.js";
import { account, discoveredUsage, employee, license, plan, usage } from "./graphql-setup.js";

type Collections = "employees" | "accounts" | "plans" | "licenses" | "usage" | "externallyDiscoveredUsage";
type Records = { readonly [K in Collections]?: readonly MessageOf<K>[] };

/** What happens to a workspace: a batch of an installation, a change of a vendor's state, or days that pass. */
type Step =
  | { readonly of: "Figma" | "Okta"; readonly records: Records }
  | { readonly vendor: string; readonly state: string }
  | { readonly days: number };

/** What was synced and set so far. */
interface Filling {
  readonly Figma: Records;
  readonly Okta: Records;
  readonly states: readonly { readonly vendor: string; readonly state: string }[];
}

const DAY = 24 * 60 * 60 * 1000;
const NOON = Date.parse("2026-03-15T12:00:00Z");

const portfolio: Portfolio = {
  applications: [{ name: "Miro", vendorName: "Miro Inc" }],
  planPrices: [
    { planName: "Pro", annualPricePerSeat: "144.50", currency: "EUR" },
    { planName: "Team", annualPricePerSeat: 60, currency: "USD" },
  ],
  contracts: [{ planName: "Pro", type: "YEARLY" }],
};

const ann = employee("e1", "Ann", "ann@acme.test");
const bob = employee("e2", "Bob", "bob@acme.test", ["b@acme.test"]);
const cyd = employee("e3", "Cyd", "cyd@acme.test");
const [a1, a2, a3] = [
  account("a1", { email: "ann@acme.test" }),
  account("a2", { email: "b@acme.test" }),
  account("a3", { name: "Guest" }),
];
const [pro, team] = [plan("p1", "Pro"), plan("p2", "Team", { product: "FigJam", paidSeats: 4 })];
const [l1, l2, l3, l4] = [
  license("l1", "a1", "p1"),
  license("l2", "a2", "p1"),
  license("l3", "a3", "p2", false),
  license("l4", "a1", "p2"),
];

const steps: Readonly<Record<string, Step>> = {
  "a first sync": {
    of: "Figma",
    records: {
      employees: [ann, bob],
      accounts: [a1, a2, a3],
      plans: [pro, team],
      licenses: [l1, l2, l3, l4],
    },
  },
  "use of accounts": {
    of: "Figma",
    records: { usage: [usage("a1", "2026-03-10T08:00:00Z"), usage("a3", "2026-01-02T08:00:00Z")] },
  },
  "another installation, which sees products": {
    of: "Okta",
    records: {
      employees: [cyd],
      accounts: [account("x1", { email: "cyd@acme.test" }), account("x2", { email: "bob@acme.test" })],
      plans: [plan("p1", "Workforce")],
      licenses: [license("l1", "x1", "p1"), license("l2", "x2", "p1")],
      usage: [usage("x2", "2026-03-14T08:00:00Z", { product: "figma" })],
    },
  },
  "licenses that are removed, and none besides": { of: "Figma", records: { licenses: [l1, l3] } },
  "a vendor's state": { vendor: "Miro Inc", state: "SANCTIONED" },
  "plans that are renamed": {
    of: "Figma",
    records: { plans: [plan("p1", "Team", { paidSeats: 9 }), plan("p2", "Pro")] },
  },
  "accounts of somebody else, and inactive ones": {
    of: "Figma",
    records: { accounts: [account("a1", { email: "cyd@acme.test" }), account("a3", { active: false })] },
  },
  "a license that returns": { of: "Figma", records: { licenses: [l1, l2, l3] } },
  "use that another system discovered": {
    of: "Okta",
    records: {
      externallyDiscoveredUsage: [
        discoveredUsage("ann", "Miro", { at: "2026-03-13T08:00:00Z" }, "ann@acme.test"),
        discoveredUsage("9", "Notion", { at: "2026-03-13T08:00:00Z" }, "someone@else.test"),
      ],
    },
  },
  "employees who leave": { of: "Figma", records: { employees: [ann] } },
  "the state of a discovered vendor": { vendor: "Notion", state: "DISQUALIFIED" },
  "days in which nothing is used": { days: 31 },
  "an empty source": { of: "Figma", records: { accounts: [], plans: [], licenses: [] } },
};

const everything = `
  query {
    applications(first: 100) {
      totalCount
      nodes { id state lastUsed application { name vendorName } userCountStat { all last30Days } }
    }
    licenses(first: 100, order: [{ plan: { integration: { name: ASC } } }]) { totalCount nodes { ...license } }
    unused: licenses(
      first: 100
      where: { state: { activity: { eq: UNUSED } } }
      order: [{ potentialSaving: { amount: DESC } }, { holder: { name: ASC } }, { plan: { integration: { name: ASC } } }]
    ) { totalCount nodes { ...license } }
    licensePlans(first: 100, order: [{ usageStats: { total: DESC } }, { integration: { name: ASC } }]) {
      totalCount
      nodes { ...plan contractDetails { type } }
    }
  }
  fragment license on License {
    id
    state { ... on UsedLicenseState { activity } ... on UnusedLicenseState { activity reason } }
    holder { name email employeeId }
    plan { ...plan }
    annualPrice { amount currency }
    potentialSaving { amount currency }
  }
  fragment plan on LicensePlan {
    id
    name
    integration { name }
    pricingStats { annualCost potentialSaving { amount percentage } }
    usageStats { total inUse { total } unused { total } }
  }`;

const setState = `mutation ($vendor: String!, $state: ApplicationState!) {
  changeVendorsState(input: { state: $state }, where: { vendor: { name: { eq: $vendor } } }) { updatedCount }
}`;

function messagesOf(records: Records): WireCollection[] {
  const { employees, accounts, plans, licenses, usage, externallyDiscoveredUsage } = records;
  const messages: WireCollection[] = [];
  if (employees) messages.push({ $case: "employees", value: { records: [...employees] } });
  if (accounts) messages.push({ $case: "accounts", value: { records: [...accounts] } });
  if (plans) messages.push({ $case: "plans", value: { records: [...plans] } });
  if (licenses) messages.push({ $case: "licenses", value: { records: [...licenses] } });
  if (usage) messages.push({ $case: "usage", value: { records: [...usage] } });
  if (externallyDiscoveredUsage) {
    const records = [...externallyDiscoveredUsage];
    messages.push({ $case: "externallyDiscoveredUsage", value: { records } });
  }
  return messages;
}

/** A new workspace of a server, with two installations. */
function create({ server, connect }: SyncFixture) {
  const workspace = server.createWorkspace("Acme", { portfolio });
  const key = server.createApiKey({ workspace });
  const client = connect(key);
  const Figma = server.createInstallation({ workspace, integration: "Figma" });
  const Okta = server.createInstallation({ workspace, integration: "Okta" });

  async function ask(query: string, variables: object = {}): Promise<unknown> {
    const response = await fetch(`${server.baseUrl}/graphql`, {
      method: "POST",
      headers: { authorization: key, "content-type": "application/json" },
      body: JSON.stringify({ query, variables }),
    });
    const text = await response.text();
    const answer: { errors?: unknown } = JSON.parse(text.replaceAll(Figma, "Figma").replaceAll(Okta, "Okta"));
    expect(answer.errors).toBeUndefined();
    return answer;
  }

  return {
    show: () => ask(everything),
    setState: (change: { readonly vendor: string; readonly state: string }) => ask(setState, change),
    /** Runs a batch. Calls `afterEach` after each of its messages. */
    sync: async (of: "Figma" | "Okta", records: Records, afterEach = async () => {}): Promise<void> => {
      const batchId = await client.start({ Figma, Okta }[of]);
      for (const message of messagesOf(records)) {
        await client.write(batchId, message);
        await afterEach();
      }
      await client.complete(batchId);
    },
  };
}

/** What a workspace shows that is filled at once. */
async function shownAtOnce(fixture: SyncFixture, { Figma, Okta, states }: Filling): Promise<unknown> {
  const workspace = create(fixture);
  await workspace.sync("Figma", Figma);
  await workspace.sync("Okta", Okta);
  for (const change of states) await workspace.setState(change);
  return workspace.show();
}

/** Adds a step: snapshots take the place of what there was, events come on top. */
function filled(filling: Filling, step: Step): Filling {
  if ("vendor" in step) return { ...filling, states: [...filling.states, step] };
  if ("days" in step) return filling;
  const { usage = [], externallyDiscoveredUsage = [] } = filling[step.of];
  const records: Records = {
    ...filling[step.of],
    ...step.records,
    usage: [...usage, ...(step.records.usage ?? [])],
    externallyDiscoveredUsage: [
      ...externallyDiscoveredUsage,
      ...(step.records.externallyDiscoveredUsage ?? []),
    ],
  };
  return { ...filling, [step.of]: records };
}

test("shows after every change what a workspace shows that was filled at once", async () => {
  const fixture = await startSync({ clock: new TestClock({ startAt: NOON }) });
  const grown = create(fixture);
  let filling: Filling = { Figma: {}, Okta: {}, states: [] };
  let before = await grown.show();
  for (const [name, step] of Object.entries(steps)) {
    if ("days" in step) await fixture.server.clock.advance(step.days * DAY);
    else if ("vendor" in step) await grown.setState(step);
    else await grown.sync(step.of, step.records, async () => void (await grown.show()));
    filling = filled(filling, step);
    const shown = await grown.show();
    expect(shown, name).toEqual(await shownAtOnce(fixture, filling));
    expect(shown, `${name} changes nothing, and so tests nothing`).not.toEqual(before);
    before = shown;
  }
});
