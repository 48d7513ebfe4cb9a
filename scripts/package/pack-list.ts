import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** What npm always takes along, and what `files` of package.json names one by one. */
const SINGLE_FILES = [
  "package.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "SECURITY.md",
  "schema/schema.graphql",
];

/**
 * Every file that the package is to hold: of each source the source itself, which the maps lead to, and what the
 * compiler makes of it. Anything else is a stray file.
 */
export async function expectedFiles(root: string): Promise<ReadonlySet<string>> {
  const sources = (await filesIn(root, "src")).filter((path) => path.endsWith(".ts"));
  const protos = (await filesIn(root, "proto/saas_management")).filter((path) => path.endsWith(".proto"));
  const pages = (await filesIn(root, "docs")).filter((path) => path.endsWith(".md"));
  const docs = pages.filter((path) => !path.startsWith("docs/internals/"));
  return new Set([...SINGLE_FILES, ...docs, ...protos, ...sources, ...sources.flatMap(built)]);
}

function built(source: string): string[] {
  const stem = source.replace(/^src\//, "dist/").replace(/\.ts$/, "");
  return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`, `${stem}.d.ts.map`];
}

/** What is wrong with the files of a package that was unpacked into a folder. */
export async function packProblems(
  folder: string,
  expected: ReadonlySet<string>,
): Promise<readonly string[]> {
  const packed = new Set(await filesIn(folder, ""));
  return [
    ...[...packed].filter((path) => !expected.has(path)).map((path) => `stray file: ${path}`),
    ...[...expected].filter((path) => !packed.has(path)).map((path) => `missing file: ${path}`),
    ...(await danglingMaps(folder, packed)),
    ...(await missingTargets(folder)),
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
        found.push(`${path} leads to ${source}, which is not packed`);
    }
  }
  return found;
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin: Readonly<Record<string, string>>;
}

/** What `exports` and `bin` name and the package lacks; and subpaths that stand for more than one file. */
async function missingTargets(folder: string): Promise<string[]> {
  const manifest: Manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === "string" ? [target] : Object.values(target),
  );
  return [
    ...Object.keys(manifest.exports)
      .filter((subpath) => subpath.includes("*"))
      .map((it) => `exports has ${it}`),
    ...[...targets, ...Object.values(manifest.bin)]
      .filter((target) => !existsSync(join(folder, target)))
      .map((target) => `package.json names ${target}, which is not packed`),
  ];
}

async function filesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, "/").length))
    .sort();
}
