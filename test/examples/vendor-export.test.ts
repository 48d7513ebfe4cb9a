import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import {
  employeeExport,
  type Month,
  type VendorExport,
  vendorExports,
} from "../../examples/connectors/vendor-export/index.js";
import { type UsageLogOptions, usage } from "../../examples/connectors/vendor-export/usage-log.js";
import { rejection } from "../support/promises.js";
import { all } from "../support/source-reading.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { DATA, people, rawRows, vendorFacts } from "./raw-data.js";

const folder = temporaryFolder();

/** Paths of fields with an empty string, array or object. */
function emptyFields(value: unknown, path = ""): string[] {
  if (value === "") return [path];
  if (value instanceof Date || typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  return entries.length === 0
    ? [path]
    : entries.flatMap(([key, inner]) => emptyFields(inner, `${path}.${key}`));
}

function exportOf(vendor: string, month?: Month): VendorExport {
  const found = vendorExports(DATA, month).find((candidate) => candidate.vendor === vendor);
  if (found === undefined) throw new Error(`There is no export of ${vendor}.`);
  return found;
}

describe("the HR export", async () => {
  const employees = await all(employeeExport(DATA));

  test("maps each row to an employee with its own id, name, department and dates", () => {
    expect(new Set(employees.map((employee) => employee?.id)).size).toBe(people.length);
    expect(employees.flatMap((employee) => emptyFields(employee))).toEqual([]);
    const iso = (date = "") => date.replace(/^(\d\d)\.(\d\d)\.(\d{4})$/, "$3-$2-$1");
    expect(
      employees.map((employee) => [
        employee?.fullName,
        employee?.departmentPath?.join(" > ") ?? "",
        employee?.attributes?.["hireDate"],
        employee?.active,
        employee?.deletionTime instanceof Date,
      ]),
    ).toEqual(
      people.map((row) => [
        row["Full name"],
        row["Department path"],
        iso(row["Hire date"]),
        row["Active"] === "Yes",
        row["Record deleted"] !== "",
      ]),
    );
  });

  test("writes addresses in lower case and splits those that share a cell", () => {
    const addresses = employees.flatMap((employee) => [
      employee?.email ?? "",
      ...(employee?.emailAliases ?? []),
    ]);
    expect(addresses.filter((address) => /[A-Z;\s]/.test(address))).toEqual([]);
    expect(employees.some((employee) => (employee?.emailAliases?.length ?? 0) > 1)).toBe(true);
  });

  test("gives everybody but the CEO a manager who is an employee", () => {
    const ids = new Set(employees.map((employee) => employee?.id));
    const without = employees.filter((employee) => !ids.has(employee?.managerId ?? ""));
    expect(without.map((employee) => employee?.jobTitle)).toEqual(["Chief Executive Officer"]);
  });

  test("leaves out remarks about people", () => {
    expect(people.some((row) => row["Notes"] !== "")).toBe(true);
    expect(JSON.stringify(employees)).not.toMatch(/Jimmy|Locker|Parental/);
  });
});

const months = [
  ["this month", ""],
  ["next month", "-next-month"],
] as const;

test.each(months)("maps the users, plans and assignments of all vendors of %s", async (month, suffix) => {
  for (const facts of vendorFacts(suffix)) {
    const source = exportOf(facts.vendor, month);
    const accounts = await all(source.accounts());
    const plans = await all(source.plans());
    const licenses = await all(source.licenses());
    expect(new Set(accounts.map(({ id }) => id)).size).toBe(facts.users);
    expect(new Set(licenses.map(({ sourceId }) => sourceId)).size).toBe(facts.licenses);
    expect(accounts).toHaveLength(facts.users);
    expect(licenses).toHaveLength(facts.licenses);
    expect(
      plans.map(({ externalPlanName: name, details: { seatBased } }) => {
        return { name, paid: seatBased?.paidSeats, consumed: seatBased?.consumedSeats };
      }),
    ).toEqual(facts.plans.map(({ name, paid, consumed }) => ({ name, paid, consumed })));
    expect([...accounts, ...plans, ...licenses].flatMap((record) => emptyFields(record))).toEqual([]);
    expect(accounts.filter(({ email }) => email !== email?.toLowerCase() || email === undefined)).toEqual([]);
  }
});

test("writes Tuschgrün's names with the first name first, and knows its closed accounts", async () => {
  const rows = rawRows("tuschgruen-users", ";");
  const accounts = await all(exportOf("Tuschgrün").accounts());
  expect(accounts.map(({ name, active }) => [name, active])).toEqual(
    rows.map((row) => [row["Anzeigename"]?.split(", ").reverse().join(" "), row["Aktiv"] === "ja"]),
  );
});

test("treats only Brambleboard's guests as free, and invited members as inactive accounts without a seat", async () => {
  const { accounts, licenses } = exportOf("Brambleboard");
  const seats = await all(licenses());
  expect(new Set(seats.filter(({ billable }) => !billable).map(({ sourcePlanId }) => sourcePlanId))).toEqual(
    new Set(["bb-guest"]),
  );
  const seated = new Set(seats.map(({ sourceAccountId }) => sourceAccountId));
  const members = await all(accounts());
  expect(members.filter(({ active }) => active === false).map(({ id }) => id)).toEqual(
    members.filter(({ id }) => !seated.has(id)).map(({ id }) => id),
  );
});

test("keeps the license ids of Brambleboard's members from one month to the next", async () => {
  const before = new Set((await all(exportOf("Brambleboard").licenses())).map(({ sourceId }) => sourceId));
  const after = await all(exportOf("Brambleboard", "next month").licenses());
  expect(after.filter(({ sourceId }) => !before.has(sourceId))).toEqual([]);
});

test("gives an account of Quillmarsh all its roles", async () => {
  const accounts = await all(exportOf("Quillmarsh").accounts());
  expect(accounts.map(({ roles }) => roles)).toEqual(
    rawRows("quillmarsh-users").map((row) => row["roles"]?.split("|")),
  );
});

const LINES = [
  "EV-3,2026-03-31T19:58:40+02:00,Board,a,open,10.0.0.1",
  "EV-2,2026-03-29T00:30:00+01:00,Draw,b,open,10.0.0.1",
  "EV-1,2025-12-01T12:00:00Z,Board,c,edit,10.0.0.1",
];

async function usageOf(lines: readonly string[], options: UsageLogOptions) {
  const header = "event_id,occurred_at,application,account,action,source_ip";
  return all(
    usage(pathToFileURL(await folder.write("log.csv", `${[header, ...lines].join("\n")}\n`)), options),
  );
}

test("reads the usage of the given products at its own times", async () => {
  const events = await usageOf(LINES, { products: ["Board"] });
  expect(events).toEqual([
    {
      id: "EV-3",
      sourceActorId: "a",
      externalProductName: "Board",
      lastActivity: new Date("2026-03-31T17:58:40Z"),
    },
    {
      id: "EV-1",
      sourceActorId: "c",
      externalProductName: "Board",
      lastActivity: new Date("2025-12-01T12:00:00Z"),
    },
  ]);
});

test.each([
  ["forward", "Draw", "2027-01-11T00:00:01Z", "2027-01-07T23:30:00Z"],
  ["back", "Board", "2026-03-30T23:59:59Z", "2026-03-29T17:58:40Z"],
])(
  "moves usage %s by whole days, so that the newest event of any product is of yesterday",
  async (_, product, asOf, moved) => {
    const [first] = await usageOf(LINES, { products: [product], asOf: new Date(asOf) });
    expect(first?.lastActivity).toEqual(new Date(moved));
  },
);

test.each([
  ["an event that is newer than the one before", [...LINES].reverse(), 3],
  ["an invalid time, of any product", [...LINES, "EV-0,yesterday,Draw,b,open,"], 5],
])("rejects %s", async (_, lines, line) => {
  const failure = await rejection(usageOf(lines, { products: ["Board"] }));
  expect(String(failure)).toMatch(new RegExp(`^Error: log\\.csv:${line} `));
});

test("assigns every event of the committed usage log to one vendor, and ends it yesterday", async () => {
  const asOf = new Date("2030-06-15T03:00:00Z");
  const events = (await Promise.all(vendorExports(DATA).map((vendor) => all(vendor.usage(asOf))))).flat();
  expect(events.map(({ id }) => id).sort()).toEqual(
    rawRows("usage-log")
      .map((row) => row["event_id"])
      .sort(),
  );
  const newest = Math.max(...events.map(({ lastActivity }) => new Date(lastActivity).getTime()));
  expect(new Date(newest).toISOString().slice(0, 10)).toBe("2030-06-14");
  expect(JSON.stringify(events)).not.toMatch(/10\.1\d\./);
});
