import { expect, test } from "vitest";
import type { Portfolio } from "../../src/reference-server/portfolio.js";
import type { MessageOf } from "../../src/reference-server/workspace.js";
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
  const { installation, workspace } = server;
  installation.set({
    accounts: [account("a1", { email: "Ann@Acme.test", name: "ann" })],
    plans: [plan("p1", "Pro", { product: "Figma" })],
    licenses: [license("l1", "a1", "p1")],
  });
  const directory = new HandSynced("i2", "HR");
  workspace.installations.push(directory);
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
  return { ...server, directory, licenses, first };
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

test("shows new rows immediately and removed rows no more", async () => {
  const { installation, licenses } = await start();
  installation.set({ licenses: [license("l2", "a1", "p1"), license("l3", "a1", "p1")] });
  expect((await licenses()).map(({ id }) => id)).toEqual(["i1:l2", "i1:l3"]);
  installation.set({ licenses: [license("l3", "a1", "p1")], plans: [] });
  expect(await licenses()).toMatchObject([{ id: "i1:l3", plan: null }]);
  installation.set({ accounts: [] });
  expect(await licenses()).toMatchObject([{ holder: null }]);
});

test("distinguishes licenses of two installations with the same id", async () => {
  const { directory, licenses } = await start();
  directory.set({ licenses: [license("l1", "a1", "p1")] });
  expect(await licenses()).toMatchObject([
    { id: "i1:l1", plan: { name: "Pro" } },
    { id: "i2:l1", plan: null, holder: null },
  ]);
});

const ann = { name: "Ann Ames", email: "ann@acme.test", employeeId: "e1" };

test("names the holder by e-mail address, ignoring case, from another installation", async () => {
  const { directory, first } = await start();
  directory.set({ employees: [employee("e1", "Ann Ames", "ann@acme.test")] });
  expect(await first()).toMatchObject({ holder: ann });
});

test("names the holder by an alias of the employee", async () => {
  const { directory, first } = await start();
  directory.set({ employees: [employee("e1", "Ann Ames", "a.ames@acme.test", ["ANN@acme.test"])] });
  expect(await first()).toMatchObject({ holder: { ...ann, email: "a.ames@acme.test" } });
});

const details = { displayName: "Ann Ames", id: "e1" };
const directories: [string, NonNullable<MessageOf<"employees">["variant"]>][] = [
  ["microsoft", { $case: "microsoft", value: { ...details, userPrincipalName: "ann@acme.test" } }],
  ["google", { $case: "google", value: { id: "e1", fullName: "Ann Ames", primaryEmail: "ann@acme.test" } }],
  ["okta", { $case: "okta", value: { ...details, login: "ann@acme.test" } }],
  ["bambooHr", { $case: "bambooHr", value: { ...details, workEmail: "ann@acme.test" } }],
];
test.each(directories)("names the holder from the employee model of %s", async (_, variant) => {
  const { directory, first } = await start();
  directory.set({ employees: [{ variant }] });
  expect(await first()).toMatchObject({ holder: ann });
});

test("names the holder by the account's id in the same installation", async () => {
  const { installation, first } = await start();
  installation.set({ employees: [employee("a1", "Ann Ames")] });
  expect(await first()).toMatchObject({
    holder: { name: "Ann Ames", email: "Ann@Acme.test", employeeId: "a1" },
  });
});

test("names the holder by the account's id in another installation only if the account has no address", async () => {
  const { installation, directory, first } = await start();
  directory.set({ employees: [employee("a1", "Somebody Else", "else@acme.test")] });
  expect(await first()).toMatchObject({ holder: { name: "ann", employeeId: null } });
  installation.set({ accounts: [account("a1", { username: "ann" })] });
  expect(await first()).toMatchObject({ holder: { name: "Somebody Else", employeeId: "a1" } });
});

test("names the holder by the account if there is no employee", async () => {
  const { installation, first } = await start();
  installation.set({ accounts: [account("a1", { username: "ann7", email: " ", name: "" })] });
  expect(await first()).toMatchObject({ holder: { name: "ann7", email: null, employeeId: null } });
});

const used = { state: { activity: "USED" } };
const unused = { state: { activity: "UNUSED" } };
const day = "2026-03-14T08:00:00Z";

const ofPlan: [string, object, object][] = [
  ["that names neither plan nor product", {}, used],
  ["of its plan", { planId: "p1" }, used],
  ["of another plan", { planId: "p2" }, unused],
  ["of its product, in another case", { product: "FIGMA" }, used],
  ["of another product", { product: "Slack" }, unused],
  ["of another plan of the product", { planId: "p2", product: "Figma" }, unused],
];
test.each(ofPlan)("rates a license by use of its account %s", async (_, fields, expected) => {
  const { installation, first } = await start();
  installation.set({ usage: [usage("a1", day, fields)] });
  expect(await first()).toMatchObject(expected);
});

test("ignores use without a product by another account of the holder in the same source", async () => {
  const { installation, first } = await start();
  const email = "ann@acme.test";
  installation.set({
    accounts: [account("a1", { email }), account("a2", { email })],
    usage: [usage("a2", day), usage("a2", day, { planId: "p1" })],
  });
  expect(await first()).toMatchObject(unused);
});

test("ignores use by another account", async () => {
  const { installation, first } = await start();
  installation.set({ usage: [usage("a2", day)] });
  expect(await first()).toMatchObject(unused);
});

test("counts use by the holder's employee id from any installation if the product matches", async () => {
  const { installation, directory, first } = await start();
  directory.set({
    employees: [employee("e1", "Ann", "ann@acme.test")],
    usage: [usage("e1", day, { product: "Figma" })],
  });
  expect(await first()).toMatchObject(used);
  directory.set({ usage: [usage("e1", day), usage("e1", day, { planId: "p1" })] });
  expect(await first()).toMatchObject(unused);
  installation.set({ usage: [usage("e1", day)] });
  expect(await first()).toMatchObject(used);
});

test("counts use of the product by another account of the holder, such as one of a sign-on system", async () => {
  const { directory, first } = await start();
  directory.set({
    accounts: [account("00u7", { email: "ann@acme.test" })],
    usage: [usage("00u7", day, { product: "Figma" })],
  });
  expect(await first()).toMatchObject(used);
});

test("takes the integration as the product of a plan that names none", async () => {
  const { installation, first } = await start();
  installation.set({ plans: [plan("p1", "Pro")], usage: [usage("a1", day, { product: "Figma" })] });
  expect(await first()).toMatchObject(used);
});

const discovered: [string, MessageOf<"externallyDiscoveredUsage">, object][] = [
  ["by address", discoveredUsage("x", "Figma", { at: day }, "ANN@acme.test"), used],
  ["by account id", discoveredUsage("a1", "figma", { at: day }), used],
  ["by account id with an unknown address", discoveredUsage("a1", "figma", { at: day }, "q@x.test"), used],
  [
    "over a range that ended recently",
    discoveredUsage("a1", "Figma", { from: "2026-01-01T00:00:00Z", to: day }),
    used,
  ],
  ["of another product", discoveredUsage("a1", "Slack", { at: day }), unused],
  ["of no product", discoveredUsage("a1", undefined, { at: day }), unused],
];
test.each(discovered)("rates a license by discovered use %s", async (_, event, expected) => {
  const { installation, first } = await start();
  installation.set({ externallyDiscoveredUsage: [event] });
  expect(await first()).toMatchObject(expected);
});

test("calls a license unused whose last use is more than 30 days ago", async () => {
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

test("calls a license unused after as many days as the portfolio says", async () => {
  const { installation, first } = await start({ unusedAfterDays: 7 });
  installation.set({ usage: [usage("a1", "2026-03-08T00:00:00Z")] });
  expect(await first()).toMatchObject({ state: { activity: "USED" } });
  installation.set({ usage: [usage("a1", "2026-03-07T23:59:59Z")] });
  expect(await first()).toMatchObject({
    state: { reason: "The last use was seen on 2026-03-07, more than 7 days ago." },
  });
});

test("calls a license of an inactive account unused", async () => {
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

test("prices a license as its plan, which can be saved while it is unused", async () => {
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
