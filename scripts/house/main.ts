/**
 * Prints figures about the code base: lines of code, files, import cycles, files used for a record, a run and a page,
 * files loaded on import, and words of the docs. Exits with 1 if a figure exceeds its limit.
 *
 *   npm run house
 */
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { entries, ROOT } from "../api/entries.js";
import { MAX_NAMES, publicNames } from "../api/names.js";
import { codeLines, docWords, longestGuideWords, readmeWords, sourceFigures, toolLines } from "./figures.js";

interface Entered {
  readonly files: readonly string[];
  readonly sources: readonly string[];
  readonly functions: number;
}

interface Row {
  readonly figure: string;
  readonly value: number;
  /** The final goal. */
  readonly goal: number;
  /** The limit until the goal is reached; it's lowered whenever the figure shrinks. */
  readonly most?: number;
}

const source = sourceFigures("src");
const { imported, written, guarded, paged } = enteredFiles();
const { SDK: sdk, lab, "command line": commandLine } = codeLines();
const rows: readonly Row[] = [
  { figure: "lines of code of the SDK", value: sdk, goal: 14_500, most: 15_700 },
  { figure: "lines of code of the lab", value: lab, goal: 7_900, most: 8_100 },
  { figure: "lines of code of the command line", value: commandLine, goal: 2_050, most: 2_160 },
  { figure: "hand-written files in src", value: source.files, goal: 245, most: 257 },
  { figure: "median lines of a file", value: source.median, goal: 125, most: 127 },
  { figure: "files over 300 lines", value: source.over300.length, goal: 0 },
  { figure: "files under 20 lines (not types or exports)", value: source.under20.length, goal: 0, most: 1 },
  { figure: "files x.ts beside a folder x/", value: source.besideFolder.length, goal: 0 },
  { figure: "import cycles and imports against the layers", value: layerViolations(), goal: 0 },
  { figure: "files used for a record of batch.write", value: written.sources.length, goal: 31 },
  { figure: "files used by a guarded run", value: guarded.sources.length, goal: 72 },
  {
    figure: "files used for the first page of licenses()",
    value: paged.sources.length,
    goal: 22,
  },
  { figure: 'own files that import "." loads', value: imported.files.length, goal: 7 },
  { figure: "exported names of all subpaths", value: publicNames(await entries()).length, goal: MAX_NAMES },
  { figure: "functions called by a guarded run", value: guarded.functions, goal: 380, most: 715 },
  { figure: "lines of test", value: sourceFigures("test").lines, goal: 44_000, most: 50_740 },
  {
    figure: "lines of bench, scripts, codegen, contract, examples",
    value: toolLines(),
    goal: 9_500,
    most: 10_880,
  },
  { figure: "words of the README", value: readmeWords(), goal: 600 },
  { figure: "words of the longest guide", value: longestGuideWords(), goal: 900 },
  { figure: "words of README and docs", value: docWords(), goal: 18_000 },
];
for (const { figure, value, goal, most = goal } of rows) {
  const mark = value > most ? "ABOVE " : value > goal ? "later " : "      ";
  console.log(
    `${mark}${figure.padEnd(50)} ${value} (goal ${goal}${most === goal ? "" : `, at most ${most}`})`,
  );
}
console.log(`      functions: record ${written.functions}, page ${paged.functions}`);
for (const path of [...source.over300, ...source.under20, ...source.besideFolder])
  console.log(`      see ${path}`);
if (process.argv.includes("--files"))
  console.log(JSON.stringify({ written, guarded, paged, imported }, undefined, 1));
process.exitCode = rows.some(({ value, goal, most = goal }) => value > most) ? 1 : 0;

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
