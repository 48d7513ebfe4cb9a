import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The project's root, with a slash at its end. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** One subpath of the package that programs import. */
export interface Entry {
  /** As it is imported, such as `@saas-management/sdk/graphql`. */
  readonly specifier: string;
  /** What its report is called: `index` for the package itself. */
  readonly name: string;
  /** Its declarations, from the folder that tsc wrote. */
  readonly declarations: string;
  /** Its source, from the project's root. */
  readonly source: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** Every subpath with types. The list is `exports` of package.json: an entry added there is checked everywhere. */
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
