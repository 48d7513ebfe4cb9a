/**
 * Fifty disasters made by hand, apart from those of `npm run simulate:guard`: what sources of a company of two hundred have
 * done. What passes is what the guide "Snapshot safety" says that the guard doesn't see.
 */
import { memoryLedger } from "@saas-management/sdk/testing";
import { beforeAll, expect, test } from "vitest";
import { testService } from "../../../support/test-service.js";
import { DAY_MS } from "./attacks.js";

type Row = Readonly<Record<string, unknown>>;
type Tables = Readonly<Record<"accounts" | "plans" | "licenses" | "employees", readonly Row[]>>;

const SNAPSHOTS = ["accounts", "plans", "licenses", "employees"] as const;
const TYPES = ["member", "member", "member", "guest", "admin"];
const COUNTRIES = ["DE", "FR", "PL", "AT"];
const rows = (count: number, of: (i: number) => Row, from = 0) =>
  Array.from({ length: count }, (_, i) => of(from + i));
const account = (i: number): Row => ({
  id: `a-${i}`,
  name: `${["Jörg", "Anna", "Zoë"][i % 3]} Person${i}`,
  email: `person.${i}@acme.example`,
  username: `p${i}`,
  active: i % 5 !== 0,
  type: TYPES[i % 5],
  roles: [i % 9 === 0 ? "owner" : "user"],
});
const plan = (i: number): Row => ({
  id: `p-${i}`,
  externalPlanName: `Plan ${i}`,
  details: { model: "SEAT_BASED", seatBased: {} },
});
const license = (i: number): Row => ({
  sourceId: `l-${i}`,
  sourceAccountId: `a-${i}`,
  sourcePlanId: `p-${i % 3}`,
  billable: i % 6 !== 0,
});
const employee = (i: number): Row => ({
  id: `e-${i}`,
  fullName: `Person${i} ${["Jörg", "Anna", "Zoë"][i % 3]}`,
  email: `person.${i}@acme.example`,
  active: i % 20 !== 0,
  departmentPath: ["Acme", `Department ${i % 7}`],
  costCenter: `00${10 + (i % 12)}`,
  managerId: `e-${i % 15}`,
  country: COUNTRIES[i % 4],
  jobTitle: `Title ${i % 25}`,
  creationTime: new Date(Date.UTC(2020, i % 12, 1 + (i % 28))),
});
const COMPANY: Tables = {
  accounts: rows(200, account),
  plans: rows(3, plan),
  licenses: rows(160, license),
  employees: rows(200, employee),
};

const service = testService();
const aged = { "two weeks": memoryLedger(), "two days": memoryLedger() };

const sending = (tables: Tables) => ({
  snapshots: SNAPSHOTS,
  run: async (batch: { write(name: (typeof SNAPSHOTS)[number], records: readonly never[]): unknown }) => {
    for (const name of SNAPSHOTS) await batch.write(name, JSON.parse(JSON.stringify(tables[name])));
  },
});

const change =
  (name: keyof Tables, changed: (row: Row, i: number) => Row) =>
  (tables: Tables): Tables => ({
    ...tables,
    [name]: tables[name].map((row, i) => ({ ...row, ...changed(row, i) })),
  });
const keep =
  (name: keyof Tables, isKept: (row: Row, i: number) => boolean) =>
  (tables: Tables): Tables => ({ ...tables, [name]: tables[name].filter(isKept) });
const add =
  (name: keyof Tables, more: (tables: Tables) => readonly Row[]) =>
  (tables: Tables): Tables => ({ ...tables, [name]: [...tables[name], ...more(tables)] });

const HELD = "held";
const PASSES = "passes";
/** After two weeks, and after two days. */
const ALWAYS = [HELD, HELD];
const LATER = [HELD, PASSES];
const NEVER = [PASSES, PASSES];

const DISASTERS: readonly (readonly [
  name: string,
  change: (tables: Tables) => Tables,
  outcomes: readonly string[],
])[] = [
  // Fields.
  [
    "30 % of the addresses are null",
    change("accounts", (_, i) => (i % 10 < 3 ? { email: null } : {})),
    ALWAYS,
  ],
  ["all addresses are empty", change("employees", () => ({ email: "" })), ALWAYS],
  ["addresses lack @ and domain", change("accounts", (_, i) => ({ email: `person.${i}` })), ALWAYS],
  [
    "address and user name are swapped",
    change("accounts", ({ email, username }) => ({ email: username, username: email })),
    ALWAYS,
  ],
  ["names are ids", change("accounts", ({ id }) => ({ name: id })), ALWAYS],
  [
    "85 % of the names are undefined",
    change("accounts", (_, i) => (i % 20 < 17 ? { name: "undefined undefined" } : {})),
    ALWAYS,
  ],
  [
    "half of the names are undefined",
    change("accounts", (_, i) => (i % 2 === 0 ? { name: "undefined" } : {})),
    LATER,
  ],
  [
    "names are cut at eight letters",
    change("accounts", ({ name }) => ({ name: `${name}`.slice(0, 8) })),
    ALWAYS,
  ],
  [
    "umlauts are mojibake",
    change("accounts", ({ name }) => ({ name: Buffer.from(`${name}`).toString("latin1") })),
    LATER,
  ],
  [
    "names are in capitals",
    change("employees", ({ fullName }) => ({ fullName: `${fullName}`.toUpperCase() })),
    ALWAYS,
  ],
  [
    "first name and surname are swapped",
    change("employees", ({ fullName }) => ({ fullName: `${fullName}`.split(" ").reverse().join(" ") })),
    ALWAYS,
  ],
  ["a boolean is negated", change("accounts", ({ active }) => ({ active: active === false })), ALWAYS],
  ["all accounts are inactive", change("accounts", () => ({ active: false })), ALWAYS],
  ["all accounts are active", change("accounts", () => ({ active: true })), LATER],
  ["one type for all", change("accounts", () => ({ type: "guest" })), LATER],
  ["types are translated", change("accounts", ({ type }) => ({ type: `Typ ${type}` })), ALWAYS],
  ["all roles are lost", change("accounts", () => ({ roles: [] })), ALWAYS],
  [
    "departments are those of the row below",
    change("employees", (_, i) => ({ departmentPath: employee(i + 1)["departmentPath"] })),
    ALWAYS,
  ],
  ["one manager for all", change("employees", () => ({ managerId: "e-1" })), ALWAYS],
  [
    "leading zeros are lost",
    change("employees", ({ costCenter }) => ({ costCenter: `${Number(costCenter)}` })),
    ALWAYS,
  ],
  ["countries are names", change("employees", ({ country }) => ({ country: `Land ${country}` })), ALWAYS],
  ["all licenses are free of charge", change("licenses", () => ({ billable: false })), ALWAYS],
  [
    "licenses name accounts by their addresses",
    change("licenses", (_, i) => ({ sourceAccountId: `person.${i}@acme.example` })),
    ALWAYS,
  ],
  [
    "licenses name plans by their names",
    change("licenses", (_, i) => ({ sourcePlanId: `Plan ${i % 3}` })),
    ALWAYS,
  ],
  [
    "days of entry are those of another zone",
    change("employees", ({ creationTime }) => ({ creationTime: new Date(Number(creationTime) - 7_200_000) })),
    LATER,
  ],
  [
    "all addresses have another domain",
    change("accounts", (_, i) => ({ email: `person.${i}@invalid` })),
    NEVER,
  ],
  [
    "a fifth of the titles is lost",
    change("employees", (_, i) => (i % 5 === 0 ? { jobTitle: null } : {})),
    NEVER,
  ],
  // Ids.
  ["the last sixth is missing", keep("accounts", (_, i) => i < 166), LATER],
  [
    "a tenth is there twice in place of another",
    (tables) =>
      add("accounts", ({ accounts }) => accounts.slice(0, 20))(keep("accounts", (_, i) => i < 180)(tables)),
    ALWAYS,
  ],
  ["a site of 20 % is missing", keep("employees", (_, i) => i % 5 !== 2), LATER],
  ["half is missing", keep("licenses", (_, i) => i % 2 === 0), ALWAYS],
  ["one of three plans is missing", keep("plans", (_, i) => i !== 1), ALWAYS],
  ["no plan is left", keep("plans", () => false), ALWAYS],
  ["only licenses of one plan", keep("licenses", ({ sourcePlanId }) => sourcePlanId === "p-0"), ALWAYS],
  [
    "the licenses of one plan are missing",
    keep("licenses", ({ sourcePlanId }) => sourcePlanId !== "p-2"),
    ALWAYS,
  ],
  ["only active accounts are sent", keep("accounts", ({ active }) => active === true), LATER],
  ["guests are left out", keep("accounts", ({ type }) => type !== "guest"), LATER],
  ["only inactive accounts are sent", keep("accounts", ({ active }) => active === false), ALWAYS],
  ["a page of a hundred", keep("employees", (_, i) => i < 100), ALWAYS],
  ["one person in ten is missing", keep("employees", (_, i) => i % 10 !== 3), NEVER],
  [
    "each under a second id",
    add("accounts", () => rows(200, (i) => ({ ...account(i), id: `A-${i}` }))),
    ALWAYS,
  ],
  ["ids are in capitals", change("accounts", ({ id }) => ({ id: `${id}`.toUpperCase() })), ALWAYS],
  ["a second tenant of half the size", add("accounts", () => rows(100, account, 1000)), ALWAYS],
  ["a second tenant of a third of the size", add("accounts", () => rows(66, account, 1000)), NEVER],
  [
    "a hundred test records",
    add("employees", () => rows(100, (i) => ({ ...employee(i), id: `test-${i}` }))),
    ALWAYS,
  ],
  [
    "a license for each month",
    add("licenses", () => rows(480, (i) => ({ ...license(i % 160), sourceId: `l-${i % 160}-${i}` }))),
    ALWAYS,
  ],
  [
    "accounts are those of another tenant",
    (tables) => ({ ...tables, accounts: rows(190, account, 5000) }),
    ALWAYS,
  ],
  [
    "accounts and employees change places",
    (tables) => ({ ...tables, accounts: tables.employees.map(({ id }) => ({ id })) }),
    ALWAYS,
  ],
  [
    "a fifth of the ids is renewed",
    change("accounts", ({ id }, i) => (i % 5 === 1 ? { id: `new-${id}` } : {})),
    LATER,
  ],
  ["a twentieth of the licenses is missing", keep("licenses", (_, i) => i % 20 !== 7), NEVER],
];

beforeAll(() => {
  expect(DISASTERS).toHaveLength(50);
});

test("holds most of fifty disasters by hand, and says nothing about a company that changes a little", async () => {
  const outcomes: Record<string, readonly string[]> = {};
  const installationId = service.installationId;
  for (const [age, days] of [
    ["two weeks", [4, 4, 4, 2]],
    ["two days", [1, 1]],
  ] as const) {
    await service.sync.run(sending(COMPANY), { installationId, ledger: aged[age], firstRun: true });
    for (const pause of days) {
      service.clock.advance(pause * DAY_MS);
      if (pause !== days.at(-1))
        await service.sync.run(sending(COMPANY), { installationId, ledger: aged[age] });
    }
    const quiet = [
      change("accounts", ({ name }, i) => (i % 20 === 0 ? { name: `${name} (she/her)` } : {})),
      keep("employees", (_, i) => i % 20 !== 3),
      add("licenses", () => rows(30, license, 500).map((row) => ({ ...row, sourceAccountId: "a-1" }))),
    ];
    const held = async (tables: Tables) =>
      (await service.sync.preview(sending(tables), { installationId, ledger: aged[age] })).held;
    expect(await held(quiet.reduce((tables, next) => next(tables), COMPANY))).toBeUndefined();
    for (const [name, disaster] of DISASTERS) {
      const isHeld = (await held(disaster(COMPANY))) !== undefined;
      outcomes[name] = [...(outcomes[name] ?? []), isHeld ? HELD : PASSES];
    }
  }
  expect(outcomes).toEqual(Object.fromEntries(DISASTERS.map(([name, , expected]) => [name, expected])));
});
