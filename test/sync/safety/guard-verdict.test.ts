/** Tests the rules in isolation; other tests cover what they do to a run. */

import type { GuardOptions } from "@saas-management/sdk";
import { expect, test } from "vitest";
import type { ComparedSet } from "../../../src/runs/guard/comparison.js";
import { resolveGuard } from "../../../src/runs/guard/rules.js";
import { findingsOf, type SnapshotFacts } from "../../../src/runs/guard/verdict.js";
import { type PastSnapshot, type PastSnapshots, remembered } from "../../../src/runs/ledger/past.js";
import { EMPTY_SAMPLE } from "../../../src/sync/ids/field-sample.js";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 31, 12);

type Facts = Partial<Omit<SnapshotFacts, "compared">> & {
  readonly sets?: readonly ComparedSet[];
  readonly sent?: number;
};

function compared({ sets = [], sent = 0 }: Facts): SnapshotFacts["compared"] {
  const known = Math.max(0, ...sets.map((set) => set.known));
  const gone = Math.max(0, ...sets.map((set) => set.gone));
  return { known, sent, new: sent - known + gone, kept: known - gone, gone, sets, firstGone: [] };
}

function findings(facts: Facts, guard: GuardOptions = {}) {
  const rule = resolveGuard(guard, NOW).ruleOf("accounts");
  if (rule === undefined) return [];
  const empty = {
    collection: "accounts",
    sample: EMPTY_SAMPLE,
    pasts: [],
    unclear: [],
    now: NOW,
    duplicates: 0,
  } as const;
  return findingsOf({ ...empty, ...facts, compared: compared(facts) }, rule);
}

const rulesOf = (...given: Parameters<typeof findings>) => findings(...given).map(({ rule }) => rule);

const completed = (known: number, gone: number) => ({ origin: "completed" as const, known, gone });
const unclear = (known: number, gone: number) => ({ origin: "unclear" as const, known, gone });

function past(sent: number, daysAgo: number, more: Partial<PastSnapshot> = {}): PastSnapshot {
  return { at: NOW - daysAgo * DAY_MS, sent, filled: {}, ...more };
}

test("removed: names the set of ids, and how many of these are missing", () => {
  const one = findings({ sets: [completed(4000, 1004)], sent: 2996 });
  expect(one).toEqual([{ rule: "removed", text: "1,004 of 4,000 known ids would be removed (25.1%)" }]);
  const [both] = findings({ sets: [completed(4000, 1004), unclear(4100, 1104)], sent: 2996 });
  expect(both?.text).toBe(
    "1,104 of 4,100 known ids would be removed (26.9%, including 1,004 of the 4,000 in the last completed snapshot)",
  );
  const [none] = findings({ sets: [completed(2, 2)], sent: 3 });
  expect(none?.text).toBe("2 of 2 known ids would be removed (100%, none of them are in this run)");
});

test.each([
  ["at the limit", [past(100, 3)], 75, []],
  ["above the limit", [past(100, 3)], 74, ["window"]],
  ["few ids", [past(8, 3)], 4, []],
  ["5 ids", [past(9, 3)], 4, ["window"]],
  ["the largest of several", [past(100, 6), past(80, 4), past(74, 1)], 70, ["window"]],
  ["within 8 runs, weeks ago", [past(100, 40), past(80, 30)], 70, ["window"]],
  ["longer ago than both", [past(100, 8), ...Array.from({ length: 8 }, () => past(71, 1))], 70, []],
  ["before an approval", [past(100, 3, { superseded: ["window"] }), past(71, 1)], 70, []],
  ["a snapshot without ids", [past(0, 1)], 0, []],
])("window: %s", (_, pasts, sent, expected) => {
  expect(rulesOf({ pasts, sent, sets: [completed(80, 10)] })).toEqual(expected);
});

test("window: needs only the last 8 runs and the largest snapshot of each day", () => {
  const after = (runs: readonly PastSnapshot[], days?: number) =>
    runs.reduce<PastSnapshots>((pasts, run) => remembered(pasts, run, [], days), []).map(({ sent }) => sent);
  // Each day's largest snapshot is its last; the window begins in the middle of a day.
  const hourly = Array.from({ length: 24 * 20 }, (_, i) => past(1000 + (i % 24), (12 + 479 - i) / 24));
  expect(after(hourly)).toEqual([
    ...Array(7).fill(1023),
    ...[1016, 1017, 1018, 1019, 1020, 1021, 1022, 1023],
  ]);
  const daily = Array.from({ length: 60 }, (_, i) => past(i, 60 - i));
  expect(after(daily, 31)).toHaveLength(32);
});

test("window: counts unclear snapshots, and names the largest one", () => {
  const facts = { pasts: [past(900, 2)], unclear: [past(1000, 1)], sent: 700, sets: [completed(900, 200)] };
  expect(findings(facts)).toEqual([
    {
      rule: "window",
      text: "700 ids, 30% fewer than the 1,000 of 2026-01-30; 200 of the 900 known ids would be removed",
    },
  ]);
});

test.each([
  [[completed(1000, 0)], 1400, []],
  [[completed(1000, 0)], 1401, ["added"]],
  [[completed(10, 0)], 19, []],
  [[completed(10, 0)], 20, ["added"]],
  [[completed(3, 0)], 5, []],
  [[completed(3, 0)], 6, ["added"]],
  [[completed(2, 0)], 22, []],
  [[completed(2, 0)], 23, ["added"]],
  [[completed(45, 0)], 65, []],
  [[completed(45, 0)], 66, ["added"]],
  [[completed(0, 0)], 5000, []],
  [[], 5000, []],
  [[completed(1000, 0), unclear(1500, 0)], 1401, ["added"]],
])("added: to %j, with %i sent: %j", (sets, sent, expected) => {
  expect(rulesOf({ sets, sent })).toEqual(expected);
});

/** A ledger of `days` days whose runs usually remove `lost` of their ids. */
const known = (lost: number, days = 8, comparisons = 8, all = 100) => {
  const usual = {
    since: NOW - days * DAY_MS,
    at: NOW,
    comparisons,
    shares: { "": { lost, other: 0, merged: 0 } },
  };
  return { pasts: [past(all, 1, { fields: { sample: EMPTY_SAMPLE, usual } })], sets: [completed(all, 16)] };
};

test.each([
  ["above 15%", known(0), ["removed"]],
  ["at 15%", { ...known(0), sets: [completed(100, 15)] }, []],
  ["few ids", { ...known(0, 8, 8, 20), sets: [completed(20, 4)], sent: 16 }, []],
  ["at twice the usual share", known(0.08), []],
  ["above twice the usual share", known(0.079), ["removed"]],
  ["in the first week", known(0, 6.9), []],
  ["before three comparisons", known(0, 30, 2), []],
  ["without a history", { ...known(0), pasts: [] }, []],
])("removed: more than usual, %s", (_, facts, expected) => {
  expect(rulesOf({ sent: 100, ...facts })).toEqual(expected);
});

test.each([
  ["half of the removed", 100, 6, 3, ["removed"]],
  ["fewer", 100, 6, 2, []],
  ["at 5%", 100, 5, 100, []],
  ["few ids", 40, 4, 40, []],
])("removed: with repeated records, %s", (_, all, gone, duplicates, expected) => {
  expect(rulesOf({ sets: [completed(all, gone)], sent: all, duplicates })).toEqual(expected);
});
