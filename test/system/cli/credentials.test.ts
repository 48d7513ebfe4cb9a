import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type CliOptions, runCli, settingsOf, startCli } from "../../support/cli.js";
import { testService } from "../../support/test-service.js";

const service = testService();
const WRONG = "a-wrong-key-2718281828459045";

/** Without a key. */
const settings = () => ({ ...settingsOf(service), SAAS_MANAGEMENT_API_KEY: "" });

/** Pushes a file; the key must come from somewhere. */
async function push(args: readonly string[], { env, ...options }: CliOptions = {}) {
  await service.writeFile("accounts.csv", "id\nu1\n");
  const ended = await runCli(["push", "accounts.csv", "--first-run", ...args], {
    cwd: service.directory,
    env: { ...settings(), ...env },
    ...options,
  });
  expect(ended.out + ended.error).not.toContain(service.server.apiKey);
  expect(ended.out + ended.error).not.toContain(WRONG);
  return ended;
}

test("without a key, push says where to put one", async () => {
  const { code, error } = await push([]);
  expect(code).toBe(77);
  expect(error).toContain("No credential: use SAAS_MANAGEMENT_API_KEY or --api-key-file FILE");
});

test("the key file takes precedence over the environment", async () => {
  const path = await service.writeFile("key", `${service.server.apiKey}\n`);
  const env = { SAAS_MANAGEMENT_API_KEY: WRONG };
  expect(await push(["--api-key-file", path], { env })).toMatchObject({ code: 0 });
  expect(await push(["--api-key-file", "/nowhere"], { env })).toMatchObject({ code: 78 });
});

test("the key comes from the file that the environment names", async () => {
  const path = await service.writeFile("key", `${service.server.apiKey}\n`);
  const env = { SAAS_MANAGEMENT_API_KEY_FILE: path };
  expect(await push([], { env })).toMatchObject({ code: 0 });
  expect(await push([], { env: { SAAS_MANAGEMENT_API_KEY_FILE: "/nowhere" } })).toMatchObject({
    code: 78,
    error: expect.stringContaining("SAAS_MANAGEMENT_API_KEY_FILE /nowhere cannot be read"),
  });
});

test("the key comes from stdin", async () => {
  expect(await push(["--api-key-file", "-"], { input: `${service.server.apiKey}\n` })).toMatchObject({
    code: 0,
  });
});

test.each([
  ["stdin", ["--api-key-file", "-"], {}, "--api-key-file - is empty"],
  ["a file", ["--api-key-file", "/dev/null"], {}, "--api-key-file /dev/null is empty"],
  ["no home", [], { HOME: "", SAAS_MANAGEMENT_API_KEY: WRONG }, "HOME is empty"],
])("says in the shell's terms what is missing: %s", async (_, args, env, message) => {
  const { code, error } = await push(args, { env });
  expect({ code, error }).toEqual({ code: 78, error: expect.stringContaining(message) });
});

test("a key as an argument is refused and not shown", async () => {
  const { code, error } = await push([`--api-key=${WRONG}`]);
  expect(code).toBe(2);
  expect(error).toContain("--api-key-file");
});

test("the list of processes does not show the key", async () => {
  const { apiKey } = service.server;
  const key = await service.writeFile("key", apiKey);
  await service.writeFile(
    "connector.mjs",
    `export const connector = {
       snapshots: [],
       async run() { console.log("reading"); await new Promise((end) => setTimeout(end, 600_000)); },
     };`,
  );
  const options = { cwd: service.directory, env: settings(), input: "" };
  const child = startCli(["run", "connector.mjs", "--api-key-file", key], options);
  await once(child.stdout, "data");
  for (const file of ["cmdline", "environ"])
    expect(await readFile(`/proc/${child.pid}/${file}`, "utf8")).not.toContain(apiKey);
});

test("a mistake in a JSON configuration is reported with its line, but no text of the file", async () => {
  await service.writeFile("saas-management.config.json", `{\n  "syncUrl": "x",\n  ${WRONG}\n}`);
  const { code, error } = await push([]);
  expect(code).toBe(78);
  expect(error).toMatch(/saas-management\.config\.json:3:\d+: the file is not valid JSON/);
});
