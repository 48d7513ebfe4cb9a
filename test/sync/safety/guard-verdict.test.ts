/** The rules on their own; what they do to a run is tested over the wire. */

import type { GuardOptions } from "@saas-management/sdk";
import { expect, test } from "vitest";
import type { ComparedSet } from "../../../src/sync/guard/comparison.js";
import { resolveGuard } from "../../../src/sync/guard/rules.js";
import { findingsOf, type SnapshotFacts } from "../../../src/sync/guard/verdict.js";
import { EMPTY_PROFILE, type SnapshotProfile } from "../../../src/sync/ids/snapshot-profile.js";
import type { PastSnapshot } from "../../../src/sync/ledger/history.js";

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
  const empty = { profile: EMPTY_PROFILE, history: [], unclear: [], now: NOW };
  return findingsOf({ ...empty, ...facts, compared: compared(facts) }, rule);
}

const rulesOf = (...given: Parameters<typeof findings>) => findings(...given).map(({ rule }) => rule);

const completed = (known: number, gone: number) => ({ origin: "completed" as const, known, gone });
const unclear = (known: number, gone: number) => ({ origin: "unclear" as const, known, gone });

function past(sent: number, daysAgo: number, more: Partial<PastSnapshot> = {}): PastSnapshot {
  return { at: NOW - daysAgo * DAY_MS, sent, profile: EMPTY_PROFILE, ...more };
}

function profile(records: number, more: Partial<SnapshotProfile>): SnapshotProfile {
  return { ...EMPTY_PROFILE, records, ...more };
}

test.each([
  [completed(100, 25), 75, []],
  [completed(100, 26), 74, ["removed"]],
  [completed(8, 2), 6, []],
  [completed(1, 1), 0, ["removed"]],
  [completed(1, 1), 1, []],
  [completed(2, 2), 2, ["removed"]],
  [completed(2, 1), 2, []],
])("removed: of %j, with %i sent: %j", (set, sent, expected) => {
  expect(rulesOf({ sets: [set], sent })).toEqual(expected);
});

test("removed: says how many of which ids", () => {
  const one = findings({ sets: [completed(4000, 1004)], sent: 2996 });
  expect(one).toEqual([{ rule: "removed", text: "1,004 of 4,000 known ids would be removed (25.1 %)" }]);
  const [both] = findings({ sets: [completed(4000, 1004), unclear(4100, 1104)], sent: 2996 });
  expect(both?.text).toBe(
    "1,104 of 4,100 known ids would be removed (26.9 %, including 1,004 of the 4,000 of the last completed snapshot)",
  );
  const [none] = findings({ sets: [completed(2, 2)], sent: 3 });
  expect(none?.text).toBe(
    "2 of 2 known ids would be removed (100 %, none of them is among the ids that were sent)",
  );
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
])("window: %s", (_, history, sent, expected) => {
  expect(rulesOf({ history, sent, sets: [completed(80, 10)] })).toEqual(expected);
});

test("window: counts unclear snapshots, and names the largest one", () => {
  const facts = { history: [past(900, 2)], unclear: [past(1000, 1)], sent: 700, sets: [completed(900, 200)] };
  expect(findings(facts)).toEqual([
    {
      rule: "window",
      text: "700 ids were sent, 30 % fewer than the 1,000 of 2026-01-30; 200 of the 900 known ids would be removed",
    },
  ]);
});

test.each([
  ["all values", { email: 40 }, 40, { email: 0 }, 40, ["emptied"]],
  ["a field that is not sent", { email: 40 }, 40, {}, 40, ["emptied"]],
  ["a quarter", { email: 40 }, 40, { email: 30 }, 40, []],
  ["more than a quarter", { email: 40 }, 40, { email: 29 }, 40, ["emptied"]],
  ["fewer than 5 values", { email: 4 }, 40, { email: 0 }, 40, []],
  ["as many values of more records", { email: 40 }, 40, { email: 40 }, 80, []],
  ["a fifth of the values, and many records without", { email: 100 }, 100, { email: 80 }, 120, []],
  ["fewer records, as often filled", { email: 40 }, 80, { email: 25 }, 50, []],
  ["a new field", {}, 40, { email: 40 }, 40, []],
  ["no records", { email: 40 }, 40, {}, 0, []],
])("emptied: %s", (_, before, recordsBefore, filled, records, expected) => {
  const history = [past(40, 1, { profile: profile(recordsBefore, { filled: before }) })];
  const facts = { history, profile: profile(records, { filled }), sent: 40 };
  expect(rulesOf(facts, { window: false })).toEqual(expected);
});

test("emptied: compares with each snapshot of the window, and names the fields", () => {
  const filled = (count: number, name = 40) => ({
    profile: profile(40, { filled: { email: count, name } }),
  });
  const history = [past(40, 6, filled(40, 39)), past(40, 2, filled(32)), past(40, 1, filled(30))];
  const facts = { history, profile: profile(40, { filled: { email: 28, name: 2 } }), sent: 40 };
  expect(findings(facts)).toEqual([
    {
      rule: "emptied",
      fields: ["email", "name"],
      text: "email has a value in 28 of 40 records, before in 40 of 40; name has a value in 2 of 40 records, before in 40 of 40",
    },
  ]);
  expect(rulesOf({ ...facts, profile: profile(40, { filled: { email: 31, name: 40 } }) })).toEqual([]);
  expect(rulesOf({ ...facts, history: [], unclear: history })).toEqual(["emptied"]);
  expect(
    rulesOf({
      ...facts,
      history: history.map((one) => ({ ...one, superseded: ["emptied:email", "emptied:name"] })),
    }),
  ).toEqual([]);
});

test("emptied: names many fields, and describes the first ones", () => {
  const filled = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`field${i}`, 40]));
  const history = [past(40, 1, { profile: profile(40, { filled }) })];
  const [found] = findings({ history, profile: profile(40, {}), sent: 40 });
  expect(found?.fields).toHaveLength(8);
  expect(found?.text).toMatch(
    /field4 has a value in 0 of 40 records, before in 40 of 40; the same with 3 more fields$/,
  );
});

const status = (active: number, inactive: number) =>
  profile(active + inactive, { choices: { status: { ACTIVE: active, INACTIVE: inactive } } });

test.each([
  ["the half", [status(80, 20)], status(30, 70), []],
  ["more than the half", [status(80, 20)], status(29, 71), ["flipped"]],
  [
    "a value that is new",
    [status(80, 20)],
    profile(99, { choices: { status: { LOCKED: 99 } } }),
    ["flipped"],
  ],
  ["few values", [status(19, 0)], status(0, 100), []],
  ["few values now", [status(100, 0)], status(0, 19), []],
  ["a state that it had before", [status(0, 100), status(99, 1)], status(1, 99), []],
  ["a new field", [profile(99, {})], status(0, 99), []],
])("flipped: %s", (_, before, now, expected) => {
  const history = before.map((one, i) => past(100, 9 - i, { profile: one, superseded: ["flipped:status"] }));
  expect(rulesOf({ history, profile: now, sent: 100 })).toEqual(expected);
});

test("flipped: names the value that became frequent, and does not count unclear snapshots", () => {
  const history = [past(4000, 1, { profile: status(3900, 100) })];
  const facts = { history, profile: status(40, 3960), sent: 4000 };
  expect(findings({ ...facts, unclear: [past(4000, 0, { profile: status(0, 4000) })] })).toEqual([
    {
      rule: "flipped",
      fields: ["status"],
      text: "status is INACTIVE in 99 % of 4,000 records, before in 2.5 % of 4,000",
    },
  ]);
});

test.each([
  [[completed(1000, 0)], 1750, []],
  [[completed(1000, 0)], 1751, ["added"]],
  [[completed(10, 0)], 60, []],
  [[completed(10, 0)], 61, ["added"]],
  [[completed(0, 0)], 5000, []],
  [[], 5000, []],
  [[completed(1000, 0), unclear(1500, 0)], 1751, ["added"]],
])("added: to %j, with %i sent: %j", (sets, sent, expected) => {
  expect(rulesOf({ sets, sent })).toEqual(expected);
});

test("added: says how many are new", () => {
  expect(findings({ sets: [completed(1000, 10)], sent: 20_000 })).toEqual([
    { rule: "added", text: "19,010 of the 20,000 ids that were sent are new, 1,000 were known" },
  ]);
});

/** Samples of 40 records, some of which have another name, and some another e-mail address. */
const sample = (names: number, emails: number, count = 40) =>
  Buffer.from(
    Array.from({ length: count }, (_, i) => [i, 0, i < names ? 1 : 0, i < emails ? 1 : 0]).flat(),
  ).toString("base64");

test.each([
  ["the half", 20, 20, 40, []],
  ["more than the half", 21, 21, 40, ["values"]],
  ["names alone", 40, 20, 40, []],
  ["e-mail addresses alone", 20, 40, 40, []],
  ["20 records", 20, 20, 20, ["values"]],
  ["fewer than 20 records", 19, 19, 19, []],
])("values: %s", (_, names, emails, count, expected) => {
  const history = [past(40, 9), past(40, 1, { profile: profile(40, { sample: sample(0, 0) }) })];
  const facts = { history, sent: 40, profile: profile(40, { sample: sample(names, emails, count) }) };
  expect(rulesOf(facts)).toEqual(expected);
  expect(rulesOf(facts, { values: false })).toEqual([]);
});

test("values: says how many, beside the last completed snapshot only", () => {
  const now = profile(40, { sample: sample(30, 30) });
  const then = past(40, 1, { profile: profile(40, { sample: sample(0, 0) }), superseded: ["values"] });
  expect(findings({ history: [then], sent: 40, profile: now })).toEqual([
    { rule: "values", text: "name and e-mail address both changed in 30 of 40 compared records" },
  ]);
  expect(findings({ history: [then, past(40, 0, { profile: now })], sent: 40, profile: now })).toEqual([]);
});

test.each(["removed", "window", "emptied", "flipped", "added"] as const)("turns %s off alone", (name) => {
  const before = profile(100, { filled: { email: 100 }, choices: { status: { ACTIVE: 100 } } });
  const facts: Facts = {
    sets: [completed(1000, 1000)],
    sent: 800,
    history: [past(2000, 1, { profile: before })],
    profile: profile(800, { choices: { status: { INACTIVE: 800 } } }),
  };
  const others = ["removed", "emptied", "flipped", "added"].filter((rule) => rule !== name);
  // What `removed` reports is not reported again by `window`.
  if (name === "removed") others.unshift("window");
  expect(rulesOf(facts, { [name]: false })).toEqual(others);
  expect(rulesOf(facts, { removed: false, collections: { accounts: { [name]: false } } })).not.toContain(
    name,
  );
});

test("turns the guard off until a date, and on again after it", () => {
  const rulesAt = (now: number, offUntil: Date | string) => {
    const guard = resolveGuard({ offUntil }, now);
    expect(guard.isOn).toBe(guard.ruleOf("accounts") !== undefined);
    return guard.isOn;
  };
  const midnight = Date.UTC(2026, 11, 31);
  for (const offUntil of ["2026-12-31", "2026-12-31T01:00:00+01:00", new Date(midnight)]) {
    expect(rulesAt(midnight - 1, offUntil)).toBe(false);
    expect(rulesAt(midnight, offUntil)).toBe(true);
  }
});
