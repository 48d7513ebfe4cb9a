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
  expect(parsePortfolio("\ufeff{}")).toEqual({});
});

test.each<[string, string, string]>([
  ["is no JSON", "{", "it is not JSON"],
  ["is no object", "[]", "portfolio must be an object"],
  ["is null", "null", "portfolio must be an object"],
  [
    "has an unknown key",
    '{ "aplications": [] }',
    "portfolio: there is no aplications. Did you mean applications?",
  ],
  ["has no list where one belongs", '{ "contracts": {} }', "contracts must be a list"],
  ["has an entry that is no object", '{ "planPrices": [5] }', "planPrices[0] must be an object"],
  [
    "has an application without a name",
    '{ "applications": [{ "name": "A" }, {}] }',
    "applications[1].name must be a string",
  ],
  [
    "has a name that is misspelled",
    '{ "applications": [{ "name": "A", "catgory": "x" }] }',
    "portfolio.applications[0]: there is no catgory. Did you mean category?",
  ],
  [
    "has a text for an owner",
    '{ "applications": [{ "name": "A", "owner": "Ada" }] }',
    "portfolio.applications[0].owner must be an object.",
  ],
  [
    "has a text for a renewal",
    '{ "contracts": [{ "planName": "A", "renewal": "soon" }] }',
    "portfolio.contracts[0].renewal must be an object.",
  ],
  [
    "has a price without a plan",
    '{ "planPrices": [{ "currency": "EUR" }] }',
    "planPrices[0].planName must be a string",
  ],
])("a text that %s is refused", (_, text, message) => {
  expect(() => parsePortfolio(text)).toThrow(TypeError);
  expect(() => parsePortfolio(text)).toThrow(message);
});
