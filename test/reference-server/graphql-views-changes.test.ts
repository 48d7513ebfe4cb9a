import fc from "fast-check";
import { expect, test } from "vitest";
import { Batch } from "../../src/reference-server/sync/batch.js";
import { Installation } from "../../src/reference-server/sync/state.js";
import { type Collection, type MessageOf, Workspace } from "../../src/reference-server/workspace.js";
import { LIMITS, RUNS } from "../support/property-runs.js";
import { account, discoveredUsage, employee, license, plan, startServer, usage } from "./graphql-setup.js";

const PORTFOLIO = {
  applications: [{ name: "Miro", vendorName: "Miro Inc" }],
  planPrices: [{ planName: "Pro", annualPricePerSeat: "144.50", currency: "EUR" }],
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

const below = (limit: number) => fc.nat({ max: limit - 1 });
const accountId = below(6).map((n) => `a${n}`);
const email = below(6).map((n) => (n === 0 ? "" : `${n}@acme.test`));
const day = below(40).map((n) => new Date(Date.UTC(2026, 1, 4 + n, 8)).toISOString());
const product = fc.constantFrom("", "FigJam", "Notion");

/** A snapshot, whole or in part, or an event, written to one of two installations. */
interface Written<C extends Collection = Collection> {
  readonly collection: C;
  readonly records: readonly MessageOf<C>[];
}
function written<C extends Collection>(collection: C, record: fc.Arbitrary<MessageOf<C>>) {
  return fc.record({ collection: fc.constant(collection), records: fc.array(record, { maxLength: 5 }) });
}
const changes: fc.Arbitrary<Written | { readonly vendor: string } | { readonly days: number }> = fc.oneof(
  written(
    "accounts",
    fc.tuple(accountId, email, fc.boolean()).map(([id, email, active]) => account(id, { email, active })),
  ),
  written(
    "employees",
    fc.tuple(accountId, email).map(([id, email]) => employee(id, `E ${id}`, email)),
  ),
  written(
    "plans",
    fc.constantFrom(plan("p1", "Pro"), plan("p2", "Team", { product: "FigJam", paidSeats: 4 })),
  ),
  written(
    "licenses",
    fc
      .tuple(below(8), accountId, below(2))
      .map(([id, of, on]) => license(`l${id}`, of, `p${on + 1}`, id > 0)),
  ),
  written(
    "usage",
    fc.tuple(accountId, day, product).map(([id, at, product]) => usage(id, at, { product })),
  ),
  written(
    "externallyDiscoveredUsage",
    fc
      .tuple(accountId, day, product, email)
      .map(([id, at, name, email]) => discoveredUsage(id, name, { at }, email)),
  ),
  fc.record({ vendor: fc.constantFrom("Notion", "Miro Inc") }),
  fc.record({ days: below(20) }),
);
const steps = fc.array(fc.tuple(changes, below(2), fc.boolean()), { minLength: 4, maxLength: 12 });

test("shows after every change what a new workspace with the same data shows", async () => {
  const { clock, keys, send } = await startServer();
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const workspace = new Workspace("w", PORTFOLIO);
      workspace.installations.push(
        ...["Figma", "Okta"].map((name) => new Installation(workspace, name, name)),
      );
      const shown = async (to: Workspace) => {
        const authorization = keys.create({ workspace: to, scope: "read", permissions: [] });
        return (await send(everything, {}, { authorization })).data;
      };
      for (const [step, to, isWhole] of all) {
        const installation = workspace.installations[to];
        if ("days" in step) clock.advance(step.days * 24 * 60 * 60 * 1000);
        else if ("vendor" in step) workspace.setVendorStates([step.vendor], "ARCHIVED");
        else if (installation instanceof Installation) sync(installation, step, isWhole);
        const other = new Workspace("w2", PORTFOLIO);
        other.vendorStates = workspace.vendorStates;
        other.installations.push(...workspace.installations);
        expect(await shown(workspace)).toEqual(await shown(other));
      }
    }),
    { ...LIMITS, numRuns: Math.ceil(RUNS / 6) },
  );
});

function sync<C extends Collection>(to: Installation, { collection, records }: Written<C>, isWhole: boolean) {
  const batch = new Batch(to.batches.length + 1, 0);
  to.batches.push(batch);
  to.stores[collection].write(records, batch);
  if (isWhole) to.stores[collection].complete(batch);
}
