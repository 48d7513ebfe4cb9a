import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { useSafetyHarness } from "../../support/safety-harness.js";

const harness = useSafetyHarness();

/** How a run ends whose process has disks that stopped answering. */
async function endOf(by: string): Promise<string> {
  const script = new URL("../../support/stopped-disk-script.ts", import.meta.url).pathname;
  const { syncUrl, apiKey, installationId } = harness.server;
  const args = ["--import=tsx", script, syncUrl, apiKey, installationId, harness.directory, by];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

// Pipes that a disk's threads wait for are not to be had on Windows.
describe.skipIf(process.platform === "win32")("a disk that never answers", { timeout: 60_000 }, () => {
  it.each([
    ["signal", "the caller"],
    ["time", "TIMEOUT"],
    ["close", "CLOSED"],
  ])("before a run has a batch does not keep it from ending by its %s", async (by, said) => {
    expect(await endOf(by)).toBe(said);
    expect(harness.states()).toEqual(["completed"]);
  });

  it("keeps a run from its work for some seconds only, which the log tells, and the run goes on without its journal", async () => {
    expect((await endOf("nothing")).split("\n")).toEqual([
      "completed",
      "saas-management: the journal does not answer; batches of processes that were killed end with their lease",
      "saas-management: the journal does not answer; if this process is killed its batch's lock ends with the lease",
      "saas-management: the journal could not note that a batch has ended; the next run finds out",
    ]);
    expect(harness.states()).toEqual(["completed", "completed"]);
  });
});
