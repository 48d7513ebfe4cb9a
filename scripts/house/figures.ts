/** Measures the source and counts the words of the docs, in the files that git tracks. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../api/entries.js";

export interface SourceFigures {
  readonly files: number;
  readonly lines: number;
  readonly median: number;
  readonly over300: readonly string[];
  /** Files under 20 lines that contain more than types or exports. */
  readonly under20: readonly string[];
  /** Files `x.ts` next to a folder `x/`. */
  readonly besideFolder: readonly string[];
}

/** Figures of the hand-written TypeScript in a folder. */
export function sourceFigures(folder: string): SourceFigures {
  const files = tracked(folder, ".ts").map((path) => ({ path, text: read(path) }));
  const sizes = files.map(({ path, text }) => ({ path, text, lines: countLines(text) }));
  const sorted = sizes.map(({ lines }) => lines).sort((a, b) => a - b);
  const folders = new Set(files.map(({ path }) => path.slice(0, path.lastIndexOf("/"))));
  return {
    files: files.length,
    lines: sorted.reduce((sum, lines) => sum + lines, 0),
    median: sorted[Math.floor(sorted.length / 2)] ?? 0,
    over300: sizes.filter(({ lines }) => lines > 300).map(({ path }) => path),
    under20: sizes.filter(({ lines, text }) => lines < 20 && !holdsOnlyTypes(text)).map(({ path }) => path),
    besideFolder: files.map(({ path }) => path).filter((path) => folders.has(path.replace(/\.ts$/, ""))),
  };
}

type Part = "SDK" | "lab" | "command line";

/** Lines of code in the three parts of src, without comments and blank lines. */
export function codeLines(): Readonly<Record<Part, number>> {
  const sums = { SDK: 0, lab: 0, "command line": 0 };
  for (const path of tracked("src", ".ts")) sums[partOf(path)] += countCode(read(path));
  return sums;
}

function partOf(path: string): Part {
  if (path.startsWith("src/cli/")) return "command line";
  return /^src\/(testing|reference-server)\//.test(path) ? "lab" : "SDK";
}

function countCode(text: string): number {
  const code = text.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, "");
  return code.split("\n").filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length;
}

/** Lines of all code that is neither shipped nor a test, including examples. */
export function toolLines(): number {
  const folders = ["bench", "scripts", "codegen", "contract", "examples"];
  const paths = folders.flatMap((folder) =>
    [".ts", ".tsx", ".mts", ".mjs"].flatMap((end) => tracked(folder, end)),
  );
  return paths.reduce((sum, path) => sum + countLines(read(path)), 0);
}

/** Words of the README and of all pages in docs, counted as `wc -w` counts them. */
export function docWords(): number {
  const pages = ["README.md", ...tracked("docs", ".md")];
  return pages.reduce((sum, page) => sum + wordsOf(page), 0);
}

export function readmeWords(): number {
  return wordsOf("README.md");
}

/** Words of the longest guide: a reader has a task, not time for a book. */
export function longestGuideWords(): number {
  return Math.max(...tracked("docs/guides", ".md").map(wordsOf));
}

function wordsOf(page: string): number {
  return read(page).split(/\s+/).filter(Boolean).length;
}

function tracked(folder: string, ending: string): string[] {
  return execFileSync("git", ["ls-files", folder], { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter((path) => path.endsWith(ending) && !path.includes("/generated/"));
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

function holdsOnlyTypes(text: string): boolean {
  return !/^(export )?(async )?(abstract )?(const|let|function|class|enum)\b/m.test(text);
}
