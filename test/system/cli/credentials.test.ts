import { once } from "node:events";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CliOptions, runCli, startCli } from "../../support/cli.js";
import { testService } from "../../support/test-service.js";

const service = testService();
const WRONG = "a-wrong-key-2718281828459045";

const settings = (): Record<string, string> => ({
  HOME: service.directory,
  SAAS_MANAGEMENT_SYNC_URL: service.server.syncUrl,
  SAAS_MANAGEMENT_INSTALLATION_ID: service.installationId,
});

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

async function writeProfile(name: string, key: string, mode = 0o600) {
  await mkdir(join(service.directory, ".config/saas-management"), { recursive: true });
  const path = await service.writeFile(
    `.config/saas-management/${name}.env`,
    `SAAS_MANAGEMENT_API_KEY=${key}\n`,
  );
  await chmod(path, mode);
}

const configure = (config: object) =>
  service.writeFile("saas-management.config.json", JSON.stringify(config));

test("without a key, push says where to put one", async () => {
  const { code, error } = await push([]);
  expect(code).toBe(78);
  expect(error).toContain("SAAS_MANAGEMENT_API_KEY");
});

test("the key comes from a file before the environment", async () => {
  const path = await service.writeFile("key", `${service.server.apiKey}\n`);
  const env = { SAAS_MANAGEMENT_API_KEY: WRONG };
  expect(await push(["--api-key-file", path], { env })).toMatchObject({ code: 0 });
  expect(await push(["--api-key-file", "/nowhere"], { env })).toMatchObject({ code: 78 });
});

test("the key comes from stdin", async () => {
  expect(await push(["--api-key-file", "-"], { input: `${service.server.apiKey}\n` })).toMatchObject({
    code: 0,
  });
});

test("a profile that is named comes before the environment, the default one after it", async () => {
  const { apiKey } = service.server;
  await writeProfile("work", apiKey);
  await writeProfile("default", WRONG);
  const env = { SAAS_MANAGEMENT_API_KEY: WRONG };
  expect(await push([])).toMatchObject({ code: 77 });
  expect(await push(["--profile", "work"], { env })).toMatchObject({ code: 0 });
  expect(await push(["--profile", "other"])).toMatchObject({ code: 78 });
});

test("a profile that others may read is refused", async () => {
  await writeProfile("default", service.server.apiKey, 0o640);
  const { code, error } = await push([]);
  expect(code).toBe(78);
  expect(error).toContain("chmod 600");
});

test("the key comes from credentialCommand, whose failure shows neither command nor output", async () => {
  await configure({ credentialCommand: `echo ${WRONG}; exit 3` });
  const failed = await push([]);
  expect(failed.code).toBe(77);
  expect(failed.error).toContain("credentialCommand failed with 3");
  await configure({ credentialCommand: `printf %s ${service.server.apiKey}` });
  expect(await push([])).toMatchObject({ code: 0 });
});

test("a key as an argument is refused and not repeated", async () => {
  const { code, error } = await push([`--api-key=${WRONG}`]);
  expect(code).toBe(2);
  expect(error).toContain("--api-key-file");
});

test("the list of processes does not show the key", async () => {
  const { apiKey } = service.server;
  await writeProfile("default", apiKey);
  await service.writeFile(
    "connector.mjs",
    `export const connector = {
       snapshots: [],
       async run() { console.log("reading"); await new Promise((end) => setTimeout(end, 600_000)); },
     };`,
  );
  const options = { cwd: service.directory, env: settings(), input: "" };
  const child = startCli(["run", "connector.mjs"], options);
  await once(child.stdout, "data");
  for (const file of ["cmdline", "environ"])
    expect(await readFile(`/proc/${child.pid}/${file}`, "utf8")).not.toContain(apiKey);
});

test("a mistake in a JSON configuration has its line, and no text of the file", async () => {
  await service.writeFile("saas-management.config.json", `{\n  "syncUrl": "x",\n  ${WRONG}\n}`);
  const { code, error } = await push([]);
  expect(code).toBe(78);
  expect(error).toMatch(/saas-management\.config\.json:3:\d+: the file is not valid JSON/);
});
