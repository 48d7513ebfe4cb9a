import { expect, test } from "vitest";
import { parsePortfolio } from "../../src/reference-server/portfolio-file.js";

test("a portfolio is read from JSON", () => {
  const portfolio = {
    applications: [{ name: "Chat" }],
    contracts: [{ planName: "Pro" }],
    unusedAfterDays: 60,
  };
  expect(parsePortfolio(JSON.stringify(portfolio))).toEqual(portfolio);
  expect(parsePortfolio("{}")).toEqual({});
});

test.each<[string, string, string]>([
  ["is no JSON", "{", "it is not JSON"],
  ["is no object", "[]", "it must hold a JSON object"],
  ["is null", "null", "it must hold a JSON object"],
  ["has an unknown key", '{ "aplications": [] }', 'a portfolio has no "aplications"; it has applications'],
  ["has no list where one belongs", '{ "contracts": {} }', "contracts must be a list"],
  ["has an entry that is no object", '{ "planPrices": [5] }', "planPrices[0] must be an object"],
  [
    "has an application without a name",
    '{ "applications": [{ "name": "A" }, {}] }',
    "applications[1].name must be a string",
  ],
  [
    "has a price without a plan",
    '{ "planPrices": [{ "name": "A" }] }',
    "planPrices[0].planName must be a string",
  ],
])("a text that %s is refused", (_, text, message) => {
  expect(() => parsePortfolio(text)).toThrow(TypeError);
  expect(() => parsePortfolio(text)).toThrow(message);
});
