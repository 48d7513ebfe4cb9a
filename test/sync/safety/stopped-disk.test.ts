import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { useSafetyHarness } from "../../support/safety-harness.js";

const harness = useSafetyHarness();
const states = () => harness.server.inspect(harness.server.installationId).batches.map(({ state }) => state);
const NOT_NOTED =
  "saas-management: the journal could not note that a batch has ended; the next run finds out";

/** How a run ends whose process has disks that stop answering. */
async function endOf(when: string, by: string): Promise<unknown> {
  const script = new URL("../../support/stopped-disk-script.ts", import.meta.url).pathname;
  const { syncUrl, apiKey, installationId } = harness.server;
  const args = ["--import=tsx", script, syncUrl, apiKey, installationId, harness.directory, when, by];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

const ENDS = [
  ["signal", "the caller"],
  ["time", "TIMEOUT"],
  ["close", "CLOSED"],
] as const;

// Pipes that a disk's threads wait for are not to be had on Windows.
describe.skipIf(process.platform === "win32")("a disk that never answers", { timeout: 60_000 }, () => {
  it.each(ENDS)("before a run has a batch does not keep it from ending by its %s", async (by, said) => {
    expect(await endOf("recovering", by)).toEqual({ said, logged: [] });
    expect(states()).toEqual(["completed"]);
  });

  it.each(ENDS)(
    "when a run has just got its batch does not keep it from ending by its %s",
    async (by, said) => {
      const end = await endOf("opened", by);
      expect(end).toMatchObject({ said, logged: expect.arrayContaining([NOT_NOTED]) });
      expect(states()).toEqual(["completed", "aborted", by === "close" ? "active" : "aborted"]);
    },
  );

  it("when a batch was completed keeps no run from its receipt", async () => {
    expect(await endOf("ended", "itself")).toEqual({ said: "completed", logged: [NOT_NOTED] });
    expect(states()).toEqual(["completed", "completed"]);
  });
});
