import { describe, expect, test } from "vitest";
import { employeeExport, vendorExports } from "../../examples/connectors/vendor-export/index.js";
import { DATA, people, rawRows, vendorFacts } from "./raw-data.js";

async function all<T>(source: AsyncIterable<T[]> | Iterable<T[]>): Promise<T[]> {
  const items: T[] = [];
  for await (const some of source) items.push(...some);
  return items;
}

/** Paths of the fields that are there and hold nothing. */
function emptyFields(value: unknown, path = ""): string[] {
  if (value === undefined || value === "") return [path];
  if (value instanceof Date || typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  return entries.length === 0
    ? [path]
    : entries.flatMap(([key, inner]) => emptyFields(inner, `${path}.${key}`));
}

describe("the HR export", async () => {
  const employees = (await all(employeeExport(DATA))).map((record) => record.generic);
  const byId = new Map(employees.map((employee) => [employee?.id, employee]));

  test("becomes an employee for each row, each with an id of its own", () => {
    expect(employees).toHaveLength(people.length);
    expect(byId.size).toBe(people.length);
  });

  test("leaves out the fields of empty cells", () => {
    expect(employees.flatMap((employee) => emptyFields(employee))).toEqual([]);
    expect(employees.filter((employee) => employee?.email === undefined)).toHaveLength(
      people.filter((row) => row["Work e-mail"] === "").length,
    );
  });

  test("keeps names as they are written, in every script", () => {
    const names = employees.map((employee) => employee?.fullName);
    expect(names).toEqual(people.map((row) => row["Full name"]));
    expect(names).toEqual(
      expect.arrayContaining([expect.stringMatching(/'/), expect.stringMatching(/[一-龯]/)]),
    );
  });

  test("reads both ways to write a date as the same calendar", () => {
    const dates = people.map((row) => row["Hire date"] ?? "");
    expect(dates.some((date) => date.includes("."))).toBe(true);
    expect(dates.some((date) => date.includes("-"))).toBe(true);
    const iso = dates.map((date) => date.replace(/^(\d\d)\.(\d\d)\.(\d{4})$/, "$3-$2-$1"));
    expect(employees.map((employee) => employee?.attributes?.["hireDate"])).toEqual(iso);
  });

  test("writes all addresses in lower case and takes apart those that share a cell", () => {
    const addresses = employees.flatMap((employee) => [
      employee?.email ?? "",
      ...(employee?.emailAliases ?? []),
    ]);
    expect(addresses.filter((address) => /[A-Z;\s]/.test(address))).toEqual([]);
    expect(employees.some((employee) => (employee?.emailAliases?.length ?? 0) > 1)).toBe(true);
  });

  test("splits the department path, also where a department has a comma in its name", () => {
    expect(employees.map((employee) => employee?.departmentPath?.join(" > ") ?? "")).toEqual(
      people.map((row) => row["Department path"]),
    );
    expect(employees.flatMap((employee) => employee?.departmentPath ?? [])).toContain(
      "Optics, Coatings & Materials",
    );
  });

  test("says who left, and when", () => {
    const left = employees.filter((employee) => employee?.active === false);
    expect(left).toHaveLength(people.filter((row) => row["Active"] === "No").length);
    expect(left.every((employee) => employee?.attributes?.["terminationDate"] !== undefined)).toBe(true);
    const deleted = employees.filter((employee) => employee?.deleted);
    expect(deleted).toHaveLength(people.filter((row) => row["Record deleted"] !== "").length);
    expect(deleted.every((employee) => employee?.deletionTime instanceof Date)).toBe(true);
  });

  test("gives everybody but one a manager who is an employee", () => {
    const without = employees.filter((employee) => !byId.has(employee?.managerId));
    expect(without.map((employee) => employee?.jobTitle)).toEqual(["Chief Executive Officer"]);
  });

  test("keeps remarks about people to itself", () => {
    expect(people.some((row) => row["Notes"] !== "")).toBe(true);
    expect(JSON.stringify(employees)).not.toMatch(/Jimmy|Locker|Parental/);
  });
});

const months = [
  { month: "this month", suffix: "" },
  { month: "next month", suffix: "-next-month" },
] as const;

describe.each(months)("the vendor exports of $month", async ({ month, suffix }) => {
  const exports = await Promise.all(
    vendorExports(DATA, month).map(async (source) => ({
      vendor: source.vendor,
      accounts: (await all(source.accounts())).map(({ generic }) => generic),
      plans: (await all(source.plans())).map(({ generic }) => generic),
      licenses: (await all(source.licenses())).map(({ generic }) => generic),
    })),
  );
  const vendors = vendorFacts(suffix).map((facts) => {
    const records = exports.find(({ vendor }) => vendor === facts.vendor);
    if (records === undefined) throw new Error(`There is no export of ${facts.vendor}.`);
    return { vendor: facts.vendor, facts, records };
  });

  test.each(vendors)("$vendor: every user becomes an account", ({ facts, records }) => {
    expect(records.accounts).toHaveLength(facts.users);
    expect(new Set(records.accounts.map(({ id }) => id)).size).toBe(facts.users);
  });

  test.each(vendors)("$vendor: every assignment becomes a license", ({ facts, records }) => {
    expect(records.licenses).toHaveLength(facts.licenses);
    expect(new Set(records.licenses.map(({ sourceId }) => sourceId)).size).toBe(facts.licenses);
  });

  test.each(vendors)("$vendor: every plan tells its seats, paid and taken", ({ facts, records }) => {
    const plans = records.plans.map(({ externalPlanName, details: { seatBased } }) => {
      return { name: externalPlanName, paid: seatBased?.paidSeats, consumed: seatBased?.consumedSeats };
    });
    expect(plans).toEqual(facts.plans.map(({ name, paid, consumed }) => ({ name, paid, consumed })));
  });

  test.each(vendors)("$vendor: no field is empty, no address has capitals", ({ records }) => {
    const { accounts, plans, licenses } = records;
    expect([...accounts, ...plans, ...licenses].flatMap((record) => emptyFields(record))).toEqual([]);
    expect(accounts.filter(({ email }) => email === undefined || email !== email.toLowerCase())).toEqual([]);
  });
});

describe("the exports of this month", async () => {
  const [tuschgruen, brambleboard, quillmarsh] = vendorExports(DATA);

  test("have Tuschgrün's names with the first name first", async () => {
    const accounts = await all(tuschgruen?.accounts() ?? []);
    const names = rawRows("tuschgruen-users", ";").map((row) =>
      row["Anzeigename"]?.split(", ").reverse().join(" "),
    );
    expect(accounts.map(({ generic }) => generic.name)).toEqual(names);
  });

  test("tell which accounts of Tuschgrün are closed", async () => {
    const accounts = await all(tuschgruen?.accounts() ?? []);
    const closed = rawRows("tuschgruen-users", ";").filter((row) => row["Aktiv"] === "nein");
    expect(closed.length).toBeGreaterThan(0);
    expect(
      accounts.filter(({ generic }) => generic.active === false).map(({ generic }) => generic.id),
    ).toEqual(closed.map((row) => row["Benutzer-ID"]));
  });

  test("take Brambleboard's guests for free and all others for paid", async () => {
    const licenses = await all(brambleboard?.licenses() ?? []);
    const plans = new Set(
      licenses.filter(({ generic }) => !generic.billable).map(({ generic }) => generic.sourcePlanId),
    );
    expect([...plans]).toEqual(["bb-guest"]);
  });

  test("take who was invited to Brambleboard for an account that is not active and holds no seat", async () => {
    const accounts = await all(brambleboard?.accounts() ?? []);
    const seated = new Set(
      (await all(brambleboard?.licenses() ?? [])).map(({ generic }) => generic.sourceAccountId),
    );
    const invited = accounts.filter(({ generic }) => generic.active === false);
    expect(invited).toHaveLength(accounts.length - seated.size);
    expect(invited.filter(({ generic }) => seated.has(generic.id))).toEqual([]);
  });

  test("give an account of Quillmarsh all its roles", async () => {
    const accounts = await all(quillmarsh?.accounts() ?? []);
    expect(accounts.map(({ generic }) => generic.roles)).toEqual(
      rawRows("quillmarsh-users").map((row) => row["roles"]?.split("|")),
    );
  });

  test("have the same license ids for Brambleboard's members in both months", async () => {
    const [, later] = vendorExports(DATA, "next month");
    const before = new Set(
      (await all(brambleboard?.licenses() ?? [])).map(({ generic }) => generic.sourceId),
    );
    const after = (await all(later?.licenses() ?? [])).map(({ generic }) => generic.sourceId);
    expect(after.filter((id) => !before.has(id))).toEqual([]);
    expect(after.length).toBeLessThan(before.size);
  });
});
