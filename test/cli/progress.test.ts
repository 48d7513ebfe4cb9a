import type { SyncProgress } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { ProgressLine } from "../../src/cli/progress.js";

function shown(isTerminal: boolean) {
  const lines: string[] = [];
  const io = {
    isTerminal,
    note: (line: string) => void lines.push(line),
    draw: (text: string) => void lines.push(text),
  };
  return { io, lines };
}

test("outside a terminal, prints a plain line every 10 s with what was read, judged and sent", () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const { io, lines } = shown(false);
  const progress = new ProgressLine(io, clock);
  const figures = { collection: "accounts", bytes: 1_500_000 } as const;
  const diff = {
    baseline: "completed",
    known: 9,
    sent: 9,
    added: 1,
    kept: 8,
    removed: 1,
    duplicates: 0,
  } as const;
  const events: readonly SyncProgress[] = [
    { type: "extracting", ...figures, records: 1234, total: undefined },
    { type: "extracting", ...figures, records: 1234, total: 5000 },
    { type: "extracting", ...figures, records: 1234, total: 5000 },
    { type: "judged", collection: "accounts", diff, held: false, rules: [] },
    { type: "waiting-for-lock", waitedMs: 1, nextAttemptMs: 1 },
    { type: "started", attempt: 1, batchId: "b1" },
    { type: "sending", ...figures, records: 500, total: 1234 },
    { type: "retry", operation: "SyncRecords of accounts", attempt: 1, delayMs: 1, code: "TRANSPORT_FAILED" },
    { type: "restarted", attempt: 2, batchId: "b2" },
  ];
  clock.advance(9999);
  expect(lines).toEqual([]);
  clock.advance(1);
  for (const event of events) {
    progress.onProgress(event);
    clock.advance(10_000);
  }
  expect(lines).toEqual([
    "10 s: reading",
    "20 s: reading accounts, 1,234 records, 1.5 MB",
    "30 s: reading accounts, 1,234 of 5,000 records, 1.5 MB",
    "40 s: reading accounts, 1,234 of 5,000 records, 1.5 MB",
    "50 s: accounts checked, changes: 1 added, 8 kept, 1 removed",
    "60 s: waiting for the lock of another batch",
    "70 s: waiting for the lock of another batch",
    "80 s: sending accounts, 500 of 1,234 records, 1.5 MB",
    "90 s: retrying SyncRecords of accounts (TRANSPORT_FAILED)",
    "100 s: sending in batch 2",
  ]);
  progress.end();
  clock.advance(60_000);
  expect(lines.filter(Boolean)).toHaveLength(10);
});
