/** A small part of `npm run simulate:guard`, whose figures are the same on every machine. */
import type { GuardOptions } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { DISASTERS } from "./disasters.js";
import { ORGANISATIONS } from "./organisations.js";
import { simulateChurn } from "./simulate.js";

const NAMES = [
  ...["two founders", "restaurants", "ski resort", "merging group", "licence manager", "factory with shifts"],
  ...["pool of desktops", "guests"],
];
const organisations = ORGANISATIONS.filter(({ name }) => NAMES.includes(name));

const simulate = (guard: GuardOptions = {}) =>
  simulateChurn({ seed: 18, years: 1, disastersAYear: 5, organisations, guard });

function missed({ disasters }: ReturnType<typeof simulate>): Record<string, number> {
  const kinds = [...disasters].filter((kind) => kind[1].missed > 0);
  return Object.fromEntries(kinds.map(([{ name }, counts]) => [name, counts.missed]));
}

const tally = simulate();

test("holds few good runs and misses few disasters, seed 18", () => {
  expect(organisations).toHaveLength(NAMES.length);
  expect({
    falseHolds: tally.sumOf("falseHolds"),
    asked: tally.sumOf("asked"),
    falseHoldsBySum: tally.falseHoldsBySum,
    visible: tally.sumOfDisasters("visible"),
    missedByRemovals: tally.sumOfDisasters("missedByRemovals"),
    missed: missed(tally),
  }).toEqual({
    falseHolds: 3,
    asked: 1,
    falseHoldsBySum: 196,
    visible: 887,
    missedByRemovals: 459,
    missed: { "a second tenant beside the first": 3, "ids change in slices": 25 },
  });
});

test("each kind of disaster is played", () => {
  const never = DISASTERS.filter((disaster) => {
    const { visible = 0, small = 0 } = tally.disasters.get(disaster) ?? {};
    return visible + small === 0;
  });
  expect(never).toEqual([]);
});

test.each([
  ["window", ["erosion, 8 % a run", "erosion, 24 % a run"]],
  ["removed", ["another case of ids"]],
  ["emptied", ["a column of addresses is renamed", "null from a part of the source"]],
  ["flipped", ["the status column is renamed", "a default instead of the plan"]],
  ["added", ["a flood, twentyfold"]],
  ["values", ["other people under the same ids"]],
] as const)("without the rule %s, %j are missed", (rule, kinds) => {
  const all = missed(tally);
  const without = missed(simulate({ [rule]: false }));
  for (const kind of kinds) expect(without[kind] ?? 0).toBeGreaterThan((all[kind] ?? 0) + 5);
});
