import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { generateFiles } from "../../examples/data/generate.js";
import { portfolioOn } from "../../examples/portfolio.js";
import { DATA, people, rawRows, vendorFacts } from "./raw-data.js";

const DAY_MS = 86_400_000;
const generated = generateFiles();
const vendors = vendorFacts();
const plans = vendors.flatMap((vendor) => vendor.plans);

test.each([...generated])("commits %s as the generator writes it, byte for byte", async (name, content) => {
  const committed = await readFile(new URL(name, DATA));
  expect(committed.equals(Buffer.from(content)), "run: npx tsx examples/data/generate.ts").toBe(true);
});

test("generates every committed file, and the same ones each time", async () => {
  const committed = (await readdir(DATA)).filter((name) => name.endsWith(".csv"));
  expect(committed.sort()).toEqual([...generated.keys()].sort());
  expect(generateFiles()).toEqual(generated);
});

test("has about 1,500 employees, of whom some have left and some have no address", () => {
  expect(Math.abs(people.length - 1500)).toBeLessThan(50);
  expect(people.filter((row) => row["Active"] === "No").length).toBeGreaterThan(50);
  expect(people.filter((row) => row["Work e-mail"] === "").length).toBeGreaterThan(50);
});

test.each(vendors)(
  "gives $vendor external users, addresses in another case, and seats of leavers",
  (facts) => {
    expect(facts.externals).toBeGreaterThan(0);
    expect(facts.otherCase).toBeGreaterThan(0);
    expect(facts.leaverLicenses).toBeGreaterThan(0);
    for (const { paid, consumed, licenses } of facts.plans) {
      expect(consumed).toBe(licenses);
      expect(paid ?? licenses).toBeGreaterThanOrEqual(licenses);
    }
  },
);

test("has two assignments that refer to deleted accounts", () => {
  expect(vendors.reduce((sum, { danglingLicenses }) => sum + danglingLicenses, 0)).toBe(2);
});

test("has unused seats on every paid plan, and far more used ones", () => {
  for (const { paid, used, unused } of plans) {
    if (paid !== undefined) expect(unused).toBeGreaterThan(0);
    expect(used).toBeGreaterThan(unused);
  }
});

test("has no seat last used between 21 and 100 days ago, so that results do not depend on the hour", () => {
  const lastUse = new Map<string, number>();
  for (const row of rawRows("usage-log")) {
    const key = `${row["application"]} ${row["account"]}`;
    lastUse.set(key, Math.max(lastUse.get(key) ?? 0, Date.parse(row["occurred_at"] ?? "")));
  }
  const newest = Math.max(...lastUse.values());
  const ages = [...lastUse.values()].map((time) => Math.round((newest - time) / DAY_MS));
  expect(ages.filter((age) => age > 21 && age < 100)).toEqual([]);
});

test("has fewer seats of Brambleboard next month, below the limit of the removal guard", () => {
  const [tuschgruen, after, quillmarsh] = vendorFacts("-next-month");
  const [, before] = vendors;
  if (before === undefined || after === undefined) throw new Error("Brambleboard is missing.");
  expect([tuschgruen, quillmarsh]).toEqual([vendors[0], vendors[2]]);
  const gone = before.users - after.users;
  expect(Math.abs(gone - 20)).toBeLessThanOrEqual(5);
  expect(before.licenses - after.licenses).toBe(gone);
  expect(after.leaverLicenses).toBe(0);
  expect(gone).toBeLessThan(before.users / 4);
});

test("prices every paid plan in the portfolio, with contracts, known products and owners who are employees", () => {
  const { applications = [], planPrices = [], contracts = [] } = portfolioOn(new Date());
  const paid = plans.filter((plan) => plan.paid !== undefined).map(({ name }) => name);
  expect(planPrices.map(({ planName }) => planName).sort()).toEqual(paid.sort());
  expect(contracts.map(({ planName }) => planName).sort()).toEqual(paid);
  expect(new Set(applications.map(({ name }) => name))).toEqual(
    new Set(rawRows("usage-log").map((row) => row["application"])),
  );
  const employees = new Map(people.map((row) => [row["Employee ID"], row["Full name"]]));
  const owners = applications.flatMap(({ owner }) => owner ?? []);
  expect(owners.map(({ id }) => employees.get(id))).toEqual(owners.map(({ name }) => name));
});

test("renews contracts within the next 90 days and later, whatever day it is", () => {
  const { contracts = [] } = portfolioOn(new Date("2027-02-11T23:30:00Z"));
  const days = contracts.map(({ renewal }) => {
    return Math.round((Date.parse(renewal?.upcomingDate?.value ?? "") - Date.parse("2027-02-11")) / DAY_MS);
  });
  expect(days.filter((day) => day > 0 && day <= 90).length).toBeGreaterThan(3);
  expect(days.filter((day) => day > 90).length).toBeGreaterThan(0);
});
