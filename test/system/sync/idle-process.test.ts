import { once } from "node:events";
import { expect, test } from "vitest";
import { useScriptedServer } from "../../support/sync-harness.js";
import { startScript } from "./run-process.js";

const harness = useScriptedServer();

/** How a process that only the SDK keeps alive ends, and what it prints. */
async function endOf(way: string) {
  const child = startScript("idle-process-script", [harness.server.endpoint, way]);
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += String(chunk);
  });
  const [code] = await once(child, "close");
  return { code, printed };
}

test("a process stays alive until the lease of its batch is over", async () => {
  expect(await endOf("writing")).toEqual({ code: 0, printed: "expired" });
  expect(harness.server.calls).toEqual(["StartSyncBatch"]);
});

test("a process stays alive while a run reads a silent source, even for longer than any lease", async () => {
  expect(await endOf("reading")).toEqual({ code: 0, printed: "ended by the caller" });
  expect(harness.server.calls).toEqual([]);
});

test.each([
  ["completed", "completed"],
  ["aborted", "aborted"],
  ["closed", "closed"],
  ["client closed", "closed"],
])("a process ends when its batch is %s", async (way, state) => {
  expect(await endOf(way)).toEqual({ code: 0, printed: state });
});
