import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BuildOptions, build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { makeConsumerFolder } from "./packed-package.js";

const PROGRAM = `
import { SaasManagementClient } from "@saas-management/sdk";
import { captureRecords, startReferenceServer } from "@saas-management/sdk/testing";

async function main() {
  const server = await startReferenceServer({ portfolio: { applications: [{ name: "Zoom" }] } });
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  const client = new SaasManagementClient({ baseUrl, syncUrl, apiKey, retry: false });
  const connector = { snapshots: ["accounts"], run: (batch) => batch.write("accounts", [{ id: "u1" }]) };
  await client.sync.run(connector, { installationId, ledger: "none" });
  const [{ application }] = await client.graphql.applications().toArray();
  const { accounts } = await captureRecords(connector);
  console.log(JSON.stringify({ name: application.name, held: server.inspect().snapshots.accounts, captured: accounts }));
  await client.close();
  await server.close();
}
main().catch((error) => {
  console.log(JSON.stringify({ failed: error.message }));
  process.exit(1);
});
`;

/** As docs/guides/operations.md says. */
const REQUIRE = 'import { createRequire as on } from "node:module"; const require = on(import.meta.url);';

/** Bundles the program with the packed package, and runs it in an empty folder. */
async function runBundle(options: BuildOptions): Promise<unknown> {
  const folder = await makeConsumerFolder();
  onTestFinished(() => folder.remove());
  const project = await folder.write("app", { "package.json": "{}", "main.mjs": PROGRAM });
  const elsewhere = await mkdtemp(join(tmpdir(), "bundled-"));
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  const outfile = join(elsewhere, `main.${options.format === "esm" ? "mjs" : "cjs"}`);
  await build({
    entryPoints: [join(project, "main.mjs")],
    bundle: true,
    platform: "node",
    outfile,
    logLevel: "silent",
    ...options,
  });
  const ended = promisify(execFile)(process.execPath, [outfile], { cwd: elsewhere });
  const { stdout } = await ended.catch((error: { readonly stdout: string }) => error);
  return JSON.parse(stdout);
}

const WORKED = {
  name: "Zoom",
  held: [expect.objectContaining({ id: "u1" })],
  captured: [{ id: "u1" }],
};

test.each<[string, BuildOptions]>([
  ["an ES module", { format: "esm", banner: { js: REQUIRE } }],
  ["a minified ES module", { format: "esm", banner: { js: REQUIRE }, minify: true }],
  ["CommonJS", { format: "cjs" }],
])("the client and ./testing work in a bundle without packages: %s", async (_, options) => {
  expect(await runBundle(options)).toMatchObject(WORKED);
});

test("starting the reference server reports what keeps it from loading in a bundle", async () => {
  const failed = expect.stringContaining("Cannot find module 'graphql'");
  expect(await runBundle({ format: "cjs", external: ["graphql"] })).toEqual({ failed });
});
