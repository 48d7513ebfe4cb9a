import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { entries, ROOT } from "../api/entries.js";
import { ALL, DeclarationFile } from "./declaration-file.js";
import { shippedSource } from "./source-paths.js";

/**
 * Writes the declarations that the entries' types need, their sources, and maps from one to the other.
 *
 * @param emitted Folder with tsc's declarations: a file for each source.
 */
export async function writeDeclarations(emitted: string, folder: string): Promise<void> {
  for (const [path, file] of await neededFiles(emitted)) {
    const lines = file.lines();
    const target = join(folder, relative(emitted, path));
    const source = join(ROOT, "src", relative(emitted, path).replace(/\.d\.ts$/, ".ts"));
    const shipped = shippedSource(folder, source);
    const { mappings }: { readonly mappings: string } = JSON.parse(await readFile(`${path}.map`, "utf8"));
    const mapped = decode(mappings);
    const map = {
      version: 3,
      // Editors ignore a map without `file`.
      file: basename(target),
      sources: [relative(dirname(target), shipped)],
      names: [],
      mappings: encode(lines.map(({ number }) => (number === undefined ? [] : (mapped[number] ?? [])))),
    };
    for (const place of [target, shipped]) await mkdir(dirname(place), { recursive: true });
    const text = lines.map((line) => `${line.text}\n`).join("");
    await writeFile(target, `${text}//# sourceMappingURL=${basename(target)}.map\n`);
    await writeFile(`${target}.map`, JSON.stringify(map));
    await copyFile(source, shipped);
  }
}

async function neededFiles(emitted: string): Promise<ReadonlyMap<string, DeclarationFile>> {
  const files = new Map<string, DeclarationFile>();
  const need = (path: string, name: string): boolean => {
    const file =
      files.get(path) ??
      new DeclarationFile(
        path,
        (specifier, wanted) =>
          specifier.startsWith(".") && need(join(dirname(path), specifier.replace(/\.js$/, ".d.ts")), wanted),
      );
    files.set(path, file);
    return file.need(name);
  };
  for (const { declarations } of await entries()) need(join(emitted, declarations), ALL);
  return files;
}
