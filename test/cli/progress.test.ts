import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { ProgressLine } from "../../src/cli/output/progress.js";

function shown(isTerminal: boolean) {
  const lines: string[] = [];
  const io = {
    isTerminal,
    note: (line: string) => void lines.push(line),
    writeError: (text: string) => void lines.push(text),
  };
  return { io, lines };
}

test("outside of a terminal, progress is a plain line every 10 s", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const { io, lines } = shown(false);
  const progress = new ProgressLine(io, clock);
  clock.advance(9999);
  expect(lines).toEqual([]);
  clock.advance(1);
  progress.onProgress({ type: "waiting-for-lock", waitedMs: 1, nextAttemptMs: 1 });
  clock.advance(10_000);
  expect(lines).toEqual([
    "starting, 0 records, 0.0 MB, 0/s, 0 windows, 0 retries, 10 s",
    "waiting for the lock of another batch, 0 records, 0.0 MB, 0/s, 0 windows, 0 retries, 20 s",
  ]);
  progress.end();
  clock.advance(60_000);
  expect(lines).toHaveLength(2);
});

test("a terminal shows progress at once, and the line is cleared at the end", () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const { io, lines } = shown(true);
  const progress = new ProgressLine(io, clock);
  expect(lines).toHaveLength(1);
  clock.advance(500);
  expect(lines).toHaveLength(2);
  expect(lines.every((line) => line.startsWith("\r\u001b[2K"))).toBe(true);
  progress.end();
  expect(lines.at(-1)).toBe("\r\u001b[2K");
});
