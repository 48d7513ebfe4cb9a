import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export interface Bundle {
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** Every module in the bundle, as a path from the project's root. */
  readonly modules: readonly string[];
  /** What the bundle still imports. */
  readonly unresolved: readonly string[];
}

/**
 * Bundles a module for browsers with esbuild, minified, with no polyfill for Node and nothing left out: an import that
 * a browser lacks is an error.
 * @param entry from the project's root
 */
export async function bundleForBrowser(
  entry: string,
  options: { readonly splitting?: boolean } = {},
): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: { main: entry },
    tsconfig: "tsconfig.dev.json",
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    splitting: options.splitting ?? false,
    outdir: "build",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  return {
    files: outputFiles.map(({ path, contents }) => ({
      name: path.slice(path.lastIndexOf("/") + 1),
      bytes: contents,
    })),
    modules: Object.keys(metafile.inputs),
    unresolved: importsLeft(metafile),
  };
}

function importsLeft({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external === true).map(({ path }) => path),
  );
}
