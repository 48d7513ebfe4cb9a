import { describe, expect, test } from "vitest";
import { portfolioOn } from "../../examples/portfolio.js";
import { people, rawRows, vendorFacts } from "./raw-data.js";

const DAY_MS = 86_400_000;
const vendors = vendorFacts();
const nextMonth = vendorFacts("-next-month");

describe("the example data tell a story that the quickstart relies on", () => {
  test("a company of about 1,500 people, of whom some have left and some have no address", () => {
    expect(people.length).toBeGreaterThan(1450);
    expect(people.length).toBeLessThan(1550);
    expect(people.filter((row) => row["Active"] === "No").length).toBeGreaterThan(50);
    expect(people.filter((row) => row["Work e-mail"] === "").length).toBeGreaterThan(50);
  });

  test.each(vendors)(
    "$vendor has users from outside, users in another case, and seats of people who left",
    (facts) => {
      expect(facts.externals).toBeGreaterThan(0);
      expect(facts.otherCase).toBeGreaterThan(0);
      expect(facts.leaverLicenses).toBeGreaterThan(0);
    },
  );

  test("two assignments refer to nobody", () => {
    expect(vendors.reduce((sum, { danglingLicenses }) => sum + danglingLicenses, 0)).toBe(2);
  });

  test.each(vendors)(
    "$vendor counts the assignments of a plan as taken seats, and not more than are paid for",
    ({ plans }) => {
      expect(plans.map(({ consumed }) => consumed)).toEqual(plans.map(({ licenses }) => licenses));
      expect(plans.filter(({ paid, licenses }) => paid !== undefined && paid < licenses)).toEqual([]);
    },
  );

  test("every plan that costs money has unused seats, and far more used ones", () => {
    for (const { paid, used, unused } of vendors.flatMap(({ plans }) => plans)) {
      if (paid !== undefined) expect(unused).toBeGreaterThan(0);
      expect(used).toBeGreaterThan(unused);
    }
  });

  test("no seat was used last between 21 and 100 days ago, so that no seat depends on the hour of the run", () => {
    const lastUse = new Map<string, number>();
    for (const row of rawRows("usage-log")) {
      const key = `${row["application"]} ${row["account"]}`;
      lastUse.set(key, Math.max(lastUse.get(key) ?? 0, Date.parse(row["occurred_at"] ?? "")));
    }
    const newest = Math.max(...lastUse.values());
    const ages = [...lastUse.values()].map((time) => Math.round((newest - time) / DAY_MS));
    expect(ages.filter((age) => age > 21 && age < 100)).toEqual([]);
  });

  test("next month only Brambleboard's list is shorter: by about twenty people, all who left among them", () => {
    const [tuschgruen, brambleboard, quillmarsh] = nextMonth;
    const before = vendors[1];
    expect([tuschgruen, quillmarsh]).toEqual([vendors[0], vendors[2]]);
    const gone = (before?.users ?? 0) - (brambleboard?.users ?? 0);
    expect(gone).toBeGreaterThanOrEqual(15);
    expect(gone).toBeLessThanOrEqual(25);
    expect((before?.licenses ?? 0) - (brambleboard?.licenses ?? 0)).toBe(gone);
    expect(brambleboard?.leaverLicenses).toBe(0);
    const paid = (facts: typeof before) => facts?.plans.reduce((sum, plan) => sum + (plan.paid ?? 0), 0) ?? 0;
    expect(paid(before) - paid(brambleboard)).toBe(gone);
    expect(gone).toBeLessThan((before?.users ?? 0) / 4);
  });
});

describe("the portfolio", () => {
  const today = new Date("2027-02-11T23:30:00Z");
  const { applications = [], planPrices = [], contracts = [] } = portfolioOn(today);
  const plans = vendors.flatMap((facts) => facts.plans);

  test("prices every plan that is paid for, in more than one currency, and has a contract for it", () => {
    const paid = plans.filter((plan) => plan.paid !== undefined).map(({ name }) => name);
    expect(planPrices.map(({ planName }) => planName).sort()).toEqual(paid.sort());
    expect(contracts.map(({ planName }) => planName).sort()).toEqual(paid);
    expect(new Set(planPrices.map(({ currency }) => currency))).toEqual(new Set(["EUR", "USD", "GBP"]));
  });

  test("knows the products that the vendors and the usage log name", () => {
    const names = new Set(applications.map(({ name }) => name));
    expect(names).toEqual(new Set(rawRows("usage-log").map((row) => row["application"])));
  });

  test("has owners who are employees", () => {
    const employees = new Map(people.map((row) => [row["Employee ID"], row["Full name"]]));
    const owners = applications.flatMap(({ owner }) => owner ?? []);
    expect(owners.length).toBeGreaterThan(0);
    for (const { id, name } of owners) expect(employees.get(id)).toBe(name);
  });

  test("has renewals in the next 90 days and later ones, whatever day it is", () => {
    const days = contracts.map(({ renewal }) => {
      return Math.round((Date.parse(renewal?.upcomingDate?.value ?? "") - Date.parse("2027-02-11")) / DAY_MS);
    });
    expect(days.filter((day) => day > 0 && day <= 90).length).toBeGreaterThan(3);
    expect(days.filter((day) => day > 90).length).toBeGreaterThan(0);
  });
});
