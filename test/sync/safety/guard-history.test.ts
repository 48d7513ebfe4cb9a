import { expect, test } from "vitest";
import { inWindow, type PastSnapshots, remembered } from "../../../src/sync/ledger/past.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 0, 5);

const past = (at: number, sent: number) => ({ at: START + at, sent, filled: {} });

function after(runs: readonly { at: number; sent: number }[], days?: number): PastSnapshots {
  return runs.reduce<PastSnapshots>((pasts, { at, sent }) => remembered(pasts, past(at, sent), [], days), []);
}

const sizes = (pasts: PastSnapshots) => pasts.map(({ sent }) => sent);

test("remembers the last 8 runs and the largest of each day of the last 7", () => {
  const hourly = Array.from({ length: 24 * 20 }, (_, i) => ({ at: i * HOUR_MS, sent: 1000 + (i % 24) }));
  const pasts = after(hourly);
  // The largest of a day is its last; the oldest day is one that the window touches.
  expect(sizes(pasts)).toEqual([...Array(7).fill(1023), ...[1016, 1017, 1018, 1019, 1020, 1021, 1022, 1023]]);
  expect(pasts.every(({ at }) => at >= START + 19 * DAY_MS + 23 * HOUR_MS - 7 * DAY_MS)).toBe(true);
});

test("keeps 8 runs, however old they are", () => {
  const weekly = Array.from({ length: 20 }, (_, i) => ({ at: i * 7 * DAY_MS, sent: i }));
  expect(sizes(after(weekly))).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
});

test("remembers as many days as the rule says", () => {
  const daily = Array.from({ length: 60 }, (_, i) => ({ at: i * DAY_MS, sent: i }));
  expect(after(daily, 31)).toHaveLength(32);
});

test("marks what came before an approval by what it allowed, and keeps it beside what counts", () => {
  const approved = [{ rule: "removed" }, { rule: "changed", fields: ["email"] }] as const;
  let pasts = remembered(after([{ at: 0, sent: 100 }]), past(HOUR_MS, 50), approved);
  for (let i = 2; i < 12; i += 1) pasts = remembered(pasts, past(i * HOUR_MS, 50 - i), []);
  expect(pasts.map(({ sent, superseded = [] }) => [sent, superseded])).toEqual([
    [100, ["removed", "window", "changed:email"]],
    [50, []],
    ...[46, 45, 44, 43, 42, 41, 40, 39].map((sent) => [sent, []]),
  ]);
});

test("looks at the last 8 runs or the last days, whichever reach further back", () => {
  const at = (...days: number[]) => days.map((day) => past(day * DAY_MS, day));
  const now = START + 100 * DAY_MS;
  expect(sizes(inWindow(at(1, 2, 3, 4, 5, 6, 7, 8, 9), now, 7))).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  const recent = at(92, 93, 94, 95, 96, 97, 98, 99, 99, 99, 99);
  expect(sizes(inWindow(recent, now, 7))).toEqual([93, 94, 95, 96, 97, 98, 99, 99, 99, 99]);
});
