import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { decode, encode, type SourceMapMappings } from "@jridgewell/sourcemap-codec";
import { rolldown } from "rolldown";
import { entries, ROOT } from "../api/entries.js";
import { shippedSource } from "./source-paths.js";

/** Scripts that programs start by path. */
const SCRIPTS = ["src/cli/main.ts"];

/**
 * Files that several entries share, each with the roots from which its modules are reached without `import()`. A module
 * belongs to the first file that reaches it, so that a file imports only files above it.
 */
const SHARED: readonly (readonly [name: string, ...roots: string[]])[] = [
  // Separate, because a page may need only the errors.
  ["errors", "core/errors/index"],
  // Pages load this file, so nothing in it may need Node.
  ["core", "graphql/client", "graphql/handler", "core/network-errors", "core/record-location"],
  // Separate, so that a page that doesn't need big.js can leave out the file that imports it.
  ["money", "graphql/money"],
  ["client", "index"],
  ["run", "runs/run", "sync/write/source-reader", "runs/preview/preview", "runs/history"],
  ["messages", "sync/generated/messages", "sync/generated/contract"],
  ["server", "reference-server/server"],
  ["sources", "sources/index"],
  ["kit", "testing/index"],
];

/** Bundles the package's entries. Other packages aren't bundled; modules loaded on first use get their own files. */
export async function writeJavaScript(folder: string): Promise<void> {
  const doors = [...(await entries()).map(({ source }) => source), ...SCRIPTS];
  const fileOf = new Map<string, string>();
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(doors.map((source) => [source.replace(/^src\/|\.ts$/g, ""), source])),
    // The compiler's helpers are bundled, because they don't belong to a package.
    external: (id) => !/^[./]|^src\/|^@oxc-project\//.test(id),
    platform: "neutral",
    tsconfig: "tsconfig.json",
    transform: { target: "es2022" },
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      {
        name: "shared-files",
        buildEnd() {
          for (const [file, ...roots] of SHARED) {
            const found = roots.map((root) => join(ROOT, "src", `${root}.ts`));
            for (let id = found.pop(); id !== undefined; id = found.pop()) {
              const module = fileOf.has(id) ? null : this.getModuleInfo(id);
              if (module?.code === null || module === null) continue;
              fileOf.set(id, file);
              found.push(...module.importedIds);
            }
          }
        },
      },
      {
        name: "line-maps",
        generateBundle(_, files) {
          for (const file of Object.values(files)) {
            if (file.type !== "asset" || !file.fileName.endsWith(".map")) continue;
            file.source = lineMap(String(file.source), join(folder, dirname(file.fileName)));
          }
        },
      },
    ],
  });
  await bundle.write({
    dir: folder,
    entryFileNames: "[name].js",
    minifyInternalExports: false,
    // A module loaded on first use keeps its source's path.
    chunkFileNames: ({ moduleIds }) => {
      const path = relative(join(ROOT, "src"), moduleIds.at(-1) ?? "");
      const shared = fileOf.has(join(ROOT, "src", path)) || path.startsWith("..");
      return shared ? "shared/[name].js" : path.replace(/\.ts$/, ".js");
    },
    comments: { annotation: true, jsdoc: false, legal: false },
    sourcemap: true,
    sourcemapPathTransform: (source, map) => {
      const from = dirname(map);
      return relative(from, shippedSource(folder, resolve(from, source)));
    },
    codeSplitting: {
      groups: [
        { name: "helpers", test: (id) => id.startsWith("\0"), priority: SHARED.length + 1 },
        ...SHARED.map(([name], index) => ({
          name,
          test: (id: string) => fileOf.get(id) === name,
          priority: SHARED.length - index,
        })),
      ],
    },
  });
  await bundle.close();
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly string[];
  readonly mappings: string;
}

/**
 * Makes a source map that has lines but no columns, and no generated code. The map contains sources that don't ship
 * with the declarations, because bundlers and dev servers warn about missing sources.
 */
function lineMap(text: string, place: string): string {
  const map: SourceMap = JSON.parse(text);
  const sources = map.sources.filter((source) => !source.includes("/generated/"));
  const lines: SourceMapMappings = decode(map.mappings).map((segments) => {
    let last: string | undefined;
    return segments.flatMap(([column, index, line, from]): SourceMapMappings[number] => {
      const source = map.sources[index ?? -1];
      if (source === undefined || line === undefined || from === undefined) return [];
      const written = sources.indexOf(source);
      const position = written === -1 ? "" : `${source}:${line}`;
      if (last === position) return [];
      last = position;
      return written === -1 ? [[column]] : [[column, written, line, from]];
    });
  });
  const contents = new Map(map.sources.map((source, index) => [source, map.sourcesContent[index]]));
  const sourcesContent = sources.map((it) => (existsSync(join(place, it)) ? null : contents.get(it)));
  return JSON.stringify({ version: 3, sources, sourcesContent, names: [], mappings: encode(lines) });
}
