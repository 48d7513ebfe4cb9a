/**
 * Prints the figures of the house: files, lines, median, circles and upward imports, files that a record and a page
 * enter, modules on import, words. Exits with 1 where one is above its limit.
 *
 *   npm run house
 */
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { entries, ROOT } from "../api/entries.js";
import { MAX_NAMES, publicNames } from "../api/names.js";
import { docWords, readmeWords, sourceFigures } from "./figures.js";

interface Entered {
  readonly files: readonly string[];
  readonly sources: readonly string[];
  readonly functions: number;
}

interface Row {
  readonly figure: string;
  readonly value: number;
  readonly limit: number;
}

const source = sourceFigures("src");
const { imported, written, guarded, paged } = enteredFiles();
const rows: readonly Row[] = [
  { figure: "hand-written files in src", value: source.files, limit: 180 },
  { figure: "their lines", value: source.lines, limit: 19_500 },
  { figure: "median lines of a file", value: source.median, limit: 120 },
  { figure: "files over 300 lines", value: source.over300.length, limit: 0 },
  { figure: "files under 20 lines (not types or a door)", value: source.under20.length, limit: 0 },
  { figure: "files x.ts beside a folder x/", value: source.besideFolder.length, limit: 0 },
  { figure: "circles and imports against the layers", value: layerViolations(), limit: 0 },
  { figure: "files that a record of batch.write enters", value: written.sources.length, limit: 30 },
  { figure: "files that a guarded run enters", value: guarded.sources.length, limit: 70 },
  { figure: "files that the first page of licenses() enters", value: paged.sources.length, limit: 24 },
  { figure: 'own files that import "." loads', value: imported.files.length, limit: 7 },
  { figure: "exported names of all subpaths", value: publicNames(await entries()).length, limit: MAX_NAMES },
  { figure: "words of the README", value: readmeWords(), limit: 900 },
  { figure: "words of README and docs", value: docWords(), limit: 20_000 },
];
for (const { figure, value, limit } of rows) {
  console.log(`${value > limit ? "ABOVE " : "      "}${figure.padEnd(50)} ${value} (limit ${limit})`);
}
console.log(
  `      functions: record ${written.functions}, guarded run ${guarded.functions}, page ${paged.functions}`,
);
const tests = sourceFigures("test");
console.log(`      test: ${tests.files} files, ${tests.lines} lines`);
for (const path of [...source.over300, ...source.under20, ...source.besideFolder])
  console.log(`      see ${path}`);
if (process.argv.includes("--files"))
  console.log(JSON.stringify({ written, guarded, paged, imported }, undefined, 1));
process.exitCode = rows.some(({ value, limit }) => value > limit) ? 1 : 0;

function layerViolations(): number {
  const { stdout } = spawnSync(
    "npx",
    ["depcruise", "--config", ".dependency-cruiser.cjs", "-T", "json", "src"],
    {
      cwd: ROOT,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    },
  );
  const { summary }: { readonly summary: { readonly error: number } } = JSON.parse(stdout);
  return summary.error;
}

function enteredFiles(): Readonly<Record<"imported" | "written" | "guarded" | "paged", Entered>> {
  const script = fileURLToPath(new URL("./hops.mjs", import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [script], { cwd: ROOT, encoding: "utf8" }));
}
