/**
 * Installs the packed package as a user does and uses it in every runtime, module system, compiler, test runner and
 * bundler of `cells.ts`.
 *
 *   npm run test:matrix             all of it
 *   npm run test:matrix -- --ci     Node 20, 24 and 26, Bun, Deno and workerd, and the oldest TypeScript
 *   npm run test:matrix -- Vite     cells whose name contains the text
 *
 * The tools are npm packages, about 1.1 GB, kept in `build/runtimes`.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import { startReferenceServer } from "@saas-management/sdk/testing";
import { certificate, identity } from "../../support/tls-certificates.js";
import { buildPackage, PACKAGE } from "../built-package.js";
import { CELLS, type Cell } from "./cells.js";

const run = promisify(execFile);
const CONSUMERS = fileURLToPath(new URL(".", import.meta.url));
const HANDLERS = fileURLToPath(new URL("../../../examples/handlers/", import.meta.url));
const TOOLS = fileURLToPath(new URL("../../../build/runtimes/", import.meta.url));
const NPM_INSTALL = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline"];
const NAMES = ["Figma", "Slack", "Zoom"];

const [wanted = ""] = process.argv.slice(2);
const cells = CELLS.filter(({ ci, name }) => (wanted === "--ci" ? ci : name.includes(wanted)));
await buildPackage();
await installTools(new Set(cells.flatMap(({ tools }) => tools)));

const folder = await mkdtemp(join(tmpdir(), "saas-management-matrix-"));
const server = await startReferenceServer({ portfolio: { applications: NAMES.map((name) => ({ name })) } });
const tlsServer = await startReferenceServer({ tls: identity("server") });
let failed = 0;
try {
  const whole = join(folder, "whole");
  const withoutGrpc = join(folder, "without-grpc");
  await mkdir(whole, { recursive: true });
  await writeFile(join(whole, "package.json"), JSON.stringify({ private: true }));
  await run("npm", [...NPM_INSTALL, PACKAGE.tarball], { cwd: whole });
  if (existsSync(join(TOOLS, "node_modules/@types/node")))
    await linkTypes(join(whole, "node_modules/@types"));
  await cp(whole, withoutGrpc, { recursive: true });
  await rm(join(withoutGrpc, "node_modules/@grpc"), { recursive: true });
  for (const place of [whole, withoutGrpc]) await cp(CONSUMERS, place, { recursive: true });
  await cp(HANDLERS, join(whole, "handlers"), { recursive: true });
  for (const cell of cells) {
    const problem = await problemOf(cell, await projectOf(cell));
    console.log(problem === undefined ? `passed  ${cell.name}` : `FAILED  ${cell.name}\n${problem}`);
    if (problem !== undefined) failed += 1;
  }
} finally {
  await Promise.all([server.close(), tlsServer.close()]);
  await rm(folder, { recursive: true, force: true });
}
console.log(`${cells.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** The path of the cell's folder, once the folder has what the cell needs. */
async function projectOf({ folder: name, alone, withoutGrpc }: Cell): Promise<string> {
  if (!alone) return join(folder, withoutGrpc ? "without-grpc" : "whole", name);
  const project = await mkdtemp(join(folder, `${name}-`));
  await cp(join(CONSUMERS, name), project, { recursive: true });
  return project;
}

/** Installs missing tools, at the versions of `runtimes/package.json`. */
async function installTools(names: ReadonlySet<string>): Promise<void> {
  const { dependencies, ...manifest }: { readonly dependencies: Readonly<Record<string, string>> } =
    JSON.parse(await readFile(join(CONSUMERS, "runtimes/package.json"), "utf8"));
  const wanted = Object.fromEntries(
    Object.entries(dependencies).filter(
      ([name]) => names.has(name) || existsSync(join(TOOLS, "node_modules", name)),
    ),
  );
  await mkdir(TOOLS, { recursive: true });
  await writeFile(join(TOOLS, "package.json"), JSON.stringify({ ...manifest, dependencies: wanted }));
  await run("npm", NPM_INSTALL, { cwd: TOOLS, maxBuffer: 16 * 1024 * 1024 });
}

/** The package does not depend on Node's types: the consumer brings them. */
async function linkTypes(types: string): Promise<void> {
  await mkdir(types, { recursive: true });
  await rm(join(types, "node"), { recursive: true, force: true });
  await cp(join(TOOLS, "node_modules/@types/node"), join(types, "node"), { recursive: true });
  const undici = join(types, "../undici-types");
  if (!existsSync(undici)) await symlink(join(TOOLS, "node_modules/undici-types"), undici);
}

async function problemOf(cell: Cell, cwd: string): Promise<string | undefined> {
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  const env = {
    ...process.env,
    DENO_DIR: join(folder, "deno"),
    DENO_NO_UPDATE_CHECK: "1",
    NEXT_TELEMETRY_DISABLED: "1",
    ...(cell.server
      ? {
          BASE_URL: baseUrl,
          SYNC_URL: syncUrl,
          API_KEY: apiKey,
          SAAS_MANAGEMENT_INSTALLATION_ID: installationId,
          TLS_BASE_URL: tlsServer.baseUrl.replace("127.0.0.1", "localhost"),
          TLS_API_KEY: tlsServer.apiKey,
          AUTHORITY: certificate("authority"),
          STRANGER: certificate("stranger"),
        }
      : {}),
  };
  try {
    let printed = "";
    for (const [program, ...args] of cell.commands) {
      const [command = "", ...rest] = [program, ...args].map((part) =>
        part.replace("{tools}", join(TOOLS, "node_modules")).replace("{package}", PACKAGE.tarball),
      );
      ({ stdout: printed } = await run(command, rest, { cwd, env, timeout: 180_000 }));
    }
    if (cell.prints === undefined) return undefined;
    const result: Readonly<Record<string, unknown>> = JSON.parse(printed);
    const differs = Object.entries(cell.prints).some(
      ([key, value]) => !isDeepStrictEqual(result[key], value),
    );
    return differs ? printed : undefined;
  } catch (error) {
    return error instanceof Error && "stderr" in error && "stdout" in error
      ? `${error.message}\n${error.stdout}\n${error.stderr}`
      : String(error);
  }
}
