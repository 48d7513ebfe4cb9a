import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();

/** How a process ends that has nothing but a batch, and what it says. */
async function endOf(way: string) {
  const script = new URL("../support/idle-process-script.ts", import.meta.url).pathname;
  const args = ["--import=tsx", script, harness.server.endpoint, way];
  const child: ChildProcess = spawn(process.execPath, args);
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout?.on("data", (chunk) => {
    said += String(chunk);
  });
  const [code] = await once(child, "close");
  return { code, said };
}

describe("a process that nothing but a batch keeps alive", { timeout: 60_000 }, () => {
  it("waits for a source that never goes on until the lease is over, and is told so", async () => {
    expect(await endOf("waiting")).toEqual({ code: 0, said: "expired" });
    expect(harness.server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
  });

  it.each([
    ["completed", "completed"],
    ["aborted", "aborted"],
    ["closed", "closed"],
    ["client closed", "closed"],
  ])("ends when the batch is %s", async (way, state) => {
    expect(await endOf(way)).toEqual({ code: 0, said: state });
  });
});
