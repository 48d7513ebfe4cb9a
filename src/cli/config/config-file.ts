import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ConfigurationError } from "../../core/errors/index.js";
import type { CliConfig } from "./cli-config.js";

const NAMES = ["ts", "js", "json"].map((extension) => `saas-management.config.${extension}`);

export interface ConfigFile {
  /** Undefined if there is none. */
  readonly path: string | undefined;
  /** Paths in the configuration are relative to this. */
  readonly directory: string;
  readonly config: CliConfig;
}

/**
 * Reads the configuration.
 * @param given Path of `--config`; by default, the file is looked for in the working directory.
 * @throws {ConfigurationError} it cannot be read, or has mistakes
 */
export async function readConfig(given: string | undefined): Promise<ConfigFile> {
  const path = given === undefined ? findConfig() : resolve(given);
  if (path === undefined) return { path, directory: process.cwd(), config: {} };
  const value = extname(path) === ".json" ? await readJson(path) : (await importModule(path))["default"];
  const { configProblems, isConfig } = await import("./schema.js");
  if (isConfig(value)) return { path, directory: dirname(path), config: value };
  if (value === undefined) throw new ConfigurationError(`${path} has no default export.`);
  throw new ConfigurationError(`${path}: ${configProblems(value).join("; ")}.`);
}

function findConfig(): string | undefined {
  const found = NAMES.filter((name) => existsSync(name));
  if (found.length > 1)
    throw new ConfigurationError(`There are ${found.join(" and ")}: keep one of them, or set --config.`);
  return found[0] === undefined ? undefined : resolve(found[0]);
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConfigurationError(`${path} cannot be read: ${cause instanceof Error ? cause.message : ""}.`, {
      cause,
    });
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    // The rest of the message would quote the file.
    const at = /at position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    const before = text.slice(0, at === undefined ? text.length : Number(at)).split("\n");
    const place = `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
    throw new ConfigurationError(`${place}: the file is not valid JSON.`);
  }
}

/** Imports a module of the user, which may be TypeScript. @throws {ConfigurationError} it cannot be loaded */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    const isUnknown =
      cause instanceof Error && "code" in cause && cause.code === "ERR_UNKNOWN_FILE_EXTENSION";
    const reason = isUnknown
      ? `Node ${process.versions.node} does not read TypeScript. Use Node 22.18 or later, or install tsx and set NODE_OPTIONS="--import tsx", or write it in JavaScript`
      : (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, "");
    throw new ConfigurationError(`${path} cannot be loaded: ${reason}.`, { cause });
  }
}
