/** Disasters of fields at an organisation of 400 people, after ten healthy runs on ten days. */
import { type RunBatch, SaasManagementClient, type SnapshotCollection } from "@saas-management/sdk";
import { memoryLedger, type ReferenceServer, startReferenceServer } from "@saas-management/sdk/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const DAY_MS = 24 * 60 * 60_000;
const DAYS = 10;
const COLLECTIONS = ["accounts", "licenses", "plans", "employees"] as const;

type World = ReturnType<typeof worldOn>;

const list = <T>(length: number, make: (i: number) => T) => Array.from({ length }, (_, i) => make(i));
const ofList = (values: readonly string[], i: number) => values[i % values.length] ?? "";
const word = (i: number) => ((i + 1) * 2_654_435_761).toString(36).slice(-5);

/** What the source has on a day: titles and licenses change now and then, consumed seats every day. */
function worldOn(day: number) {
  const isNew = (i: number) => day > 0 && i % 97 === day;
  return {
    accounts: list(400, (i) => ({
      id: `a-${i}`,
      name: `${word(i)} ${word(i + 1000)}`,
      email: `${word(i)}.${word(i + 1000)}@example.com`,
      username: `${word(i)}-${i}`,
      active: i % 12 > 0,
      roles: i % 9 === 0 ? ["admin"] : ["member"],
      type: i % 5 === 0 ? "guest" : "member",
    })),
    licenses: list(350, (i) => ({
      sourceId: `l-${i}`,
      sourceAccountId: `a-${isNew(i) ? i + 1 : i}`,
      sourcePlanId: `p-${(i * i) % 12}`,
      billable: i % 6 > 0,
    })),
    plans: list(12, (i) => ({
      id: `p-${i}`,
      externalPlanName: `plan ${word(i)}`,
      details: {
        model: "SEAT_BASED" as const,
        seatBased: { paidSeats: 10 + 7 * i, consumedSeats: 5 + i + day },
      },
    })),
    employees: list(400, (i) => ({
      id: `e-${i}`,
      fullName: `${word(i)} ${word(i + 1000)}`,
      email: `${word(i)}@example.com`,
      jobTitle: `title ${isNew(i) ? day : (i * 7) % 40}`,
      country: ofList(["DE", "DE", "DE", "FR", "US", "GB"], i),
      costCenter: `c-${(i * 3) % 20}`,
      userType: i % 5 === 0 ? "contractor" : "employee",
      managerId: `e-${i % 45}`,
      creationTime: new Date(Date.UTC(2020, 0, 1) + i * DAY_MS),
    })),
  };
}

const ledger = memoryLedger();
let server: ReferenceServer;
let client: SaasManagementClient;

function connectorOf(world: World) {
  return {
    snapshots: COLLECTIONS,
    run: async (batch: RunBatch<SnapshotCollection>) => {
      for (const collection of COLLECTIONS) await batch.write(collection, world[collection]);
    },
  };
}

beforeAll(async () => {
  server = await startReferenceServer();
  const { baseUrl, syncUrl, apiKey, clock, installationId } = server;
  client = new SaasManagementClient({ baseUrl, syncUrl, apiKey, clock, sync: { ledger, installationId } });
  for (let day = 0; day < DAYS; day += 1) {
    await client.sync.run(connectorOf(worldOn(day)), { firstRun: day === 0 });
    clock.advance(DAY_MS);
  }
});

afterAll(async () => {
  await client.close();
  await server.close();
});

/** The fields for which the guard would hold a run. */
async function heldFields(change: Partial<World>): Promise<readonly string[]> {
  const preview = await client.sync.preview(connectorOf({ ...today, ...change }));
  return (preview.held?.reasons ?? []).flatMap(({ rule, collection, fields = [] }) =>
    rule === "changed" ? fields.map((field) => `${collection}.${field}`) : [rule],
  );
}

const today = worldOn(DAYS);
const { accounts, licenses, plans, employees } = today;

type Change<T> = (record: T, below: T, i: number) => Partial<T>;

/** Other fields in each record, which may come from the row below. */
function mapped<T>(records: readonly T[], change: Change<T>): T[] {
  return records.map((one, i) => ({ ...one, ...change(one, records[(i + 1) % records.length] ?? one, i) }));
}

const changed = {
  accounts: (change: Change<World["accounts"][number]>) => ({ accounts: mapped(accounts, change) }),
  licenses: (change: Change<World["licenses"][number]>) => ({ licenses: mapped(licenses, change) }),
  plans: (change: Change<World["plans"][number]>) => ({ plans: mapped(plans, change) }),
  employees: (change: Change<World["employees"][number]>) => ({ employees: mapped(employees, change) }),
};

function seatBased(plan: World["plans"][number], paidSeats: number) {
  const { details } = plan;
  return { details: { ...details, seatBased: { ...details.seatBased, paidSeats } } };
}

const NOTHING: readonly string[] = [];

test.each<readonly [disaster: string, held: readonly string[], world: Partial<World>]>([
  ['every address is "undefined"', ["accounts.email"], changed.accounts(() => ({ email: "undefined" }))],
  ['names are "[object Object]"', ["accounts.name"], changed.accounts(() => ({ name: "[object Object]" }))],
  [
    "addresses are masked",
    ["accounts.email"],
    changed.accounts(({ email }) => ({ email: `${email[0]}***@example.com` })),
  ],
  ["everybody is an admin", ["accounts.roles"], changed.accounts(() => ({ roles: ["admin"] }))],
  ["everybody is an owner", ["accounts.roles"], changed.accounts(() => ({ roles: ["owner"] }))],
  ["all accounts are guests", ["accounts.type"], changed.accounts(() => ({ type: "guest" }))],
  ["a boolean is negated", ["accounts.active"], changed.accounts(({ active }) => ({ active: !active }))],
  ["nobody is active", ["accounts.active"], changed.accounts(() => ({ active: false }))],
  [
    "user names are cut after three letters",
    ["accounts.username"],
    changed.accounts(({ username }) => ({ username: username.slice(0, 3) })),
  ],
  [
    "two columns are swapped",
    ["accounts.name", "accounts.email"],
    changed.accounts(({ name, email }) => ({ name: email, email: name })),
  ],
  [
    "accounts are joined with the row below",
    ["accounts.name", "accounts.email", "accounts.username"],
    changed.accounts(({ id }, below) => ({ ...below, id })),
  ],
  [
    "all licenses are of one plan",
    ["licenses.sourcePlanId"],
    changed.licenses(() => ({ sourcePlanId: "p-1" })),
  ],
  [
    "licenses are shifted by a row",
    ["licenses.sourceAccountId"],
    changed.licenses((_, { sourceAccountId }) => ({ sourceAccountId })),
  ],
  [
    "all licenses name one account",
    ["licenses.sourceAccountId"],
    changed.licenses(() => ({ sourceAccountId: "a-7" })),
  ],
  ["nothing is billable", ["licenses.billable"], changed.licenses(() => ({ billable: false }))],
  [
    "paid seats are 0 everywhere",
    ["plans.details.seatBased.paidSeats"],
    changed.plans((plan) => seatBased(plan, 0)),
  ],
  [
    "paid seats are those of a thousand",
    ["plans.details.seatBased.paidSeats"],
    changed.plans((plan) => seatBased(plan, plan.details.seatBased.paidSeats * 1000)),
  ],
  [
    "cost centres are shifted by a row",
    ["employees.costCenter"],
    changed.employees((_, { costCenter }) => ({ costCenter })),
  ],
  ["all are of one country", ["employees.country"], changed.employees(() => ({ country: "US" }))],
  ["all report to one", ["employees.managerId"], changed.employees(() => ({ managerId: "e-1" }))],
  [
    "times are those of another zone",
    ["employees.creationTime"],
    changed.employees(({ creationTime }) => ({ creationTime: new Date(creationTime.getTime() + 3_600_000) })),
  ],
  [
    "half of the job titles are lost",
    ["employees.jobTitle"],
    changed.employees((_, __, i) => (i % 2 === 0 ? { jobTitle: "" } : {})),
  ],
  // What the rule cannot see.
  [
    "a tenth of the names are wrong",
    NOTHING,
    changed.employees(({ fullName }, _, i) => (i % 10 === 0 ? { fullName: `${fullName}?` } : {})),
  ],
  [
    "all addresses are of another domain",
    NOTHING,
    changed.employees(({ email }) => ({ email: email.replace("example", "elsewhere") })),
  ],
  [
    "a third of the countries are wrong",
    NOTHING,
    changed.employees(({ country }, _, i) =>
      i % 3 === 0 ? { country: country === "DE" ? "FR" : "US" } : {},
    ),
  ],
])("%s: %j", async (_, held, world) => {
  expect(await heldFields(world)).toEqual(held);
});

test("passes the healthy run of the next day", async () => {
  expect(await heldFields(today)).toEqual([]);
});
