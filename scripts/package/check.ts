/**
 * Packs `dist` and checks the files, the entry points, the types and the size of the package.
 *
 *   npm run check:package
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { entries, ROOT } from "../api/entries.js";
import { expectedFiles, packProblems } from "./pack-list.js";

/** Largest tarball, and most files. A sudden growth means that it contains stray files. */
const MAX_KIBIBYTES = 600;
const MAX_FILES = 400;

const folder = join(ROOT, "build/package");
const tarball = join(folder, "package.tgz");
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const answer = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
  cwd: ROOT,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
const [packed]: { readonly filename: string; readonly size: number; readonly entryCount: number }[] =
  JSON.parse(answer);
if (packed === undefined) throw new Error("npm pack did not create a tarball.");
await rename(join(folder, packed.filename), tarball);
execFileSync("tar", ["-xzf", tarball, "-C", folder]);

const kibibytes = Math.round(packed.size / 1024);
const problems = [
  ...(await packProblems(join(folder, "package"), await expectedFiles(ROOT))),
  ...(kibibytes > MAX_KIBIBYTES ? [`the tarball is larger than ${MAX_KIBIBYTES} KiB`] : []),
  ...(packed.entryCount > MAX_FILES ? [`the tarball has more than ${MAX_FILES} files`] : []),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${packed.entryCount} files, ${kibibytes} KiB packed, ${problems.length} problems\n`);

// The package is ESM only, which CommonJS can require() from Node 20.19 on.
const subpaths = (await entries()).map(({ name }) => (name === "index" ? "." : name));
const tools = [
  ["publint", "--strict", tarball],
  ["attw", tarball, "--quiet", "--profile", "esm-only", "--entrypoints", ...subpaths],
  ["size-limit"],
];
const failed = tools.filter(
  ([tool = "", ...args]) =>
    spawnSync(join(ROOT, "node_modules/.bin", tool), args, { cwd: ROOT, stdio: "inherit" }).status !== 0,
);
process.exitCode = problems.length + failed.length === 0 ? 0 : 1;
