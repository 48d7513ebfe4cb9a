/**
 * Installs the packed package as a user does, takes gRPC out of what was installed, and runs one program on
 * `@saas-management/sdk/graphql` in every runtime, against the reference server.
 *
 *   npm run test:matrix
 *
 * The runtimes are npm packages with a Linux x64 binary in them, about 570 MB: `npm test` does without.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import { startReferenceServer } from "@saas-management/sdk/reference-server";
import { packPackage } from "./packed-package.js";

const run = promisify(execFile);
const CONSUMERS = fileURLToPath(new URL(".", import.meta.url));
const RUNTIMES = fileURLToPath(new URL("../../build/runtimes/", import.meta.url));
const NPM_INSTALL = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline"];
const EXPECTED = { names: ["Figma", "Slack", "Zoom"], opened: "Renew" };

const installed = join(RUNTIMES, "node_modules");
const runtimes: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  [`Node ${process.version}`]: [process.execPath],
  "Node 22": [join(installed, "node-22/bin/node")],
  "Node 24": [join(installed, "node-24/bin/node")],
  Bun: [join(installed, ".bin/bun")],
  Deno: [join(installed, ".bin/deno"), "run", "--no-prompt", "--allow-net", "--allow-env", "--allow-read"],
};

await mkdir(RUNTIMES, { recursive: true });
await cp(join(CONSUMERS, "runtimes/package.json"), join(RUNTIMES, "package.json"));
await run("npm", NPM_INSTALL, { cwd: RUNTIMES });

const folder = await mkdtemp(join(tmpdir(), "saas-management-matrix-"));
const server = await startReferenceServer({
  portfolio: { applications: EXPECTED.names.map((name) => ({ name })) },
});
const env = {
  ...process.env,
  BASE_URL: server.baseUrl,
  API_KEY: server.apiKey,
  DENO_DIR: join(folder, "deno"),
  DENO_NO_UPDATE_CHECK: "1",
};
let failed = 0;
try {
  const app = join(folder, "app");
  await cp(join(CONSUMERS, "runtime"), app, { recursive: true });
  await run("npm", [...NPM_INSTALL, await packPackage(folder)], { cwd: app });
  await rm(join(app, "node_modules/@grpc"), { recursive: true });
  for (const [name, [command, ...args]] of Object.entries(runtimes)) {
    const problem = await problemOf(command, [...args, "main.js"], app);
    console.log(
      `${problem === undefined ? "passed" : "FAILED"}  ${name}${problem === undefined ? "" : `\n${problem}`}`,
    );
    if (problem !== undefined) failed += 1;
  }
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
console.log(`${Object.keys(runtimes).length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** What went wrong in one runtime. */
async function problemOf(command: string, args: readonly string[], cwd: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(command, [...args], { cwd, env, timeout: 120_000 });
    const { names, opened } = JSON.parse(stdout);
    return isDeepStrictEqual({ names, opened }, EXPECTED) ? undefined : stdout;
  } catch (error) {
    return error instanceof Error && "stderr" in error ? `${error.message}\n${error.stderr}` : String(error);
  }
}
