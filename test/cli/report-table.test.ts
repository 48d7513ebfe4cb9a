import { expect, test } from "vitest";
import { table } from "../../src/cli/report/table.js";

const RENEWALS = [
  ["Renews on", "Terminate by", "Plan", "Contract", "Unused seats", "Cost a year"],
  ["2026-01-15", "2025-12-16", "Tuschgrün Studio Team Edition", "ANNUAL", "46", "EUR 1,182,303.20"],
  ["2026-02-06", "", "Brambleboard Board Business", "", "64", "USD 53,721.60"],
];
const PLANS = [
  ["Plan", "Integration", "Unused", "Saving a year"],
  [
    "A plan with a name of more than forty characters",
    "Tuschgrün",
    "27",
    "EUR 15,872.76, GBP 9,000.10, USD 12.00",
  ],
];
const AMOUNTS = [
  "EUR 1,182,303.20",
  "USD 53,721.60",
  "EUR 15,872.76",
  "GBP 9,000.10",
  "USD 12.00",
  "2026-01-15",
];

test.each([200, 120, 100, 80, 60, 40])("fits %i columns without cutting an amount or a date", (width) => {
  const lines = [...table(RENEWALS, [2, 3], width), ...table(PLANS, [0, 1], width)];
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
  const text = lines.join("\n").replace(/\s+/g, " ");
  for (const amount of AMOUNTS) expect(text).toContain(amount);
});

test("prints a table with shortened names if the table fits, and otherwise paragraphs", () => {
  expect(table(PLANS, [0, 1], 80)).toEqual([
    "Plan                 Integration  Unused                           Saving a year",
    "───────────────────  ───────────  ──────  ──────────────────────────────────────",
    "A plan with a name…  Tuschgrün        27  EUR 15,872.76, GBP 9,000.10, USD 12.00",
  ]);
  expect(table(RENEWALS, [2, 3], 60)).toEqual([
    "Renews on: 2026-01-15",
    "Terminate by: 2025-12-16",
    "Plan: Tuschgrün Studio Team Edition",
    "Contract: ANNUAL",
    "Unused seats: 46",
    "Cost a year: EUR 1,182,303.20",
    "",
    "Renews on: 2026-02-06",
    "Plan: Brambleboard Board Business",
    "Unused seats: 64",
    "Cost a year: USD 53,721.60",
  ]);
});
