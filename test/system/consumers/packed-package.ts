import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PACKAGE } from "../built-package.js";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const CONSUMERS = fileURLToPath(new URL(".", import.meta.url));

/** Scripts of this project's tools. */
export const TOOLS = {
  tsc: join(ROOT, "node_modules/typescript-7/bin/tsc"),
  tsserver: join(ROOT, "node_modules/typescript/bin/tsserver"),
  codegen: join(ROOT, "node_modules/@graphql-codegen/cli/esm/bin.js"),
  tada: join(ROOT, "node_modules/gql.tada/bin/cli.js"),
  tsx: join(ROOT, "node_modules/tsx/dist/cli.mjs"),
} as const;

/** A folder of consumer projects. */
export interface ConsumerFolder {
  /** The path of the packed package. */
  readonly installed: string;
  /** Copies a consumer project into the folder once, and returns its path. */
  add(name: string): Promise<string>;
  /** Writes a new project with these files, and returns its path. */
  write(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Makes a folder within this project whose `node_modules` has the packed package; all other packages come from this
 * project. Nothing is downloaded.
 */
export async function makeConsumerFolder(): Promise<ConsumerFolder> {
  await mkdir(join(ROOT, "build"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, "build/consumers-"));
  const installed = join(folder, "node_modules/@saas-management/sdk");
  await mkdir(installed, { recursive: true });
  await run("tar", ["-xzf", PACKAGE.tarball, "--strip-components=1", "-C", installed]);
  return {
    installed,
    add: async (name) => {
      const project = join(folder, name);
      if (existsSync(project)) return project;
      await cp(join(CONSUMERS, name), project, { recursive: true });
      await symlink(join(folder, "node_modules"), join(project, "node_modules"));
      return project;
    },
    write: async (name, files) => {
      const project = join(folder, name);
      await mkdir(project);
      for (const [file, text] of Object.entries(files)) await writeFile(join(project, file), text);
      await symlink(join(folder, "node_modules"), join(project, "node_modules"));
      return project;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs a script with this Node and returns its output. If the script fails, the error contains the output. */
export async function runNode(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const { stdout } = await run(process.execPath, [...args], { cwd, env: { ...process.env, ...env } });
    return stdout;
  } catch (error) {
    if (error instanceof Error && "stdout" in error && "stderr" in error) {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    }
    throw error;
  }
}
