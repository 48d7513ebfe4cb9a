import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const PERMISSIVE = [
  "MIT",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "(Apache-2.0 AND BSD-3-Clause)",
  "ISC",
  "0BSD",
];

const SYNC_SERVICE = "proto/saas_management/sync/v1/sync_service.proto";

interface Manifest {
  readonly license: string;
  readonly sideEffects: boolean;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const read = (path: string) => readFile(new URL(path, ROOT), "utf8");
const manifest: Manifest = JSON.parse(await read("package.json"));
const dependencies = Object.keys(manifest.dependencies).sort();

/** Rows of the table of dependencies: the name, the license, the reason and the alternative of each. */
async function tableRows(): Promise<readonly (readonly string[])[]> {
  const section = (await read("docs/architecture.md"))
    .split(/^## /m)
    .find((it) => it.startsWith("Dependencies"));
  return [...(section ?? "").matchAll(/^\| `(.*?)` \|(.*)\|$/gm)].map(([, name = "", rest = ""]) => [
    name,
    ...rest.split("|").map((cell) => cell.trim()),
  ]);
}

test("docs/architecture.md justifies every dependency with a reason and an alternative", async () => {
  const rows = await tableRows();
  expect(rows.map(([name]) => name).sort()).toEqual(dependencies);
  for (const row of rows) expect(row.filter((cell) => cell !== "")).toHaveLength(4);
});

test.each(dependencies)("%s has the permissive license that docs/architecture.md names", async (name) => {
  const { license }: Manifest = JSON.parse(await read(`node_modules/${name}/package.json`));
  const row = (await tableRows()).find(([other]) => other === name);
  expect(PERMISSIVE).toContain(license);
  expect(row?.[1]).toBe(license);
});

test("package.json declares no side effects", () => {
  expect(manifest.sideEffects).toBe(false);
});

// Tools that check types treat a named subpath as a module, so the contracts use patterns.
test("package.json exports modules by name, and the contracts by a pattern for each folder", () => {
  const patterns = Object.entries(manifest.exports).filter(([subpath]) => subpath.includes("*"));
  expect(Object.fromEntries(patterns)).toEqual({
    "./*.graphql": "./schema/*.graphql",
    "./proto/*.proto": "./proto/*.proto",
  });
  const { resolve } = createRequire(import.meta.url);
  const files = { "schema.graphql": "schema/schema.graphql", [SYNC_SERVICE]: SYNC_SERVICE };
  for (const [subpath, file] of Object.entries(files))
    expect(resolve(`@saas-management/sdk/${subpath}`)).toBe(fileURLToPath(new URL(file, ROOT)));
});
