import { chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { runCli, settingsOf } from "../../support/cli.js";
import { testService } from "../../support/test-service.js";
import { PACKAGE } from "../built-package.js";

/** No user of this machine has this id, as in a container that is started as a different user. */
const UNKNOWN = 471_147;

const service = testService();
const isRoot = process.getuid?.() === 0;
const NO_HOME = "HOME is not set: set HOME or XDG_STATE_HOME, or name the directory of the ledger.";

/** Runs the command line, or a program, as a user without a home. */
async function runHomeless(
  args: readonly string[],
  { HOME: _, ...env } = settingsOf(service),
  program?: string[],
) {
  await chown(service.directory, UNKNOWN, UNKNOWN);
  return runCli(args, { cwd: service.directory, env, uid: UNKNOWN, program });
}

test.skipIf(!isRoot)(
  "a user without a home can read the GraphQL API, the help and error messages",
  async () => {
    expect(await runHomeless(["export", "applications"])).toMatchObject({ code: 0 });
    expect(await runHomeless(["report"])).toMatchObject({ code: 0 });
    expect(await runHomeless(["--help"])).toMatchObject({ code: 0 });
    const { code, out } = await runHomeless(["doctor"]);
    expect(code).toBe(78);
    expect(out).toMatch(/^ok +Sync API/m);
    expect(out).toContain(NO_HOME);
  },
);

test.skipIf(!isRoot).each([
  ["status", ["status"]],
  ["approve", ["approve", "abcd"]],
  ["push", ["push", "accounts.csv", "--first-run"]],
  ["run", ["run", "connector.mjs", "--first-run"]],
  ["preview", ["run", "connector.mjs", "--preview"]],
])("a command that needs the default ledger says that there is no home: %s", async (_, args) => {
  await service.writeFile("accounts.csv", "id\nu1\n");
  await service.writeFile("connector.mjs", "export default { snapshots: [], run() {} };");
  const { code, error } = await runHomeless(args);
  expect({ code, error }).toEqual({ code: 78, error: expect.stringContaining(NO_HOME) });
});

test.skipIf(!isRoot)(
  "a ledger from the configuration, the state folder or the module needs no home",
  async () => {
    await service.writeFile("accounts.csv", "id\nu1\n");
    await service.writeFile("saas-management.config.json", JSON.stringify({ ledger: "ledger" }));
    expect(await runHomeless(["push", "accounts.csv", "--first-run"])).toMatchObject({ code: 0 });
    expect(await runHomeless(["status"])).toMatchObject({ code: 0 });
    await service.writeFile("saas-management.config.json", "{}");
    await mkdir(join(service.directory, "state"), { mode: 0o700 });
    await chown(join(service.directory, "state"), UNKNOWN, UNKNOWN);
    const env = { ...settingsOf(service), XDG_STATE_HOME: join(service.directory, "state") };
    expect(await runHomeless(["push", "accounts.csv"], env)).toMatchObject({ code: 80 });
    const sdk = pathToFileURL(join(PACKAGE.dist, "index.js"));
    await service.writeFile(
      "connector.mjs",
      `import { fileLedger } from "${sdk}";
     export const options = { ledger: fileLedger("own") };
     export default { snapshots: [], run() {} };`,
    );
    expect(await runHomeless(["run", "connector.mjs", "--first-run"])).toMatchObject({ code: 0 });
  },
);

test.skipIf(!isRoot)(
  "a program without a home gets a ConfigurationError from run, but not from calls without a ledger",
  async () => {
    const program = await service.writeFile(
      "program.mjs",
      `import { SaasManagementClient } from "${pathToFileURL(join(PACKAGE.dist, "index.js"))}";
     const client = SaasManagementClient.fromEnv();
     const connector = { snapshots: [], run() {} };
     const ended = (call) => call.then(() => "done", ({ name, code, message }) => [name, code, message]);
     console.log(JSON.stringify([
       await ended(client.sync.run(connector)),
       await ended(client.sync.history()),
       await ended(client.sync.preview(connector, { ledger: "none" })),
       await ended(client.sync.run(connector, { ledger: "none" })),
       await ended(client.graphql.applications().toArray()),
     ]));
     await client.close();`,
    );
    const { out, error } = await runHomeless([], settingsOf(service), [program]);
    expect(error).toBe("");
    const refused = ["ConfigurationError", "INVALID_CONFIGURATION", NO_HOME];
    expect(JSON.parse(out)).toEqual([refused, refused, "done", "done", "done"]);
  },
);
