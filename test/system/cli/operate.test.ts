import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { fileLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { canMount } from "../../support/can-mount.js";
import { CLI, runCli, settingsOf, TSX } from "../../support/cli.js";
import { connectorOf } from "../../support/connector.js";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";
import { PACKAGE } from "../built-package.js";

const service = testService();

/** A cron job's environment: no terminal, and little except its own variables. */
const run = (args: readonly string[], extra?: Readonly<Record<string, string>>) =>
  runCli(args, { cwd: service.directory, env: { ...settingsOf(service), ...extra } });

const csv = (names: readonly string[]) =>
  `id,email\n${names.map((id) => `${id},${id}@x.example\n`).join("")}`;

const push = async (names: readonly string[], ...args: readonly string[]) => {
  await service.writeFile("accounts.csv", csv(names));
  return run(["push", "accounts.csv", ...args]);
};

test("push sends files; a preview sends nothing", async () => {
  const preview = await push(ids(3), "--dry-run", "--first-run");
  expect(preview).toMatchObject({ code: 0, out: expect.stringContaining("nothing was sent") });
  expect(service.inspect().batches).toEqual([]);
  const sent = await push(ids(3), "--first-run", "--json");
  expect(sent).toMatchObject({ code: 0, error: "" });
  expect(JSON.parse(sent.out).collections.accounts.stats.accepted).toBe(3);
  expect(service.present()).toEqual(ids(3));
});

test("a held run is shown and approved, and passes the next night with exactly what was shown", async () => {
  await push(ids(40), "--first-run");
  const held = await push(ids(10), "--json");
  expect({ code: held.code, out: held.out }).toEqual({ code: 80, out: "" });
  const problem = JSON.parse(held.error);
  expect(problem).toMatchObject({ status: 80, code: "RUN_HELD" });
  const approve = problem.next.map(({ command }: { command: string }) => command.split(" ").slice(1)).at(-1);
  expect(approve).toEqual(["approve", expect.stringMatching(/^[\da-f]{32}$/)]);
  expect(problem.next.at(-1).when).toMatch(`run it here, before ${problem.held.approval.expiresAt}`);

  const status = await run(["status", "--json"]);
  expect(status.code).toBe(80);
  const {
    held: [shown],
    next,
  } = JSON.parse(status.out);
  expect(next).toContainEqual(expect.objectContaining({ command: `saas-management ${approve.join(" ")}` }));
  expect(shown).toMatchObject({ isApproved: false, approval: { id: approve[1] } });
  expect(shown.reasons[0]).toMatchObject({ collection: "accounts", rule: "removed", diff: { removed: 30 } });
  const listed = await run(["status", "--ids"]);
  expect(listed.out.trim().split("\n").sort()).toEqual(
    ids(40)
      .slice(10)
      .map((id) => `accounts ${id} (removed)`)
      .sort(),
  );

  expect(await run(approve)).toMatchObject({ code: 0 });
  expect(await push(ids(10), "--preview")).toMatchObject({
    code: 0,
    out: expect.stringContaining("would be completed"),
  });
  expect(service.present()).toHaveLength(40);
  expect(await push(ids(10))).toMatchObject({ code: 0 });
  expect(service.present()).toEqual(ids(10));

  // Used once.
  expect(await run(["status"])).toMatchObject({ code: 0, out: expect.not.stringContaining("Held") });
  expect(await run(["status", "--ids"])).toMatchObject({ code: 0, out: "" });
  expect(await run(approve)).toMatchObject({
    code: 2,
    error: expect.stringContaining(" is held: a later run completed, or the held run"),
  });
  expect(await push(ids(2))).toMatchObject({ code: 80 });
});

test("the hints of a held run repeat its configuration, installation and key, quoted for a shell", async () => {
  const {
    SAAS_MANAGEMENT_INSTALLATION_ID: id = "",
    SAAS_MANAGEMENT_API_KEY: key,
    ...env
  } = settingsOf(service);
  await service.writeFile("$it's.json", JSON.stringify({ ledger: "state" }));
  await service.writeFile("key", `${key}`);
  await service.writeFile("accounts.csv", csv(ids(3)));
  const kept = ["--config", "$it's.json", `--installation=${id}`, "--api-key-file", "key"];
  const held = await runCli(["push", "accounts.csv", ...kept], { cwd: service.directory, env });
  const hints = [...held.error.matchAll(/^ {2}saas-management (.*?) {2}# /gm)].map(([, words = ""]) =>
    execFileSync("sh", ["-c", `printf '%s\\n' ${words}`], { encoding: "utf8" })
      .trim()
      .split("\n"),
  );
  expect(hints).toEqual([
    ["push", "accounts.csv", ...kept, "--first-run"],
    ["status", "--ids", ...kept],
    ["approve", expect.stringMatching(/^[\da-f]{32}$/), ...kept],
  ]);
  expect(await runCli(hints[2] ?? [], { cwd: service.directory, env })).toMatchObject({ code: 0 });
});

test.runIf(canMount)(
  "a held run that a full disk could not store gives no hint about missing files",
  async () => {
    await service.writeFile("c.json", JSON.stringify({ ledger: "small" }));
    await service.writeFile("accounts.csv", csv(ids(9000)));
    await mkdir(join(service.directory, "small"));
    const command = [process.execPath, CLI, "push", "accounts.csv", "--config", "c.json"];
    const small = `mount -t tmpfs -o size=32k none small && exec "$@"`;
    const child = spawn("unshare", ["-m", "sh", "-c", small, "sh", ...command], {
      cwd: service.directory,
      env: { ...process.env, ...settingsOf(service) },
    });
    const error = await text(child.stderr);
    expect(error).toContain("The ledger could not store an approval");
    expect([...error.matchAll(/saas-management (\S+)/g)].map(([, word]) => word)).toEqual(["push"]);
  },
);

test("if a module has its own ledger, the hints contain no command that uses another ledger", async () => {
  const index = pathToFileURL(join(PACKAGE.dist, "index.js")).href;
  await service.writeFile(
    "connector.mjs",
    `import { fileLedger } from "${index}";
     export const options = { ledger: fileLedger("own") };
     export const connector = { snapshots: ["accounts"], run: (batch) => batch.write("accounts", [{ id: "u1" }]) };`,
  );
  const held = await run(["run", "connector.mjs"]);
  expect(held).toMatchObject({
    code: 80,
    error: expect.not.stringMatching(/saas-management (status|approve)/),
  });
  const [, id = ""] = /set approve: "([\da-f]{32})" in its options, or sync\.ledger/.exec(held.error) ?? [];
  expect(await run(["approve", id])).toMatchObject({
    code: 2,
    error: expect.stringContaining(`No run in ${join(service.directory, ".local/state")}`),
  });
  const { next, reasons } = JSON.parse((await run(["run", "connector.mjs", "--json"])).error);
  expect(next).toEqual([expect.objectContaining({ command: expect.stringMatching(/--first-run$/) })]);
  expect(reasons).toEqual([expect.stringContaining("in its options")]);
});

test("an approval does not cover more than was shown", async () => {
  await push(ids(40), "--first-run");
  await push(ids(20));
  const [held] = JSON.parse((await run(["status", "--json"])).out).held;
  await run(["approve", held.approval.id]);
  const approved = await run(["status"]);
  expect(approved.out).toMatch(/; approved: runs like this one go through until 20.*Z\.$/m);
  expect(JSON.parse((await run(["status", "--json"])).out).next).toEqual([]);
  expect(approved.out).not.toContain("saas-management approve");
  expect(await push(ids(5))).toMatchObject({ code: 80 });
  expect(service.present()).toHaveLength(40);
  const [first, later] = JSON.parse((await run(["status", "--json"])).out).held;
  expect(first).toMatchObject({ isApproved: true, approval: { id: held.approval.id } });
  expect(later.isApproved).toBe(false);
  expect(later.approval.id).not.toBe(held.approval.id);
  const both = [held.approval.id, later.approval.id];
  for (const id of ["0".repeat(32), "", both[1].slice(0, 3), `${both[1]}0`])
    expect(await run(["approve", id])).toMatchObject({
      code: 2,
      error: expect.stringContaining(both.join(", ")),
    });
  expect(await run(["approve", both[1].slice(0, 8)])).toMatchObject({ code: 0 });
  expect(await push(ids(5))).toMatchObject({ code: 0 });
});

test("status shows the last runs with their figures", async () => {
  await push(ids(3), "--first-run");
  await push(ids(4));
  const { out } = await run(["status"]);
  expect(out).toMatch(/^20.*Z Run completed: batch /);
  expect(out).toMatch(/\naccounts +4 +1 +3 +0 /);
  expect(JSON.parse((await run(["status", "--json"])).out).runs).toHaveLength(2);
});

test("without an installation, status lists each one in the ledger, how late it is, and what is held", async () => {
  const { SAAS_MANAGEMENT_INSTALLATION_ID: _, ...others } = settingsOf(service);
  const config = await service.writeFile("saas-management.config.json", JSON.stringify({ ledger: "state" }));
  const status = (...args: readonly string[]) =>
    runCli(["status", "--config", config, ...args], { env: others });
  expect(await status()).toMatchObject({ code: 0, out: "The ledger has no runs.\n" });

  const HOUR_MS = 3_600_000;
  const ledger = fileLedger(join(service.directory, "state"));
  const runAt = (hoursAgo: number, sent: readonly string[], installationId = service.installationId) => {
    const at = Date.now() - hoursAgo * HOUR_MS;
    const client = service.client({ clock: { now: () => at } });
    const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(sent)));
    return client.sync.run(connector, { installationId, ledger, firstRun: hoursAgo > 50 });
  };
  for (const hoursAgo of [72, 48]) await runAt(hoursAgo, ids(40));
  const other = service.server.createInstallation();
  await runAt(60, ids(40), other);
  await heldBy(runAt(1, ids(10), other));
  const held = await status();
  expect(held.code).toBe(80);
  expect(held.out.split("\n")).toEqual([
    expect.stringMatching(new RegExp(`^${other}  20.*Z; held since 20.*Z: \\d+ of .* removed$`)),
    expect.stringMatching(new RegExp(`^${service.installationId}  20.*Z, 24.0 h late$`)),
    "",
  ]);
  const moved = service.client({ syncUrl: service.server.syncUrl.replace("127.0.0.1", "localhost") });
  await moved.sync.run(
    connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(ids(40)))),
    { installationId: other, ledger, firstRun: true },
  );
  const twice = (await status()).out.split("\n").filter((line) => line.startsWith(other));
  expect(twice.map((line) => line.split("  ")[0]?.replace(/:\d+$/, ""))).toEqual([
    `${other} of http://127.0.0.1`,
    `${other} of http://localhost`,
  ]);
  const { installations } = JSON.parse((await status("--json")).out);
  expect(installations).toEqual([
    {
      endpoint: service.server.syncUrl,
      installationId: other,
      completedAt: expect.any(String),
      held: [expect.objectContaining({ installationId: other, isApproved: false })],
    },
    {
      endpoint: service.server.syncUrl,
      installationId: service.installationId,
      completedAt: expect.any(String),
      lateMs: expect.any(Number),
      held: [],
    },
    expect.objectContaining({ installationId: other }),
  ]);
});

test("run calls the connector of a module with its options", async () => {
  const path = await service.writeFile(
    "connector.mjs",
    `export const connector = {
       snapshots: ["accounts"],
       run: (batch) => batch.write("accounts", [{ id: "u1" }, { id: "u2" }]),
     };
     export const options = { guard: false };`,
  );
  const { code, out } = await run(["run", path, "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ guard: "off", collections: { accounts: { stats: { sent: 2 } } } });
});

test("a crontab line can push with just sh, a PATH and a file of variables", async () => {
  const { HOME: _, ...settings } = settingsOf(service);
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await service.writeFile(".env", variables.join(""));
  await service.writeFile("accounts.csv", csv(ids(3)));
  const line = `cd ${service.directory} && set -a && . ./.env && node ${CLI} push accounts.csv --first-run >>push.log 2>&1`;
  const path = `${join(process.execPath, "..")}:/usr/bin:/bin`;
  // The environment that cron gives.
  const env = { HOME: service.directory, LOGNAME: "root", SHELL: "/bin/sh", PATH: path };
  const [code] = await once(spawn("/bin/sh", ["-c", line], { env, stdio: "ignore" }), "exit");
  expect(await service.file(/push\.log$/).then((log) => readFile(log, "utf8"))).toContain("Run completed");
  expect(code).toBe(0);
});

test("a preloaded module turns OpenTelemetry on", async () => {
  const telemetry = await service.writeFile(
    "telemetry.mjs",
    `import { appendFileSync } from "node:fs";
     import { SimpleSpanProcessor } from "${import.meta.resolve("@opentelemetry/sdk-trace-base")}";
     import { NodeTracerProvider } from "${import.meta.resolve("@opentelemetry/sdk-trace-node")}";
     import { instrument } from "${import.meta.resolve("../../../src/otel/index.ts")}";
     const tell = (spans) => spans.forEach(({ name }) => appendFileSync("spans.txt", name + "\\n"));
     const exporter = { export: (spans, done) => (tell(spans), done({ code: 0 })), shutdown: async () => {} };
     new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
     instrument();`,
  );
  await service.writeFile("accounts.csv", csv(ids(3)));
  const extra = { NODE_OPTIONS: `--import ${TSX} --import ${telemetry}` };
  expect(await run(["push", "accounts.csv", "--first-run"], extra)).toMatchObject({ code: 0 });
  expect(await readFile(join(service.directory, "spans.txt"), "utf8")).toContain(
    "saas-management.sync.run\n",
  );
});
