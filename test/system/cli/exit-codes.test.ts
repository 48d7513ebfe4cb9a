import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { EXIT, nextOf } from "../../../src/cli/exit-codes.js";
import { disposition } from "../../../src/core/errors/disposition.js";
import {
  AuthenticationError,
  BatchInProgressError,
  BatchOutcomeUnknownError,
  BatchStateError,
  ClosedError,
  ConfigurationError,
  InterruptedError,
  InvalidInputError,
  PermissionDeniedError,
  RateLimitError,
  RunHeldError,
  RunOutdatedError,
  SpoolError,
  TimeoutError,
  TransportError,
} from "../../../src/core/errors/index.js";
import { CLI, runCli, settingsOf, startCli } from "../../support/cli.js";
import { ids, testService } from "../../support/test-service.js";

const service = testService();

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runCli([...args, "--json"], { cwd: service.directory, env: { ...settingsOf(service), ...env } });

const CONNECTOR = ["run", "connector.mjs", "--first-run"];
const connector = (body: string) =>
  service.writeFile("connector.mjs", `export const connector = { snapshots: ["accounts"], ${body} };`);
const push = async (lines: string, ...args: readonly string[]) => {
  await service.writeFile("accounts.csv", `id\n${lines}`);
  return run(["push", "accounts.csv", ...args]);
};

const problem = (code: string) => expect.objectContaining({ code });

/** The error object, on the last line of stderr. */
function errorOf({ code, error }: { readonly code: number; readonly error: string }): unknown {
  const object = JSON.parse(error.trim().split("\n").at(-1) ?? "");
  const held = object.code === "RUN_HELD" ? ["held"] : [];
  const fields = Object.keys(object).filter((name) => name !== "installationId");
  expect(fields).toEqual(["time", "level", "message", "status", "code", "reasons", "next", ...held]);
  expect(object.status).toBe(code);
  return object;
}

test("exits with 0 after a success", async () => {
  expect(await push("u1\n", "--first-run")).toMatchObject({ code: EXIT.done, error: "" });
});

test("exits with 1 for an error of the connector, and says where it was thrown", async () => {
  await connector("run() { throw new Error('my vendor is down'); }");
  const ended = await run(CONNECTOR);
  expect(ended.code).toBe(1);
  expect(errorOf(ended)).toEqual(problem("UNEXPECTED"));
  const env = settingsOf(service);
  const { error } = await runCli(CONNECTOR, { cwd: service.directory, env });
  expect(error).toMatch(/^saas-management: my vendor is down\n\s+at .*connector\.mjs/);
});

test("exits with 65 for invalid data, and names file, line and field", async () => {
  await service.writeFile("accounts.csv", "id,active\nu1,true\nu2,perhaps\n");
  const ended = await run(["push", "accounts.csv", "--first-run"]);
  expect(ended.code).toBe(65);
  expect(errorOf(ended)).toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining("(accounts.csv:3) active: expected true or false"),
  });
  expect(ended.error).not.toContain("perhaps");
});

test.each([
  [{ push: [{ collection: "accounts", file: [] }] }, "push[0].file must be a path"],
  [{ push: { accounts: {} } }, "push must be an array"],
  [{ baseURL: "x" }, "unknown option baseURL. Did you mean baseUrl?"],
  [{ apiKey: "secret-key-1" }, "apiKey must be a function"],
])("exits with 78 for a mistake in the configuration, with its place: %j", async (config, named) => {
  await service.writeFile("saas-management.config.json", JSON.stringify(config));
  const ended = await push("u1\n");
  expect(ended.code).toBe(78);
  expect(errorOf(ended)).toEqual(problem("INVALID_CONFIGURATION"));
  expect(ended.error).toContain(named);
  expect(ended.error).not.toContain("secret-key-1");
});

test("exits with 78 for a module that cannot be loaded, and says what to do", async () => {
  const missing = await run(["run", "missing.mjs"]);
  expect(errorOf(missing)).toMatchObject({
    status: 78,
    message: `missing.mjs is not in ${service.directory}.`,
    reasons: [],
  });
  await service.writeFile("package.json", '{ "type": "commonjs" }');
  await service.writeFile("typed.js", 'import "node:fs";\nexport const connector = {};\n');
  expect(errorOf(await run(["run", "typed.js"]))).toMatchObject({
    status: 78,
    message: expect.stringContaining('.mjs, or set "type": "module"'),
  });
  await service.writeFile("broken.mjs", 'throw new Error("one\\n  two");');
  expect(errorOf(await run(["run", "broken.mjs"]))).toMatchObject({
    status: 78,
    reasons: ["because: one two"],
  });
});

test("exits with 80 for a held run", async () => {
  await push(`${ids(40).join("\n")}\n`, "--first-run");
  const ended = await push("u1\n");
  expect(ended.code).toBe(80);
  const bin = join(service.directory, "node_modules/.bin");
  await mkdir(bin, { recursive: true });
  await symlink(CLI, join(bin, "saas-management"));
  const local = { cwd: service.directory, env: settingsOf(service), program: [join(bin, "saas-management")] };
  expect((await runCli(["status"], local)).out).toContain("\n  npx saas-management approve ");
  expect(errorOf(ended)).toMatchObject({
    code: "RUN_HELD",
    next: [
      { command: "saas-management status --ids" },
      { command: expect.stringMatching(/^saas-management approve /) },
    ],
    held: {
      installationId: service.installationId,
      reasons: [{ collection: "accounts", rule: "removed", diff: { removed: 39 } }],
      approval: { id: expect.any(String) },
    },
  });
});

test("exits with 81 if the outcome of a completion is unknown", async () => {
  service.server.faults.add({ on: "CompleteSyncBatch", fault: "drop", at: "answer", times: 9 });
  service.server.faults.add({ on: "AbortSyncBatch", fault: "drop", times: 99 });
  await service.writeFile(
    "saas-management.config.json",
    JSON.stringify({ retry: { retries: 0 }, timeoutMs: 2000 }),
  );
  await service.writeFile(
    "connector.mjs",
    `export const options = { retryForMs: 0, firstRun: true };
     export const connector = {
       snapshots: ["accounts"],
       run: (batch) => batch.write("accounts", [{ id: "u1" }]),
     };`,
  );
  const ended = await run(CONNECTOR);
  expect(ended.code).toBe(81);
  expect(errorOf(ended)).toEqual(problem("BATCH_OUTCOME_UNKNOWN"));
});

test("exits with 82 if --first-run was wrong, and the service removed records", async () => {
  await service.runAccounts(ids(40), { ledger: fileLedger(join(service.directory, "lost")) });
  const ended = await push("u1\n", "--first-run");
  expect(ended.code).toBe(82);
  expect(ended.out).toContain("the service removed 39 records of accounts, but the ledger expected 0");
});

test("exits with 75 if another run completed in the meantime, and says how to see it", async () => {
  await service.writeFile("accounts.csv", "id\nu1\n");
  const other = [CLI, "push", "accounts.csv", "--first-run"];
  await service.writeFile(
    "connector.mjs",
    `import { execFileSync } from "node:child_process";
     export const options = { retryForMs: 0 };
     export const connector = {
       snapshots: ["accounts"],
       async run(batch) {
         execFileSync(process.execPath, ${JSON.stringify(other)});
         await batch.write("accounts", [{ id: "u1" }]);
       },
     };`,
  );
  const ended = await run(CONNECTOR);
  expect(ended.code).toBe(75);
  expect(errorOf(ended)).toMatchObject({
    code: "RUN_OUTDATED",
    next: [{ command: "saas-management status" }],
  });
  expect(service.states()).toEqual(["completed"]);
});

test("exits with 78 if there is no space for the records of a run, and says why", async () => {
  const spool = { directory: join(service.directory, "missing"), memoryBytes: 0 };
  await service.writeFile("saas-management.config.json", JSON.stringify({ sync: { spool } }));
  const ended = await push("u1\n", "--first-run");
  expect(ended.code).toBe(78);
  expect(errorOf(ended)).toMatchObject({ code: "SPOOL_FAILED", next: [] });
  expect(ended.error).toContain("ENOENT");
  expect(service.states()).toEqual([]);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("at %s, aborts the batch and exits with %i", async (signal, code) => {
  await service.writeFile("accounts.csv", "id\nu1\n");
  const stalled = service.server.faults.add({ on: "SyncRecords", fault: "stall", times: 9 });
  const args = ["push", "accounts.csv", "--first-run", "--json"];
  const child = startCli(args, { cwd: service.directory, env: settingsOf(service), input: "" });
  await expect.poll(() => stalled.fired).toBe(1);
  child.kill(signal);
  const exit = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  expect(exit).toBe(code);
  expect(service.states()).toEqual(["aborted"]);
});

/** For each exit code in the docs' table, an error that the row describes, and the error's `disposition`. */
const ROWS: readonly (readonly [code: string, dispositions: string, errors: readonly unknown[]])[] = [
  ["0", "", []],
  ["1", "`unknown`", [new Error("of a connector"), new ClosedError("")]],
  ["2", "", []],
  ["65", "`fix-data`", [new InvalidInputError("", { issues: [{ path: "", expected: "" }] })]],
  [
    "69",
    "`retry-after`, `fix-configuration`",
    [
      new TransportError("", { retryable: true }),
      new TimeoutError("", { timeoutMs: 1 }),
      new TransportError(""),
    ],
  ],
  [
    "75",
    "`retry-after`, `retry-now`",
    [
      new BatchInProgressError("", { installationId: "" }),
      new RunOutdatedError("", { installationId: "", otherBatchId: undefined }),
      new RateLimitError(""),
      new BatchStateError("", { state: "expired", reason: "expired" }),
    ],
  ],
  ["77", "`fix-credential`", [new AuthenticationError(""), new PermissionDeniedError("")]],
  [
    "78",
    "`fix-configuration`",
    [
      new ConfigurationError(""),
      new InvalidInputError(""),
      new SpoolError("", { directory: "", bytesNeeded: 1 }),
    ],
  ],
  [
    "80",
    "`needs-approval`",
    [
      new RunHeldError("", {
        report: { installationId: "", ledger: "", summary: "", reasons: [], notes: [], approval: undefined },
      }),
    ],
  ],
  ["81", "`unknown`", [new BatchOutcomeUnknownError("", { batchId: "" })]],
  ["82", "", []],
  [
    "130, 143",
    "`retry-now`",
    [new InterruptedError("", { signalName: "SIGINT" }), new InterruptedError("", { signalName: "SIGTERM" })],
  ],
];

test("the table of the docs is right, cell by cell", async () => {
  const page = await readFile(new URL("../../../docs/reference/command-line.md", import.meta.url), "utf8");
  const cells = [...page.matchAll(/^\| (\d+(?:, \d+)?) \| [^|]+ \| ([^|]*?) ?\|/gm)].map(
    ([, code, advice]) => [code, advice],
  );
  expect(cells).toEqual(ROWS.map(([code, dispositions]) => [code, dispositions]));
  for (const [code, dispositions, errors] of ROWS) {
    if (errors.length === 0) continue;
    expect([...new Set(errors.map((error) => nextOf(error).exitCode))].join(", ")).toBe(code);
    expect(new Set(errors.map((error) => `\`${disposition(error)}\``))).toEqual(
      new Set(dispositions.split(", ")),
    );
  }
  expect(ROWS.flatMap(([code]) => code.split(", ").map(Number))).toEqual(Object.values(EXIT));
});
