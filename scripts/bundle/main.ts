/**
 * Builds the package: tsc checks the types and writes the declarations; a bundler writes the JavaScript.
 *
 *   npm run build                        into dist/
 *   npm run build -- FOLDER [OPTION...]  into another folder, with options of tsc
 */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ROOT } from "../api/entries.js";
import { writeDeclarations } from "./declarations.js";
import { writeJavaScript } from "./javascript.js";

const [target = "dist", ...options] = process.argv.slice(2);
const folder = resolve(ROOT, target);
await rm(folder, { recursive: true, force: true });
await mkdir(join(ROOT, "build"), { recursive: true });
const emitted = await mkdtemp(join(ROOT, "build/declarations-"));
try {
  const tsc = [
    join(ROOT, "node_modules/typescript-7/bin/tsc"),
    "--emitDeclarationOnly",
    "--outDir",
    emitted,
    ...options,
  ];
  const { status } = spawnSync(process.execPath, tsc, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error("The sources do not compile.");
  await writeDeclarations(emitted, folder);
  await writeJavaScript(folder);
} finally {
  await rm(emitted, { recursive: true, force: true });
}
