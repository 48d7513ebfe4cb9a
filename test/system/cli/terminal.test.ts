import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { CLI, runCli, TSX } from "../../support/cli.js";
import { testService } from "../../support/test-service.js";

const service = testService();
const ESCAPE = "\u001b[";
const CTRL_C = "\u0003";

const settings = (): Record<string, string> => ({
  HOME: service.directory,
  SAAS_MANAGEMENT_SYNC_URL: service.server.syncUrl,
  SAAS_MANAGEMENT_API_KEY: service.server.apiKey,
  SAAS_MANAGEMENT_INSTALLATION_ID: service.installationId,
});

/** Starts the command line on a pseudo terminal (util-linux), which also echoes what is typed. */
function onTerminal(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const line = [process.execPath, "--import", TSX, CLI, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["--quiet", "--return", "--command", `exec ${line}`, "/dev/null"], {
    cwd: service.directory,
    env: { PATH: process.env["PATH"] ?? "", TERM: "xterm", SHELL: "/bin/sh", ...settings(), ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  child.stdout.on("data", (chunk) => {
    shown += String(chunk);
  });
  return {
    child,
    /** Resolves when the terminal shows this. */
    async until(text: string): Promise<string> {
      while (!shown.includes(text)) await once(child.stdout, "data");
      return shown;
    },
    /** Resolves with the exit code and all that was shown. */
    async end(): Promise<{ code: number; shown: string }> {
      const [code] = await once(child, "close");
      return { code, shown };
    },
  };
}

const connector = (source: string) =>
  service.writeFile(
    "connector.mjs",
    `async function* silent() { yield { id: "u1" }; await new Promise((end) => setTimeout(end, 600_000)); }
     export const connector = { snapshots: ["accounts"], run: (batch) => batch.write("accounts", ${source}) };`,
  );
const ARGS = ["run", "connector.mjs", "--first-run"];

test("a terminal shows progress while a source is silent, and nothing of it stays", async () => {
  await connector("silent()");
  const terminal = onTerminal(ARGS);
  await terminal.until("reading, 0 s");
  await terminal.until("reading accounts, 1 record, ");
  terminal.child.stdin.write(CTRL_C);
  const { code, shown } = await terminal.end();
  expect(code).toBe(130);
  const last = shown.slice(shown.lastIndexOf(`${ESCAPE}2K`) + 4);
  expect(last).toMatch(/^saas-management: The (run|command) was ended by SIGINT\./);
  expect(service.inspect().batches).toEqual([]);
});

test("a second Ctrl-C ends at once, also while the service does not answer", async () => {
  await connector('[{ id: "u1" }]');
  service.server.faults.add({ on: "SyncRecords", fault: "stall", times: 9 });
  const stalled = service.server.faults.add({ on: "AbortSyncBatch", fault: "stall", times: 9 });
  const terminal = onTerminal(ARGS);
  await terminal.until("sending accounts, 0 of 1 record, ");
  terminal.child.stdin.write(CTRL_C);
  await expect.poll(() => stalled.fired).toBe(1);
  terminal.child.stdin.write(CTRL_C);
  expect((await terminal.end()).code).toBe(130);
  expect(service.inspect().batches.map(({ state }) => state)).toEqual(["active"]);
});

test.each<[string, Record<string, string>, boolean]>([
  ["a terminal", {}, true],
  ["NO_COLOR", { NO_COLOR: "1" }, false],
  ["TERM=dumb", { TERM: "dumb" }, false],
  ["FORCE_COLOR=0", { FORCE_COLOR: "0" }, false],
])("uses colors as the environment says: %s", async (_, env, isColored) => {
  await service.runAccounts(["u1"]);
  const config = JSON.stringify({ ledger: "." });
  await service.writeFile("saas-management.config.json", config);
  const { code, shown } = await onTerminal(["runs"], env).end();
  expect({ code, isColored: shown.includes(`${ESCAPE}1m`) }).toEqual({ code: 0, isColored });
});

test("a pipe gets colors only with FORCE_COLOR, and JSON never", async () => {
  await service.runAccounts(["u1"]);
  await service.writeFile("saas-management.config.json", JSON.stringify({ ledger: "." }));
  const runs = async (env: Record<string, string>, ...args: readonly string[]) =>
    (await runCli(["runs", ...args], { cwd: service.directory, env: { ...settings(), ...env } })).out;
  expect(await runs({})).not.toContain(ESCAPE);
  expect(await runs({ FORCE_COLOR: "1" })).toContain(ESCAPE);
  expect(await runs({ FORCE_COLOR: "1" }, "--json")).not.toContain(ESCAPE);
});
