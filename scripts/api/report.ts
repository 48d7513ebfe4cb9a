/**
 * Checks the public surface of each entry: changes, docstrings, types that programs can't name, and types from packages
 * that are implementation details.
 *
 *   npm run api         updates api/*.api.md
 *   npm run check:api   also fails if a report is out of date
 */
import { spawnSync } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { docstringProblems } from "./docstrings.js";
import { entries, ROOT } from "./entries.js";
import { DECLARATIONS, extract, REPORTS, readAll } from "./extract.js";
import { foreignImports, foreignTypes } from "./foreign-types.js";
import { publicNames } from "./names.js";

const write = !process.argv.includes("--check");
await rm(DECLARATIONS, { recursive: true, force: true });
const { status } = spawnSync(
  process.execPath,
  [`${ROOT}node_modules/typescript-7/bin/tsc`, "--emitDeclarationOnly", "--outDir", DECLARATIONS],
  { cwd: ROOT, stdio: "inherit" },
);
if (status !== 0) process.exit(1);

const all = await entries();
const declarations = readAll(all);
const names = publicNames(all);
const exported = new Set(names.map(({ name }) => name));
const problems = new Set(names.flatMap(docstringProblems));
for (const entry of all) {
  const surface = await extract(entry, declarations, exported, write);
  for (const problem of [
    ...surface.problems,
    ...foreignTypes(entry.specifier, await readFile(surface.rollup, "utf8")),
    ...(await foreignImports(DECLARATIONS, entry.declarations)),
  ]) {
    problems.add(problem);
  }
  if (surface.changed && !write) {
    problems.add(`api/${entry.name}.api.md is out of date. Run: npm run api, then git diff api`);
  }
}
const reports = new Set(all.map(({ name }) => `${name}.api.md`));
for (const file of await readdir(REPORTS)) {
  if (!reports.has(file)) problems.add(`api/${file} has no entry in package.json`);
}
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${all.length} entries, ${problems.size} problems\n`);
process.exitCode = problems.size === 0 ? 0 : 1;
