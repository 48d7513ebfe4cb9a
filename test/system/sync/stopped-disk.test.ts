import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { testService } from "../../support/test-service.js";
import { startScript } from "./run-process.js";

const service = testService();

/** How a run ends whose process has disks that stopped answering. */
function endOf(by: string): Promise<string> {
  const { syncUrl, apiKey, installationId } = service.server;
  const args = [syncUrl, apiKey, installationId, service.directory, by];
  return text(startScript("stopped-disk-script.ts", args).stdout);
}

// Windows has no named pipes that block the threads of the disk.
test.skipIf(process.platform === "win32").each([
  ["signal", "the caller"],
  ["time", "TIMEOUT"],
  ["close", "CLOSED"],
])("a disk that never answers does not keep a run from ending by its %s", async (by, end) => {
  expect(await endOf(by)).toBe(end);
  expect(service.states()).toEqual(["completed"]);
});
