/**
 * Checks what a release needs in addition to what continuous integration checks for every change.
 *
 *   npm run release:check
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { VERSION } from "../../src/core/version.js";
import { ROOT } from "../api/entries.js";

const PERMISSIVE = [
  "MIT",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "0BSD",
  "Unlicense",
  "BlueOak-1.0.0",
];

interface Locked {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const read = (path: string) => readFile(join(ROOT, path), "utf8");
const manifest = await read("package.json");
const { version }: { readonly version: string } = JSON.parse(manifest);
const lock: { readonly version: string; readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  await read("package-lock.json"),
);
const changelog = await read("CHANGELOG.md");
const dirty = execFileSync("git", ["status", "--porcelain"], { cwd: ROOT, encoding: "utf8" }).trim();

const problems = [
  ...(VERSION === version ? [] : [`src/core/version.ts has version ${VERSION}, package.json ${version}.`]),
  ...(lock.version === version ? [] : [`package-lock.json has version ${lock.version}. Run npm install.`]),
  ...(new RegExp(`^## \\[${version.replaceAll(".", "\\.")}\\] - \\d{4}-\\d{2}-\\d{2}$`, "m").test(changelog)
    ? []
    : [`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD".`]),
  ...(manifest.includes("/placeholder-")
    ? ["package.json has placeholders: set homepage, repository and bugs."]
    : []),
  ...(dirty === "" ? [] : [`There are uncommitted changes:\n${dirty}`]),
  ...Object.entries(lock.packages).flatMap(([path, { resolved, integrity }]) => [
    ...(resolved === undefined ? [] : [`package-lock.json has a download URL for ${path}.`]),
    ...(path === "" || integrity !== undefined
      ? []
      : [`package-lock.json has no hash of ${path}. Run npm run lockfile with a registry that serves it.`]),
  ]),
  ...(await licenseProblems()),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);

const failed = ["check:api", "check:package", "check:proto", "check:codegen"].filter(
  (script) => spawnSync("npm", ["run", "-s", script], { cwd: ROOT, stdio: "inherit" }).status !== 0,
);
for (const script of failed) process.stdout.write(`npm run ${script} fails.\n`);
process.stdout.write(`${problems.length + failed.length} problems\n`);
process.exitCode = problems.length + failed.length === 0 ? 0 : 1;

/** Runtime dependencies whose license is not permissive. */
async function licenseProblems(): Promise<string[]> {
  const shipped = Object.entries(lock.packages).filter(
    ([path, { dev, optional }]) => path !== "" && !dev && !optional,
  );
  const licenses = await Promise.all(
    shipped.map(async ([path]) => {
      const { license }: { readonly license?: string } = JSON.parse(await read(`${path}/package.json`));
      return { path, license };
    }),
  );
  return licenses
    .filter(
      ({ license }) =>
        !(license ?? "").split(/[()]|\bAND\b|\bOR\b/).every((part) => isPermissive(part.trim())),
    )
    .map(({ path, license }) => `${path} has ${license ?? "no license"}.`);
}

function isPermissive(license: string): boolean {
  return license === "" || PERMISSIVE.includes(license);
}
