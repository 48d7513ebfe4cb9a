import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../scripts/api/entries.js";
import { pack, TARBALL } from "../../scripts/package/pack.js";
import { buildPrograms } from "./programs.js";

const PACKED = ["package.json", "README.md", "CHANGELOG.md", "docs", "examples", "schema", "proto"];
const SOURCES = ["src", "scripts/bundle", "scripts/agents", "tsconfig.json", ...PACKED];

/** The package as it ships: what `npm run build` wrote, and what `npm pack` makes of it. */
export const PACKAGE = { dist: join(ROOT, "dist"), tarball: TARBALL };

/** Builds what all tests of this project share. */
export async function setup(): Promise<void> {
  await Promise.all([buildPackage(), buildPrograms()]);
}

/** Builds the package, unless nothing has changed since. */
export async function buildPackage(): Promise<void> {
  const times = await Promise.all(SOURCES.map((name) => newestIn(join(ROOT, name))));
  if (existsSync(PACKAGE.dist) && existsSync(TARBALL) && (await newestIn(TARBALL)) > Math.max(...times))
    return;
  await promisify(execFile)("npm", ["run", "-s", "build"], { cwd: ROOT });
  await pack();
}

async function newestIn(path: string): Promise<number> {
  const stats = await stat(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const names = await readdir(path, { recursive: true });
  const times = await Promise.all(names.map(async (name) => (await stat(join(path, name))).mtimeMs));
  return Math.max(stats.mtimeMs, ...times);
}
