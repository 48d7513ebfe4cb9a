import { expect, test } from "vitest";
import { parsePortfolio } from "../../src/reference-server/portfolio.js";

test("reads a portfolio from JSON, with or without a byte order mark", () => {
  const portfolio = {
    applications: [{ name: "Chat" }],
    contracts: [{ planName: "Pro" }],
    unusedAfterDays: 60,
  };
  expect(parsePortfolio(JSON.stringify(portfolio))).toEqual(portfolio);
  expect(parsePortfolio("\ufeff{}")).toEqual({});
});

const price = { planName: "Pro", annualPricePerSeat: 1, currency: "EUR" };
const renewal = (fields: object) => ({ contracts: [{ planName: "Pro", renewal: fields }] });

test.each<[where: string, portfolio: unknown]>([
  ["portfolio: ", []],
  ["portfolio: ", null],
  ["portfolio: ", { aplications: [] }],
  ["portfolio.contracts: ", { contracts: {} }],
  ["portfolio.planPrices[0]: ", { planPrices: [5] }],
  ["portfolio.planPrices[0].planName: ", { planPrices: [{ currency: "EUR" }] }],
  ["portfolio.planPrices[0].annualPricePerSeat: ", { planPrices: [{ ...price, annualPricePerSeat: "-1" }] }],
  ["portfolio.planPrices[0].currency: ", { planPrices: [{ ...price, currency: "euro" }] }],
  ["portfolio.applications[1].name: ", { applications: [{ name: "A" }, {}] }],
  ["portfolio.applications[0].name: ", { applications: [{ name: " " }] }],
  ["portfolio.applications[1].name: ", { applications: [{ name: "Figma" }, { name: "FIGMA " }] }],
  ["portfolio.applications[1].id: ", { applications: [{ name: "Figma" }, { name: "Slack", id: "figma" }] }],
  ["portfolio.applications[0]: ", { applications: [{ name: "A", catgory: "x" }] }],
  ["portfolio.applications[0].owner: ", { applications: [{ name: "A", owner: "Ada" }] }],
  ["portfolio.applications[0].state: ", { applications: [{ name: "A", state: "bought" }] }],
  ["portfolio.contracts[0].renewal: ", { contracts: [{ planName: "A", renewal: "soon" }] }],
  [
    "portfolio.contracts[0].renewal.upcomingDate.value: ",
    renewal({ upcomingDate: { value: "2026-02-30", origin: "MANUAL" } }),
  ],
  [
    "portfolio.contracts[0].renewal.upcomingDate.origin: ",
    renewal({ upcomingDate: { value: "2026-01-01" } }),
  ],
  [
    "portfolio.contracts[0].renewal.terminationPeriod.value: ",
    renewal({ terminationPeriod: { value: 1.5, origin: "MANUAL" } }),
  ],
  ["portfolio.unusedAfterDays: ", { unusedAfterDays: -1 }],
])("rejects a portfolio with an invalid value at %s%j", (where, portfolio) => {
  expect(() => parsePortfolio(JSON.stringify(portfolio))).toThrow(TypeError);
  expect(() => parsePortfolio(JSON.stringify(portfolio))).toThrow(where);
});

test("rejects a portfolio that is not JSON", () => {
  expect(() => parsePortfolio("{")).toThrow(TypeError);
});
