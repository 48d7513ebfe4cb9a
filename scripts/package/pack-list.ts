import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Files that npm always packs, and single files in `files` of package.json. */
const SINGLE_FILES = [
  "package.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "SECURITY.md",
  "schema/schema.graphql",
];

/** Every file of the package: each source, which the maps refer to, what tsc makes of it, and the documentation. */
export async function expectedFiles(root: string): Promise<ReadonlySet<string>> {
  const sources = (await filesIn(root, "src")).filter((path) => path.endsWith(".ts"));
  const protos = (await filesIn(root, "proto")).filter((path) => path.endsWith(".proto"));
  const pages = (await filesIn(root, "docs")).filter((path) => path.endsWith(".md"));
  const docs = pages.filter((path) => !path.startsWith("docs/internals/"));
  return new Set([...SINGLE_FILES, ...docs, ...protos, ...sources, ...sources.flatMap(built)]);
}

function built(source: string): string[] {
  const stem = source.replace(/^src\//, "dist/").replace(/\.ts$/, "");
  return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`, `${stem}.d.ts.map`];
}

/** Compares an unpacked package with the expected files. */
export async function packProblems(
  folder: string,
  expected: ReadonlySet<string>,
): Promise<readonly string[]> {
  const packed = new Set(await filesIn(folder, ""));
  return [
    ...[...packed].filter((path) => !expected.has(path)).map((path) => `stray file: ${path}`),
    ...[...expected].filter((path) => !packed.has(path)).map((path) => `missing file: ${path}`),
    ...(await danglingMaps(folder, packed)),
  ];
}

/** Maps whose sources are not in the package. */
async function danglingMaps(folder: string, packed: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  for (const path of packed) {
    if (!path.endsWith(".map")) continue;
    const { sources }: { readonly sources: readonly string[] } = JSON.parse(
      await readFile(join(folder, path), "utf8"),
    );
    for (const source of sources) {
      if (!existsSync(join(folder, path, "..", source)))
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
