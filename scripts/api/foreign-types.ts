import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import ts from "typescript";

/** Reports each package that an entry's declarations import. */
export function foreignTypes(specifier: string, rollup: string): readonly string[] {
  return importsOf(rollup).map((name) => `${specifier}: its declarations import ${name}`);
}

/** Reports packages that a compiler must load for an entry, although no public symbol refers to them. */
export async function foreignImports(folder: string, entry: string): Promise<readonly string[]> {
  const found: string[] = [];
  const seen = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const name of importsOf(await readFile(join(folder, file), "utf8"))) {
      if (name.startsWith(".")) await visit(join(dirname(file), name.replace(/\.js$/, ".d.ts")));
      else found.push(`${file} makes a compiler load ${name}`);
    }
  };
  await visit(entry);
  return found;
}

function importsOf(declarations: string): string[] {
  return ts.preProcessFile(declarations, true, true).importedFiles.map(({ fileName }) => fileName);
}
