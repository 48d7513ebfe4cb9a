/**
 * Builds the docs site offline: the repository's pages and the API reference.
 *
 *   npm run docs                 into build/site/html/
 *   npm run docs -- --preview    then serves it on loopback
 *
 * Fails if a page links to a page or heading that doesn't exist, or if the site is larger than 15 MB.
 */
import { spawnSync } from "node:child_process";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeAgentFiles } from "../agents/files.js";
import { ROOT } from "../api/entries.js";
import { siteProblems } from "./check.js";
import { editApiPages, stagePages } from "./stage.js";

const folder = join(ROOT, "build/site");
const pages = join(folder, "pages");
const html = join(folder, "html");

await rm(folder, { recursive: true, force: true });
await stagePages(pages);
await cp(join(ROOT, "scripts/docs/vitepress"), join(pages, ".vitepress"), { recursive: true });
await cp(join(ROOT, "scripts/docs/public"), join(pages, "public"), { recursive: true });
await cp(join(ROOT, "scripts/docs/home.md"), join(pages, "index.md"));
run("typedoc", []);
await editApiPages(pages);
run("vitepress", ["build", pages, "--outDir", html]);
await writeAgentFiles(html, "");
// llms.txt links to these pages as Markdown.
for (const kind of ["guides", "reference"])
  await cp(join(pages, kind), join(html, kind), { recursive: true });

const problems = await siteProblems(html);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else if (process.argv.includes("--preview")) run("vitepress", ["serve", pages, "--outDir", html]);

function run(tool: string, args: readonly string[]): void {
  const { status } = spawnSync(join(ROOT, "node_modules/.bin", tool), args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error(`${tool} failed.`);
}
