import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { until, useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();

/** A process with a run that is writing, and what it says. */
async function startRun() {
  const script = new URL("../support/signals-run-script.ts", import.meta.url).pathname;
  const child: ChildProcess = spawn(process.execPath, ["--import=tsx", script, harness.server.endpoint]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { text: "" };
  child.stdout?.on("data", (chunk) => {
    said.text += String(chunk);
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  await until(() => said.text.includes("writing"));
  return { child, said, ended };
}

describe.runIf(process.platform !== "win32")(
  "a process whose run listens for signals",
  { timeout: 60_000 },
  () => {
    it.each(["SIGINT", "SIGTERM"] as const)(
      "aborts the batch at %s, and goes on as its code says",
      async (signal) => {
        const { child, said, ended } = await startRun();
        child.kill(signal);
        expect(await ended).toEqual({ code: 3, signal: null });
        expect(said.text).toContain(`CLOSED: The run was ended by ${signal}`);
        expect(harness.server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
      },
    );

    it.each([
      ["SIGINT", "SIGINT"],
      ["SIGTERM", "SIGTERM"],
      ["SIGINT", "SIGTERM"],
    ] as const)(
      "aborts at %s, and a %s after it ends the process although the abort hangs",
      async (...signals) => {
        harness.server.beforeAbort = () => new Promise(() => {});
        const { child, said, ended } = await startRun();
        const [first, second] = signals;
        child.kill(first);
        await until(() => harness.server.calls.includes("AbortSyncBatch"));
        child.kill(second);
        expect(await ended).toEqual({ code: null, signal: second });
        expect(said.text).toBe("writing\n");
      },
    );
  },
);
