import { expect } from "vitest";
import type { Portfolio } from "../../src/reference-server/portfolio.js";
import { testOfAssumedSchema as test } from "../support/adopted.js";
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

interface LicenseNode {
  readonly id: string;
  readonly state: { readonly activity: string; readonly reason?: string };
  readonly holder: object | null;
  readonly plan: { readonly name: string } | null;
  readonly annualPrice: object | null;
  readonly potentialSaving: object | null;
}

/** Starts a server with one plan of the product Figma and one license of it, held by the account `a1`. */
async function start(portfolio?: Portfolio) {
  const server = await startServer(portfolio === undefined ? {} : { portfolio });
  const { installation } = server;
  installation.set({
    accounts: [account("a1", { email: "Ann@Acme.test", name: "ann" })],
    plans: [plan("p1", "Pro", { product: "Figma" })],
    licenses: [license("l1", "a1", "p1")],
  });
  const licenses = async (): Promise<readonly LicenseNode[]> => {
    const data = await server.query<{ licenses: { nodes: LicenseNode[] } }>(`{ licenses { nodes {
      id
      state { ... on UnusedLicenseState { activity reason } ... on UsedLicenseState { activity } }
      holder { name email employeeId }
      plan { id name integration { id name } }
      annualPrice { amount currency }
      potentialSaving { amount currency }
    } } }`);
    return data.licenses.nodes;
  };
  const first = async (): Promise<LicenseNode | undefined> => (await licenses())[0];
  return { ...server, licenses, first };
}

test("shows a synced license with its plan and integration", async () => {
  const { first } = await start();
  expect(await first()).toEqual({
    id: "i1:l1",
    state: { activity: "UNUSED", reason: "No use was ever seen." },
    holder: { name: "ann", email: "Ann@Acme.test", employeeId: null },
    plan: { id: "i1:p1", name: "Pro", integration: { id: "integration-i1", name: "Figma" } },
    annualPrice: null,
    potentialSaving: null,
  });
});

test("shows new rows immediately and no longer shows removed ones", async () => {
  const { installation, licenses } = await start();
  installation.set({ licenses: [license("l2", "a1", "p1"), license("l3", "a1", "p1")] });
  expect((await licenses()).map(({ id }) => id)).toEqual(["i1:l2", "i1:l3"]);
  installation.set({ licenses: [license("l3", "a1", "p1")], plans: [] });
  expect(await licenses()).toMatchObject([{ id: "i1:l3", plan: null }]);
  installation.set({ accounts: [] });
  expect(await licenses()).toMatchObject([{ holder: null }]);
});

type Records = Parameters<HandSynced["set"]>[0];

const email = "ann@acme.test";
const ann = { name: "Ann Ames", email, employeeId: "e1" };
const microsoft = { id: "e1", displayName: "Ann Ames", userPrincipalName: email };

/** The records that an installation receives, and who holds the license as a result. */
test.each<[what: string, records: Records, holder: object]>([
  ["by e-mail address, ignoring case", { employees: [employee("e1", "Ann Ames", email)] }, ann],
  ["from microsoft", { employees: [{ variant: { $case: "microsoft", value: microsoft } }] }, ann],
  [
    "by the account's id",
    { employees: [employee("a1", "Ann Ames")] },
    { name: "Ann Ames", email: "Ann@Acme.test", employeeId: "a1" },
  ],
  [
    "by the account if there is no employee",
    { accounts: [account("a1", { username: "ann7", email: " ", name: "" })] },
    { name: "ann7", email: null, employeeId: null },
  ],
])("names the holder %s", async (_, records, holder) => {
  const { installation, first } = await start();
  // The server must not return the rows that this first query has read.
  await first();
  installation.set(records);
  expect(await first()).toMatchObject({ holder });
});

const day = "2026-03-14T08:00:00Z";
const uses = (actor: string, fields: Parameters<typeof usage>[2] = {}): Records => ({
  usage: [usage(actor, day, fields)],
});
const found = (...event: Parameters<typeof discoveredUsage>): Records => ({
  externallyDiscoveredUsage: [discoveredUsage(...event)],
});
const employed = (records: Records): Records => ({ ...records, employees: [employee("e1", "Ann", email)] });

test.each<[activity: "USED" | "UNUSED", by: string, records: Records]>([
  ["USED", "use that names neither plan nor product", uses("a1")],
  ["USED", "use of its plan", uses("a1", { planId: "p1" })],
  ["UNUSED", "use of another plan", uses("a1", { planId: "p2" })],
  ["USED", "use of its product, in another case", uses("a1", { product: "FIGMA" })],
  ["UNUSED", "use of another product", uses("a1", { product: "Slack" })],
  ["UNUSED", "use of another plan of the product", uses("a1", { planId: "p2", product: "Figma" })],
  ["UNUSED", "use by another account", uses("a2")],
  [
    "USED",
    "use by another account of the holder",
    employed({ accounts: [account("a1", { email }), account("a2", { email })], ...uses("a2") }),
  ],
  ["USED", "use by the holder's employee id", employed(uses("e1"))],
  ["USED", "use by an account whose record is missing", { accounts: [], ...uses("a1") }],
  ["USED", "use of the integration", { plans: [plan("p1", "Pro")], ...uses("a1", { product: "Figma" }) }],
  ["USED", "discovered use by address", found("x", "Figma", { at: day }, "ANN@acme.test")],
  ["USED", "discovered use by the address of an employee", employed(found("x", "Figma", { at: day }, email))],
  ["USED", "discovered use by account id", found("a1", "figma", { at: day })],
  ["USED", "discovered use by id with an unknown address", found("a1", "figma", { at: day }, "q@x.test")],
  ["USED", "discovered use over a range", found("a1", "Figma", { from: "2026-01-01T00:00:00Z", to: day })],
  ["UNUSED", "discovered use of another product", found("a1", "Slack", { at: day })],
  ["UNUSED", "discovered use of no product", found("a1", undefined, { at: day })],
])("calls a license %s by %s", async (activity, _, records) => {
  const { installation, first } = await start();
  await first();
  installation.set(records);
  expect(await first()).toMatchObject({ state: { activity } });
});

test("keeps an installation's records apart, even if others have the same ids and addresses", async () => {
  const { workspace, first } = await start();
  const other = new HandSynced("i2", "HR");
  workspace.installations.push(other);
  const alone = await first();
  other.set({
    employees: [employee("a1", "Somebody Else"), employee("e1", "Ann Ames", email)],
    usage: [usage("a1", day), usage("e1", day, { product: "Figma" })],
    externallyDiscoveredUsage: [discoveredUsage("x", "Figma", { at: day }, email)],
  });
  expect(await first()).toEqual(alone);
});

test("calls a license unused if its last use is more than 30 days ago", async () => {
  const { installation, first, clock } = await start();
  installation.set({ usage: [usage("a1", "2026-02-13T00:00:00Z"), usage("a1", "2026-01-01T00:00:00Z")] });
  expect(await first()).toMatchObject({ state: { activity: "USED" } });
  clock.advance(12 * 60 * 60 * 1000);
  expect(await first()).toMatchObject({
    state: {
      activity: "UNUSED",
      reason: "The last use was seen on 2026-02-13, more than 30 days ago.",
    },
  });
});

test("calls a license unused after the number of days in the portfolio", async () => {
  const { installation, first } = await start({ unusedAfterDays: 7 });
  installation.set({ usage: [usage("a1", "2026-03-08T00:00:00Z")] });
  expect(await first()).toMatchObject({ state: { activity: "USED" } });
  installation.set({ usage: [usage("a1", "2026-03-07T23:59:59Z")] });
  expect(await first()).toMatchObject({
    state: { reason: "The last use was seen on 2026-03-07, more than 7 days ago." },
  });
});

test("calls the license of an inactive account unused", async () => {
  const { installation, first } = await start();
  installation.set({
    accounts: [account("a1", { active: false })],
    usage: [usage("a1", "2026-03-15T00:00:00Z")],
  });
  expect(await first()).toMatchObject({
    state: { activity: "UNUSED", reason: "The account is not active." },
  });
});

const portfolio: Portfolio = {
  planPrices: [{ planName: "Pro", annualPricePerSeat: "144.10", currency: "EUR" }],
};
const price = { amount: 144.1, currency: "EUR" };
const nothing = { amount: 0, currency: "EUR" };

test("gives a license its plan's price, which is the saving while the license is unused", async () => {
  const { installation, first } = await start(portfolio);
  expect(await first()).toMatchObject({ annualPrice: price, potentialSaving: price });
  installation.set({ usage: [usage("a1", "2026-03-15T00:00:00Z")] });
  expect(await first()).toMatchObject({ annualPrice: price, potentialSaving: nothing });
});

test("prices a license that is not billable at zero", async () => {
  const { installation, first } = await start(portfolio);
  installation.set({ licenses: [license("l1", "a1", "p1", false)] });
  expect(await first()).toMatchObject({ annualPrice: nothing, potentialSaving: nothing });
});
