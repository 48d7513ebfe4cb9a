/**
 * Fifty handmade disasters of the sources of a company with 200 people, independent of `npm run simulate:guard`. A
 * disaster passes only if the guide "Snapshot safety" says that the guard can't see it.
 */
import { memoryLedger } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
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

const sending = (tables: Tables) => ({
  snapshots: SNAPSHOTS,
  run: async (batch: { write(name: (typeof SNAPSHOTS)[number], records: readonly never[]): unknown }) => {
    for (const name of SNAPSHOTS) await batch.write(name, JSON.parse(JSON.stringify(tables[name])));
  },
});

/** Changes the first `first` of every `of` records; all by default. */
const change =
  (
    name: keyof Tables,
    changed: (row: Row, i: number) => Row,
    [first, of]: readonly [number, number] = [1, 1],
  ) =>
  (tables: Tables): Tables => ({
    ...tables,
    [name]: tables[name].map((row, i) => (i % of < first ? { ...row, ...changed(row, i) } : row)),
  });
const keep =
  (name: keyof Tables, isKept: (row: Row, i: number) => boolean) =>
  (tables: Tables): Tables => ({ ...tables, [name]: tables[name].filter(isKept) });
const add =
  (name: keyof Tables, more: (tables: Tables) => readonly Row[]) =>
  (tables: Tables): Tables => ({ ...tables, [name]: [...tables[name], ...more(tables)] });

type Disasters = Readonly<Record<string, (tables: Tables) => Tables>>;

/** Disasters that the guard holds after two weeks of quiet runs, and even after two days of them. */
const HELD: Disasters = {
  "30% of the addresses are null": change("accounts", () => ({ email: null }), [3, 10]),
  "all addresses are empty": change("employees", () => ({ email: "" })),
  "addresses lack @ and domain": change("accounts", (_, i) => ({ email: `person.${i}` })),
  "address and user name are swapped": change("accounts", ({ email, username }) => ({
    email: username,
    username: email,
  })),
  "names are ids": change("accounts", ({ id }) => ({ name: id })),
  "85% of the names are undefined": change("accounts", () => ({ name: "undefined undefined" }), [17, 20]),
  "names are cut at eight letters": change("accounts", ({ name }) => ({ name: `${name}`.slice(0, 8) })),
  "names are in capitals": change("employees", ({ fullName }) => ({ fullName: `${fullName}`.toUpperCase() })),
  "first name and surname are swapped": change("employees", ({ fullName }) => ({
    fullName: `${fullName}`.split(" ").reverse().join(" "),
  })),
  "a boolean is negated": change("accounts", ({ active }) => ({ active: active === false })),
  "all accounts are inactive": change("accounts", () => ({ active: false })),
  "types are translated": change("accounts", ({ type }) => ({ type: `Typ ${type}` })),
  "all roles are lost": change("accounts", () => ({ roles: [] })),
  "departments are those of the row below": change("employees", (_, i) => ({
    departmentPath: employee(i + 1)["departmentPath"],
  })),
  "one manager for all": change("employees", () => ({ managerId: "e-1" })),
  "leading zeros are lost": change("employees", ({ costCenter }) => ({
    costCenter: `${Number(costCenter)}`,
  })),
  "countries are names": change("employees", ({ country }) => ({ country: `Land ${country}` })),
  "all licenses are free of charge": change("licenses", () => ({ billable: false })),
  "licenses name accounts by their addresses": change("licenses", (_, i) => ({
    sourceAccountId: `person.${i}@acme.example`,
  })),
  "licenses name plans by their names": change("licenses", (_, i) => ({ sourcePlanId: `Plan ${i % 3}` })),
  "a tenth comes twice in place of another tenth": (tables) =>
    add("accounts", ({ accounts }) => accounts.slice(0, 20))(keep("accounts", (_, i) => i < 180)(tables)),
  "half is missing": keep("licenses", (_, i) => i % 2 === 0),
  "one of three plans is missing": keep("plans", (_, i) => i !== 1),
  "no plan is left": keep("plans", () => false),
  "only licenses of one plan": keep("licenses", ({ sourcePlanId }) => sourcePlanId === "p-0"),
  "the licenses of one plan are missing": keep("licenses", ({ sourcePlanId }) => sourcePlanId !== "p-2"),
  "only inactive accounts are sent": keep("accounts", ({ active }) => active === false),
  "a page of a hundred": keep("employees", (_, i) => i < 100),
  "each under a second id": add("accounts", () => rows(200, (i) => ({ ...account(i), id: `A-${i}` }))),
  "ids are in capitals": change("accounts", ({ id }) => ({ id: `${id}`.toUpperCase() })),
  "a second tenant of half the size": add("accounts", () => rows(100, account, 1000)),
  "a hundred test records": add("employees", () => rows(100, (i) => ({ ...employee(i), id: `test-${i}` }))),
  "a license for each month": add("licenses", () =>
    rows(480, (i) => ({ ...license(i % 160), sourceId: `l-${i % 160}-${i}` })),
  ),
  "accounts are those of another tenant": (tables) => ({ ...tables, accounts: rows(190, account, 5000) }),
  "accounts and employees change places": (tables) => ({
    ...tables,
    accounts: tables.employees.map(({ id }) => ({ id })),
  }),
};

/** Disasters that the guard holds after two weeks of quiet runs, but not after two days of them. */
const HELD_LATER: Disasters = {
  "half of the names are undefined": change("accounts", () => ({ name: "undefined" }), [1, 2]),
  "umlauts are mojibake": change("accounts", ({ name }) => ({
    name: Buffer.from(`${name}`).toString("latin1"),
  })),
  "all accounts are active": change("accounts", () => ({ active: true })),
  "one type for all": change("accounts", () => ({ type: "guest" })),
  "entry dates are those of another time zone": change("employees", ({ creationTime }) => ({
    creationTime: new Date(Number(creationTime) - 7_200_000),
  })),
  "the last sixth is missing": keep("accounts", (_, i) => i < 166),
  "a site of 20% is missing": keep("employees", (_, i) => i % 5 !== 2),
  "only active accounts are sent": keep("accounts", ({ active }) => active === true),
  "guests are left out": keep("accounts", ({ type }) => type !== "guest"),
  "a fifth of the ids is renewed": change("accounts", ({ id }) => ({ id: `new-${id}` }), [1, 5]),
};

const PASSES: Disasters = {
  "all addresses have another domain": change("accounts", (_, i) => ({ email: `person.${i}@invalid` })),
  "a fifth of the titles is lost": change("employees", () => ({ jobTitle: null }), [1, 5]),
  "one person in ten is missing": keep("employees", (_, i) => i % 10 !== 3),
  "a second tenant of a third of the size": add("accounts", () => rows(66, account, 1000)),
  "a twentieth of the licenses is missing": keep("licenses", (_, i) => i % 20 !== 7),
};

const DISASTERS = { ...HELD, ...HELD_LATER, ...PASSES };
const quiet = [
  change("accounts", ({ name }) => ({ name: `${name} (she/her)` }), [1, 20]),
  keep("employees", (_, i) => i % 20 !== 3),
  add("licenses", () => rows(30, license, 500).map((row) => ({ ...row, sourceAccountId: "a-1" }))),
];

test.each([
  ["two weeks", [4, 4, 4, 2], { ...HELD, ...HELD_LATER }],
  ["two days", [1, 1], HELD],
] as const)(
  "after %s, holds most of fifty handmade disasters, and no company that changes a little",
  async (_, days, expected) => {
    expect(Object.keys(DISASTERS)).toHaveLength(50);
    const options = { installationId: service.installationId, ledger: memoryLedger() };
    for (const [run, pause] of days.entries()) {
      await service.sync.run(sending(COMPANY), { ...options, firstRun: run === 0 });
      service.clock.advance(pause * DAY_MS);
    }
    const isHeld = async (tables: Tables) =>
      (await service.sync.preview(sending(tables), options)).held !== undefined;
    expect(await isHeld(quiet.reduce((tables, next) => next(tables), COMPANY))).toBe(false);
    const held: string[] = [];
    for (const [name, disaster] of Object.entries(DISASTERS))
      if (await isHeld(disaster(COMPANY))) held.push(name);
    expect(held).toEqual(Object.keys(expected));
  },
);
