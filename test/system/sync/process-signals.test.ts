import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { until } from "../../support/promises.js";
import { useScriptedServer } from "../../support/sync-harness.js";
import { startScript } from "./run-process.js";

const harness = useScriptedServer();

/** A process in a run, and what it prints. While the run is sending, the service doesn't answer the second record. */
async function startRun(way: "reading" | "sending", through: readonly string[] = []) {
  harness.server.scripts.SyncRecords.push(undefined, "never");
  const child = startScript("signals-run-script", [harness.server.endpoint, way], through);
  const printed = { text: "" };
  child.stdout.on("data", (chunk) => {
    printed.text += String(chunk);
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  await until(() => printed.text.includes("working"));
  return { child, printed, ended };
}

test.runIf(process.platform !== "win32").each([
  ["SIGINT", "reading", []],
  ["SIGTERM", "reading", []],
  ["SIGINT", "sending", ["StartSyncBatch", "AbortSyncBatch"]],
  ["SIGTERM", "sending", ["StartSyncBatch", "AbortSyncBatch"]],
] as const)(
  "%s ends a run that is %s, with its batch, and the process continues",
  async (signal, way, calls) => {
    const { child, printed, ended } = await startRun(way);
    child.kill(signal);
    expect(await ended).toEqual({ code: 3, signal: null });
    expect(printed.text).toContain("INTERRUPTED");
    expect(printed.text).toContain(signal);
    expect(harness.server.calls).toEqual(calls);
  },
);

const CONTAINED = ["unshare", "--user", "--pid", "--fork", "--kill-child"];

test.runIf(process.platform === "linux").each([
  ["SIGINT", "SIGINT", [], { code: null, signal: "SIGINT" }],
  ["SIGINT", "SIGTERM", [], { code: null, signal: "SIGTERM" }],
  ["SIGTERM", "SIGTERM", CONTAINED, { code: 143, signal: null }],
] as const)(
  "after %s, %s ends the process even if the abort hangs, with %j",
  async (first, second, through, end) => {
    harness.server.hold("AbortSyncBatch");
    const { child, printed, ended } = await startRun("sending", through);
    const inner = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
    const pid = through === CONTAINED ? Number(inner) : Number(child.pid);
    process.kill(pid, first);
    await until(() => harness.server.calls.includes("AbortSyncBatch"));
    process.kill(pid, second);
    expect(await ended).toEqual(end);
    expect(printed.text).toBe("working\n");
  },
);
