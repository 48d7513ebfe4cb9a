import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The root of the project, with a trailing slash. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A subpath of the package. */
export interface Entry {
  /** Such as `@saas-management/sdk/graphql`. */
  readonly specifier: string;
  /** Name of its report; `index` for the package itself. */
  readonly name: string;
  /** The entry's declarations, relative to the output of tsc. */
  readonly declarations: string;
  /** The entry's source, relative to the root. */
  readonly source: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** Every subpath with types in `exports` of package.json. */
export async function entries(): Promise<readonly Entry[]> {
  const manifest: Manifest = JSON.parse(await readFile(`${ROOT}package.json`, "utf8"));
  return Object.entries(manifest.exports).flatMap(([subpath, target]) => {
    if (typeof target === "string") return [];
    const declarations = target.types.replace("./dist/", "");
    return {
      specifier: manifest.name + subpath.slice(1),
      name: subpath === "." ? "index" : subpath.slice(2),
      declarations,
      source: `src/${declarations.replace(/\.d\.ts$/, ".ts")}`,
    };
  });
}
