import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { runCli, settingsOf } from "../../support/cli.js";
import { startConnectProxy } from "../../support/http-server.js";
import { startServe } from "../../support/serve.js";
import { ids, testService } from "../../support/test-service.js";

const service = testService();

/** The fields that the docs give for each command. */
async function documented(): Promise<Readonly<Record<string, readonly string[]>>> {
  const page = await readFile(new URL("../../../docs/reference/command-line.md", import.meta.url), "utf8");
  const rows = page.slice(page.indexOf("## JSON")).matchAll(/^\| (`[^|]+`) \| ([^|]+) \|$/gm);
  const named = (text: string) =>
    [...text.replace(/ \([^)]*\)/g, "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  return Object.fromEntries(
    [...rows].flatMap(([, commands = "", fields = ""]) =>
      named(commands).map((name) => [name, named(fields)]),
    ),
  );
}

test("every line of stderr stays JSON, no matter what a proxy does", async () => {
  const proxy = await startConnectProxy({ status: 502 });
  await service.writeFile(
    "connector.mjs",
    `export const options = { retryForMs: 0, firstRun: true };
     export const connector = {
       snapshots: ["accounts"],
       run: (batch) => batch.write("accounts", [{ id: "u1" }]),
     };`,
  );
  await service.writeFile("saas-management.config.json", JSON.stringify({ retry: { retries: 1 } }));
  const env = { ...settingsOf(service), SAAS_MANAGEMENT_SYNC_URL: "https://sync.invalid" };
  const { error } = await runCli(["run", "connector.mjs", "--json"], {
    cwd: service.directory,
    env: {
      ...env,
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    },
  });
  for (const line of error.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("message");
});

test("every line is JSON with time, level, message and installation, no matter what a connector prints", async () => {
  await service.writeFile(
    "prints.mjs",
    `console.log("loaded %d", 1);
     export const options = { firstRun: true };
     export const connector = {
       snapshots: ["accounts"],
       async run(batch) {
         console.log("two\\nlines", { of: 1 });
         console.error("on stderr \\u001b[2J");
         process.stdout.write("in ");
         process.stdout.write(Buffer.from("parts \\u00fc"));
         await new Promise((done) => process.stdout.write("\\n", done));
         process.emitWarning("old", "DeprecationWarning");
         await batch.write("accounts", [{ id: "p1" }]);
         process.stdout.write("without an end");
       },
     };`,
  );
  const env = { ...settingsOf(service), SAAS_MANAGEMENT_LOG: "debug" };
  const { code, out, error } = await runCli(["run", "prints.mjs", "--json"], { cwd: service.directory, env });
  const [receipt = "", ...more] = out.trim().split("\n");
  expect({ code, more }).toEqual({ code: 0, more: [] });
  expect(JSON.parse(receipt)).toHaveProperty("batchId");
  const lines = error
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const line of lines) {
    expect(Object.keys(line).slice(0, 3)).toEqual(["time", "level", "message"]);
    expect(new Date(line.time).toISOString()).toBe(line.time);
  }
  const { installationId } = service;
  const printed = lines.map(({ level, message }) => `${level} ${message}`);
  expect(printed).toEqual(
    expect.arrayContaining([
      "info loaded 1",
      "info two",
      "info lines { of: 1 }",
      "warn on stderr \\u001b[2J",
      "info in parts ü",
      "warn DeprecationWarning: old",
      "info without an end",
    ]),
  );
  for (const line of lines.slice(printed.indexOf("info two"))) expect(line).toMatchObject({ installationId });
  // A log line has its figures not only in its text but also as fields.
  expect(
    lines.find(({ level, operation }) => level === "debug" && operation === "StartSyncBatch"),
  ).toMatchObject({
    attempt: 1,
  });
});

test("an error that a connector throws outside its run is also one line of JSON", async () => {
  await service.writeFile(
    "throws.mjs",
    `export const connector = {
       snapshots: [],
       run: () => new Promise(() => setImmediate(() => { throw new Error("out of reach"); })),
     };`,
  );
  const options = { cwd: service.directory, env: settingsOf(service) };
  const { code, out, error } = await runCli(["run", "throws.mjs", "--json"], options);
  const lines = error.trim().split("\n");
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
    level: "error",
    status: 1,
    message: "out of reach",
  });
});

test("the JSON of each command has the fields that the docs list, in their order", async () => {
  const fields = await documented();
  const env = settingsOf(service);
  const keys = async (...args: readonly string[]) => {
    const { out } = await runCli([...args, "--json"], { cwd: service.directory, env });
    return Object.keys(JSON.parse(out.split("\n")[0] ?? ""));
  };
  const write = (count: number) => service.writeFile("accounts.csv", `id\n${ids(count).join("\n")}\n`);
  await write(40);
  expect(await keys("push", "accounts.csv", "--first-run")).toEqual(fields["push"]);
  await write(10);
  expect(await keys("push", "accounts.csv", "--preview")).toEqual(
    expect.arrayContaining([...(fields["push --preview"] ?? [])]),
  );
  await runCli(["push", "accounts.csv"], { cwd: service.directory, env });
  expect(await keys("status")).toEqual(fields["status"]);
  expect(await keys("status", "--ids")).toEqual(fields["status --ids"]);
  const { out } = await runCli(["status", "--json"], { cwd: service.directory, env });
  expect(await keys("approve", JSON.parse(out).held[0].approval.id)).toEqual(fields["approve"]);
  expect(await keys("doctor")).toEqual(fields["doctor"]);
  expect(await keys("report")).toEqual(fields["report"]);
  const { child: _, env: __, ...printed } = await startServe();
  expect(Object.keys(printed)).toEqual(fields["serve"]);
});
