import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { agentFiles } from "../agents/files.js";

/** Files that npm always packs, and files that `files` in package.json names one by one. */
const SINGLE_FILES = [
  "package.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "SECURITY.md",
  "schema/schema.graphql",
];

/** Every file of the package except those in `dist`. */
export async function expectedFiles(root: string): Promise<ReadonlySet<string>> {
  const protos = (await filesIn(root, "proto")).filter((path) => path.endsWith(".proto"));
  const pages = (await filesIn(root, "docs")).filter((path) => /\.(md|svg)$/.test(path));
  const docs = pages.filter((path) => !path.startsWith("docs/internals/"));
  // The app, the fleet and the fan-out are only in the repository.
  const examples = (await filesIn(root, "examples")).filter(
    (path) => !/^examples\/(app|fleet|fan-out)\//.test(path),
  );
  return new Set([...SINGLE_FILES, ...docs, ...protos, ...examples, ...(await agentFiles()).keys()]);
}

/** The files that belong to a built file: for declarations, also the source that "go to definition" opens. */
function built(path: string): string[] {
  const stem = path.replace(/(\.d\.ts|\.js)$/, "");
  if (path.endsWith(".d.ts")) return [path, `${path}.map`, stem.replace(/^dist/, "dist/src").concat(".ts")];
  return /\.js(\.map)?$/.test(path) ? [path] : [];
}

/** Compares an unpacked package with the expected files. */
export async function packProblems(folder: string, others: ReadonlySet<string>): Promise<readonly string[]> {
  const packed = new Set(await filesIn(folder, ""));
  const dist = [...packed].filter((path) => path.startsWith("dist/"));
  const expected = new Set([...others, ...dist.flatMap(built)]);
  return [
    ...[...packed].filter((path) => !expected.has(path)).map((path) => `stray file: ${path}`),
    ...[...expected].filter((path) => !packed.has(path)).map((path) => `missing file: ${path}`),
    ...(await danglingMaps(folder, packed)),
  ];
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly (string | null)[];
}

/** Finds sources that are missing from both their map and the package. */
async function danglingMaps(folder: string, packed: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  for (const path of packed) {
    if (!path.endsWith(".map")) continue;
    const { sources, sourcesContent = [] }: SourceMap = JSON.parse(
      await readFile(join(folder, path), "utf8"),
    );
    for (const [index, source] of sources.entries()) {
      if (typeof sourcesContent[index] !== "string" && !existsSync(join(folder, path, "..", source)))
        found.push(`${path} refers to ${source}, which is not packed`);
    }
  }
  return found;
}

async function filesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, "/").length))
    .sort();
}
