import type { HeldReason } from "../../core/errors/index.js";
import type { History, PastSnapshot } from "../ledger/history.js";
import type { ResolvedRule } from "./rules.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const LAST_RUNS = 8;

/** How many days of a collection's snapshots are remembered, unless a rule says otherwise. */
const WINDOW_DAYS = 7;

/** How many days of a collection's snapshots are remembered. */
export function daysOf(rule: Pick<ResolvedRule, "window"> | undefined): number {
  return rule === undefined || rule.window === false ? WINDOW_DAYS : rule.window.days;
}

/**
 * Adds a completed snapshot to the history: its last 8 snapshots are remembered, and of each day of the last `days` days
 * the largest one.
 * @param approved Found, and allowed: for these rules and fields, earlier snapshots do not count any more.
 */
export function remembered(
  history: History,
  next: PastSnapshot,
  approved: readonly Pick<HeldReason, "rule" | "fields">[],
  days = WINDOW_DAYS,
): History {
  const allowed = approved.flatMap(supersededBy);
  const earlier = history.map(({ fields: _, superseded = [], ...past }): PastSnapshot => {
    const all = [...new Set([...superseded, ...allowed])];
    return all.length === 0 ? past : { ...past, superseded: all };
  });
  const all = [...earlier, next];
  const recent = inWindow(all, next.at, days);
  const largest = new Map<string, PastSnapshot>();
  for (const past of recent) {
    // A superseded snapshot must not take the place of a smaller one that counts.
    const day = `${Math.floor(past.at / DAY_MS)} ${past.superseded}`;
    if (past.sent > (largest.get(day)?.sent ?? -1)) largest.set(day, past);
  }
  const kept = new Set([...largest.values(), ...all.slice(-LAST_RUNS)]);
  return all.filter((past) => kept.has(past));
}

function supersededBy({ rule, fields = [] }: Pick<HeldReason, "rule" | "fields">): readonly string[] {
  if (rule === "changed") return fields.map((field) => `${rule}:${field}`);
  // What removes too many ids shrinks the snapshot, too.
  return rule === "removed" ? [rule, "window"] : [rule];
}

/** The snapshots of the last 8 runs or the last `days` days, whichever reaches further back. */
export function inWindow(history: History, now: number, days: number): History {
  return history.filter((past, i) => i >= history.length - LAST_RUNS || now - past.at <= days * DAY_MS);
}
