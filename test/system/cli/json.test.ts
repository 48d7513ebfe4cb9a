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

test("what a proxy does leaves every line of stderr JSON", async () => {
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
