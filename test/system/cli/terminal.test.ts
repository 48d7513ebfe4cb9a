import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { CLI, settingsOf } from "../../support/cli.js";
import { testService } from "../../support/test-service.js";

const service = testService();
const ESCAPE = "\u001b[";
const CTRL_C = "\u0003";
const COLUMNS = 40;

/** Starts the command line on a pseudo terminal (util-linux), which also echoes what is typed. */
function onTerminal(args: readonly string[], { columns = COLUMNS }: { readonly columns?: number } = {}) {
  const line = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(" ");
  const command = `stty cols ${columns}; exec ${line}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    cwd: service.directory,
    env: { PATH: process.env["PATH"] ?? "", TERM: "xterm", SHELL: "/bin/sh", ...settingsOf(service) },
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
    /** Resolves with the exit code and everything that was shown. */
    async end(): Promise<{ code: number; shown: string }> {
      const [code] = await once(child, "close");
      return { code, shown };
    },
  };
}

const connector = (source: string) =>
  service.writeFile(
    "connector.mjs",
    `async function* slow() { for (let i = 0; ; i++) { yield { id: "u" + i }; await new Promise((end) => setTimeout(end, i < 2 ? 10 : 600_000)); } }
     export const connector = { snapshots: ["accounts"], run: (batch) => batch.write("accounts", ${source}) };`,
  );
const ARGS = ["run", "connector.mjs", "--first-run=1"];

test("a narrow terminal shows progress on one line, even for a slow source, and erases it", async () => {
  await connector("slow()");
  const terminal = onTerminal(ARGS);
  await terminal.until("0 s: reading");
  await terminal.until("reading accounts, 3 records");
  terminal.child.stdin.write(CTRL_C);
  const { code, shown } = await terminal.end();
  expect(code).toBe(130);
  const [, ...drawn] = shown.split(`\r${ESCAPE}2K`);
  const last = drawn.pop();
  for (const line of drawn) expect(line).toMatch(/^[^\n]{0,39}(\^C)?$/);
  expect(last).toMatch(/^saas-management: The (run|command) was ended\s+by\s+SIGINT\./);
  expect(service.inspect().batches).toEqual([]);
});

test.each([
  ["40", 0, 40],
  ["41", 2, 0],
  ["y", 2, 0],
  ["\u0004", 2, 0],
])("a first run is sent after its number of records is typed: %s", async (typed, code, sent) => {
  await connector('Array.from({ length: 40 }, (_, i) => ({ id: "u" + i }))');
  const terminal = onTerminal(["run", "connector.mjs", "--first-run"], { columns: 200 });
  const shown = await terminal.until("type 40 to continue: ");
  expect(shown).toContain("This first run has 40 records of accounts.");
  terminal.child.stdin.write(`${typed}\r`);
  expect((await terminal.end()).code).toBe(code);
  expect(service.inspect().snapshots.accounts).toHaveLength(sent);
});

test("Ctrl-C at the question of a first run sends nothing", async () => {
  await connector('[{ id: "u1" }]');
  const terminal = onTerminal(["run", "connector.mjs", "--first-run"]);
  await terminal.until("continue: ");
  terminal.child.stdin.write(CTRL_C);
  expect((await terminal.end()).code).toBe(130);
  expect(service.inspect().batches).toEqual([]);
});

test("a warning is on its own line above the progress, with the reason", async () => {
  await connector('[{ id: "u1" }]');
  service.server.faults.add({ on: "StartSyncBatch", fault: "status", status: "UNAVAILABLE", times: 1 });
  const { code, shown } = await onTerminal(ARGS).end();
  expect(code).toBe(0);
  const [, ...drawn] = shown.split(`\r${ESCAPE}2K`);
  const warning = drawn.find((line) => line.startsWith("Warning"));
  expect(warning).toMatch(
    /^Warning: StartSyncBatch: retrying: .* failed with UNAVAILABLE.*\(.*attempt 1, delayMs \d+.*\)\r\n\d+ s: /,
  );
});

test("a held run is printed with line breaks between words, but none within paths and commands", async () => {
  await connector('[{ id: "u1" }]');
  const { code, shown } = await onTerminal(["run", "connector.mjs"]).end();
  expect(code).toBe(80);
  const [, said = ""] = shown.split("saas-management: ");
  const lines = said.replaceAll("\r", "").split("\n");
  expect(lines.slice(0, 2)).toEqual(["Held: the ledger has no", "earlier run. Nothing was sent."]);
  const isWhole = (line: string) => /^ *\S+$/.test(line) || line.includes("  # ");
  expect(lines.filter((line) => line.length > COLUMNS && !isWhole(line))).toEqual([]);
  expect(said).toContain("\n- accounts: there is no earlier run to\r\n  compare with; ");
});

test("a held run fits 60 columns, with its counts on one line", async () => {
  await connector('Array.from({ length: 400 }, (_, i) => ({ id: "u" + i }))');
  await onTerminal(["run", "connector.mjs", "--first-run=400"]).end();
  await connector('[{ id: "u1" }]');
  const { code, shown } = await onTerminal(["run", "connector.mjs"], { columns: 60 }).end();
  expect(code).toBe(80);
  const [, said = ""] = shown.split("saas-management: ");
  const lines = said.replaceAll("\r", "").split("\n");
  expect(lines.slice(0, 2).join(" ")).toBe("Held: 399 of 400 accounts would be removed. Nothing was sent.");
  expect(lines.slice(2, 4)).toEqual([
    "accounts  400 → 1",
    "- accounts: 399 of 400 known ids would be removed (99.8%),",
  ]);
  const isWhole = (line: string) => /^ *\S+$/.test(line) || line.includes("  # ");
  expect(lines.filter((line) => line.length > 60 && !isWhole(line))).toEqual([]);
});

test("the help and doctor break lines between words", async () => {
  for (const command of ["--help", "doctor"]) {
    const { shown } = await onTerminal([command], { columns: 60 }).end();
    const lines = shown.replaceAll("\r", "").split("\n");
    const isWhole = (line: string) => /\S{40}/.test(line) || /^ {2}saas-management /.test(line);
    expect(lines.filter((line) => line.length > 60 && !isWhole(line))).toEqual([]);
  }
});

test("lines aren't broken in a terminal of unknown width, as in a container", async () => {
  await connector('[{ id: "u1" }]');
  const held = await onTerminal(["run", "connector.mjs"], { columns: 0 }).end();
  expect(held.shown).toContain(
    "\n- accounts: there is no earlier run to compare with; approving accepts the 1 record",
  );
  const report = await onTerminal(["report"], { columns: 0 }).end();
  expect(report.shown).toContain("Unused  Saving a year\r\n");
});

test("no id of a held run can control a terminal, not even in JSON", async () => {
  await connector('Array.from({ length: 40 }, (_, i) => ({ id: "u\\u009b31m\\u202e" + i }))');
  await onTerminal(["run", "connector.mjs", "--first-run=40"]).end();
  await connector('[{ id: "u1" }]');
  const { code, shown } = await onTerminal(["run", "connector.mjs", "--json"]).end();
  expect(code).toBe(80);
  expect(shown).not.toMatch(/[\u009b\u202e]/);
  expect(JSON.parse(shown).held.reasons[0].examples).toContain("u\u009b31m\u202e0");
});

test("a second Ctrl-C ends at once, even while the service does not answer", async () => {
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
