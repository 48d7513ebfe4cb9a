import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { programFile } from "../programs.js";

const HOUR = 3_600_000;

/** Runs a process that only waits for a clock's callback and must exit by itself. Returns the output of the process. */
async function printed(clock: string, ms: number, keepAlive: boolean): Promise<string> {
  const args = [programFile("clock-timer-script"), clock, String(ms), String(keepAlive)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  return stdout;
}

test.each(["system", "running test"])(
  "a callback of the %s clock keeps the process alive only with keepAlive",
  async (clock) => {
    expect(await printed(clock, 5, true)).toBe("called");
    expect(await printed(clock, HOUR, false)).toBe("");
  },
);
