/**
 * Packs `dist` and checks the files, the entry points, the types and the size of the package.
 *
 *   npm run check:package
 */
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../api/entries.js";
import { FOLDER, pack, TARBALL } from "./pack.js";
import { expectedFiles, packProblems } from "./pack-list.js";

/** Limits of the tarball: sudden growth means stray files. */
const MAX_KIBIBYTES = 900;
const MAX_FILES = 400;

const packed = await pack();
execFileSync("tar", ["-xzf", TARBALL, "-C", FOLDER]);

const kibibytes = Math.round(packed.size / 1024);
const problems = [
  ...(await packProblems(join(FOLDER, "package"), await expectedFiles(ROOT))),
  ...(kibibytes > MAX_KIBIBYTES ? [`the tarball is larger than ${MAX_KIBIBYTES} KiB`] : []),
  ...(packed.entryCount > MAX_FILES ? [`the tarball has more than ${MAX_FILES} files`] : []),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${packed.entryCount} files, ${kibibytes} KiB packed, ${problems.length} problems\n`);

// The package has only ES modules, which CommonJS can require() from Node 20.19 on.
const tools = [
  ["publint", "--strict", TARBALL],
  ["attw", TARBALL, "--quiet", "--profile", "esm-only"],
  ["size-limit"],
];
const failed = tools.filter(
  ([tool = "", ...args]) =>
    spawnSync(join(ROOT, "node_modules/.bin", tool), args, { cwd: ROOT, stdio: "inherit" }).status !== 0,
);
process.exitCode = problems.length + failed.length === 0 ? 0 : 1;
