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
