import { once } from "node:events";
import { expect, test } from "vitest";
import { until } from "../../support/promises.js";
import { useScriptedServer } from "../../support/scripted-sync-server.js";
import { startScript } from "./run-process.js";

const harness = useScriptedServer();

/** A process that waits in its run, and what it prints. */
async function startRun() {
  const child = startScript("signals-run-script.ts", [harness.server.endpoint]);
  const printed = { text: "" };
  child.stdout.on("data", (chunk) => {
    printed.text += String(chunk);
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  await until(() => printed.text.includes("writing"));
  return { child, printed, ended };
}

test.runIf(process.platform !== "win32").each(["SIGINT", "SIGTERM"] as const)(
  "%s aborts the batch, and the process goes on",
  async (signal) => {
    const { child, printed, ended } = await startRun();
    child.kill(signal);
    expect(await ended).toEqual({ code: 3, signal: null });
    expect(printed.text).toContain("INTERRUPTED");
    expect(printed.text).toContain(signal);
    expect(harness.server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
  },
);

test.runIf(process.platform !== "win32").each([
  ["SIGINT", "SIGINT"],
  ["SIGINT", "SIGTERM"],
] as const)("after %s, %s ends the process even if the abort hangs", async (...signals) => {
  harness.server.beforeAbort = () => new Promise(() => {});
  const { child, printed, ended } = await startRun();
  const [first, second] = signals;
  child.kill(first);
  await until(() => harness.server.calls.includes("AbortSyncBatch"));
  child.kill(second);
  expect(await ended).toEqual({ code: null, signal: second });
  expect(printed.text).toBe("writing\n");
});
