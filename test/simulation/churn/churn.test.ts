/** A small part of `npm run simulate:guard`, whose figures are the same on every machine. */
import type { GuardOptions } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { ORGANISATIONS } from "./organisations.js";
import { simulateChurn } from "./simulate.js";

const NAMES = ["three founders", "shops", "charity", "vendor with other labels"];
const organisations = ORGANISATIONS.filter(({ name }) => NAMES.includes(name));

const simulate = (guard: GuardOptions = {}) => simulateChurn({ seed: 18, lives: 1, organisations, guard });

function missed({ disasters }: ReturnType<typeof simulate>): Record<string, number> {
  return Object.fromEntries(
    [...disasters].map(([kind, counts]) => [kind, counts.missed[50] + counts.missed[10]]),
  );
}

const tally = simulate();

test("holds no good run, and misses few disasters", () => {
  expect(organisations).toHaveLength(NAMES.length);
  expect({
    falseHolds: tally.sumOf("falseHolds"),
    approvals: tally.sumOf("approvals"),
    ids: [tally.sumOfDisasters("missed", "ids", [50, 10]), tally.sumOfDisasters("visible", "ids", [50, 10])],
    fields: [
      tally.sumOfDisasters("missed", "fields", [50, 10]),
      tally.sumOfDisasters("visible", "fields", [50, 10]),
    ],
  }).toEqual({ falseHolds: 0, approvals: 6, ids: [63, 303], fields: [89, 809] });
});

test.each([
  ["window", ["erosion of 5 to 24 % a run"]],
  ["removed", ["other case or prefix of ids"]],
  ["changed", ['text: "undefined"', "empty: a field", "choice: all an unknown value"]],
  ["added", ["all under a second id"]],
] as const)("without the rule %s, %j are missed", (rule, kinds) => {
  const without = missed(simulate({ [rule]: false }));
  for (const kind of kinds) expect(without[kind]).toBeGreaterThan((missed(tally)[kind] ?? 0) + 5);
});
