import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildPrograms } from "./programs.js";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PACKED = ["package.json", "README.md", "CHANGELOG.md", "LICENSE", "examples", "schema", "proto"];
const BUILT = join(ROOT, "build/system");

/** The package as it ships, built from the current sources: its files, and what `npm pack` makes of them. */
export const PACKAGE = { folder: join(BUILT, "package"), tarball: join(BUILT, "package.tgz") };

/** Builds what all tests of this project share. */
export async function setup(): Promise<void> {
  await Promise.all([buildPackage(), buildPrograms()]);
}

/** Builds the package, unless nothing has changed since. */
export async function buildPackage(): Promise<void> {
  const sources = ["src", "scripts/bundle", ...PACKED];
  const times = await Promise.all(sources.map((name) => newestIn(join(ROOT, name))));
  if (existsSync(PACKAGE.tarball) && (await stat(PACKAGE.tarball)).mtimeMs > Math.max(...times)) return;
  await rm(BUILT, { recursive: true, force: true });
  await mkdir(BUILT, { recursive: true });
  for (const name of PACKED) await cp(join(ROOT, name), join(PACKAGE.folder, name), { recursive: true });
  const build = ["--tsconfig", "tsconfig.dev.json", "scripts/bundle/main.ts", join(PACKAGE.folder, "dist")];
  await run(process.execPath, [join(ROOT, "node_modules/tsx/dist/cli.mjs"), ...build], { cwd: ROOT });
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", BUILT];
  const { stdout } = await run("npm", pack, { cwd: PACKAGE.folder });
  const [tarball]: { readonly filename: string }[] = JSON.parse(stdout);
  if (tarball === undefined) throw new Error("npm pack made no tarball.");
  await rename(join(BUILT, tarball.filename), PACKAGE.tarball);
}

async function newestIn(path: string): Promise<number> {
  const { mtimeMs } = await stat(path);
  if (!(await stat(path)).isDirectory()) return mtimeMs;
  const names = await readdir(path, { recursive: true });
  const times = await Promise.all(names.map(async (name) => (await stat(join(path, name))).mtimeMs));
  return Math.max(mtimeMs, ...times);
}
