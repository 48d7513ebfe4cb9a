import { expect, test } from "vitest";
import type { Portfolio } from "../../src/reference-server/portfolio.js";
import { Batch } from "../../src/reference-server/sync/batch.js";
import { Installation } from "../../src/reference-server/sync/state.js";
import { type Collection, type MessageOf, Workspace } from "../../src/reference-server/workspace.js";
import {
  account,
  discoveredUsage,
  employee,
  HandSynced,
  license,
  plan,
  startServer,
  usage,
} from "./graphql-setup.js";

type Records = Parameters<HandSynced["set"]>[0];

/** A change of the records of an installation, of a vendor's state, or of the day. */
type Step =
  | { readonly of: "Figma" | "Okta"; readonly records: Records }
  | { readonly vendor: string }
  | { readonly days: number };

const portfolio: Portfolio = {
  applications: [{ name: "Miro", vendorName: "Miro Inc" }],
  planPrices: [{ planName: "Pro", annualPricePerSeat: "144.50", currency: "EUR" }],
};

const ann = employee("e1", "Ann", "ann@acme.test");
const [pro, team] = [plan("p1", "Pro"), plan("p2", "Team", { product: "FigJam", paidSeats: 4 })];
const [l1, l2, l3] = [license("l1", "a1", "p1"), license("l2", "a2", "p1"), license("l3", "a3", "p2", false)];

const steps: Readonly<Record<string, Step>> = {
  licenses: { of: "Figma", records: { licenses: [l1, l2, l3] } },
  plans: { of: "Figma", records: { plans: [pro, team] } },
  accounts: {
    of: "Figma",
    records: { accounts: [account("a1", { email: "ann@acme.test" }), account("a2"), account("a3")] },
  },
  "an account that is not active": {
    of: "Figma",
    records: {
      accounts: [account("a1", { email: "ann@acme.test" }), account("a2"), account("a3", { active: false })],
    },
  },
  employees: { of: "Figma", records: { employees: [ann, employee("a2", "Bob")] } },
  usage: { of: "Figma", records: { usage: [usage("a1", "2026-03-10T08:00:00Z")] } },
  "usage of another installation": {
    of: "Okta",
    records: {
      accounts: [account("x2", { email: "bob@acme.test" }), account("x1", { email: "ann@acme.test" })],
      usage: [usage("x1", "2026-03-14T08:00:00Z", { product: "figjam" })],
    },
  },
  "discovered usage": {
    of: "Okta",
    records: {
      externallyDiscoveredUsage: [
        discoveredUsage("9", "Notion", { at: "2026-03-13T08:00:00Z" }, "n@else.test"),
      ],
    },
  },
  "a vendor's state": { vendor: "Notion" },
  "fewer licenses": { of: "Figma", records: { licenses: [l1] } },
  "fewer employees": { of: "Figma", records: { employees: [] } },
  "days without use": { days: 31 },
  "no plans": { of: "Figma", records: { plans: [] } },
};

const everything = `{
  applications(first: 100, order: [{ userCountStat: { all: DESC } }]) {
    nodes { id state lastUsed userCountStat { all last30Days } }
  }
  licenses(first: 100) { nodes { ...license } }
  unused: licenses(first: 100, where: { state: { activity: { eq: UNUSED } } }, order: [{ holder: { name: ASC } }]) {
    nodes { ...license }
  }
  licensePlans(first: 100) { nodes { ...plan } }
}
fragment license on License {
  id
  state { ... on UsedLicenseState { activity } ... on UnusedLicenseState { activity reason } }
  holder { name email employeeId }
  plan { ...plan }
  potentialSaving { amount currency }
}
fragment plan on LicensePlan {
  id
  name
  pricingStats { annualCost potentialSaving { amount percentage } }
  usageStats { total inUse { total } unused { total } }
}`;

test("shows after every change what a new workspace with the same data shows", async () => {
  const { workspace, installation: figma, clock, query, keys, send } = await startServer({ portfolio });
  const okta = new HandSynced("i2", "Okta");
  workspace.installations.push(okta);
  const records: { Figma: Records; Okta: Records } = { Figma: {}, Okta: {} };

  /** What a workspace shows whose views were never cached. */
  async function shownByNewWorkspace(): Promise<unknown> {
    const other = new Workspace("w2", portfolio);
    other.vendorStates = workspace.vendorStates;
    other.installations.push(new HandSynced("i1", "Figma").set(records.Figma));
    other.installations.push(new HandSynced("i2", "Okta").set(records.Okta));
    const authorization = keys.create({ workspace: other, scope: "read", permissions: [] });
    return (await send(everything, {}, { authorization })).data;
  }

  let before = await query(everything);
  for (const [name, step] of Object.entries(steps)) {
    if ("days" in step) clock.advance(step.days * 24 * 60 * 60 * 1000);
    else if ("vendor" in step) workspace.setVendorStates([step.vendor], "ARCHIVED");
    else {
      (step.of === "Figma" ? figma : okta).set(step.records);
      Object.assign(records[step.of], step.records);
    }
    const shown = await query(everything);
    expect(shown, name).toEqual(await shownByNewWorkspace());
    expect(shown, `${name} changed nothing`).not.toEqual(before);
    before = shown;
  }
});

test("updated views show the same as new ones after random changes of any collection", async () => {
  const { workspace, keys, send, query } = await startServer({ portfolio });
  const installations = ["Figma", "Okta"].map((name) => new Installation(workspace, name, name));
  workspace.installations.splice(0, 1, ...installations);
  let state = 5;
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor(state / 7) % below;
  };
  const email = () => (random(3) === 0 ? "" : `${random(5)}@acme.test`);
  const day = () => `2026-03-${10 + random(5)}T08:00:00Z`;
  const accountId = () => `a${random(6)}`;
  const product = () => (random(2) === 0 ? "" : "FigJam");
  const plans = [pro, team];

  function sync<C extends Collection>(to: Installation, collection: C, records: readonly MessageOf<C>[]) {
    const batch = new Batch(to.batches.length + 1, 0);
    to.batches.push(batch);
    to.stores[collection].write(records, batch);
    // Every second one removes what it did not send.
    if (random(2) === 0) to.stores[collection].complete(batch);
  }
  const several = <R>(make: () => R): R[] => Array.from({ length: 1 + random(5) }, make);
  const changes: readonly ((to: Installation) => void)[] = [
    (to) =>
      sync(
        to,
        "accounts",
        several(() => account(accountId(), { email: email(), active: random(4) > 0 })),
      ),
    (to) =>
      sync(
        to,
        "employees",
        several(() => employee(accountId(), `E${random(9)}`, email())),
      ),
    (to) => sync(to, "plans", plans.slice(random(2), 1 + random(2))),
    (to) =>
      sync(
        to,
        "licenses",
        several(() => license(`l${random(8)}`, accountId(), `p${1 + random(2)}`)),
      ),
    (to) => sync(to, "usage", [usage(accountId(), day(), { product: product() })]),
    (to) =>
      sync(to, "externallyDiscoveredUsage", [discoveredUsage(accountId(), "FigJam", { at: day() }, email())]),
  ];
  for (let round = 0; round < 30; round += 1) {
    const to = installations[random(2)];
    for (const change of changes) if (to !== undefined && random(2) === 0) change(to);
    const other = new Workspace("w2", portfolio);
    other.installations.push(...installations);
    const authorization = keys.create({ workspace: other, scope: "read", permissions: [] });
    expect(await query(everything), `round ${round}`).toEqual(
      (await send(everything, {}, { authorization })).data,
    );
  }
});
