import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ConfigurationError } from "../core/errors/index.js";
import { isPlainObject, rejectUnknownKeys } from "../core/validate.js";
import { isCollection, unknownCollectionError } from "../sync/collections.js";
import type { CliConfig } from "./cli-config.js";

const NAMES = ["ts", "mts", "js", "mjs", "json"].map((extension) => `saas-management.config.${extension}`);
const PUSHED = {
  collection: true,
  file: true,
  map: true,
  encoding: true,
  delimiter: true,
  allowEmpty: true,
} as const;

export interface ConfigFile {
  /** Undefined if there is no configuration file. */
  readonly path: string | undefined;
  /** Paths in the configuration are relative to this directory. */
  readonly directory: string;
  readonly config: CliConfig;
}

/**
 * Reads the configuration.
 * @param given Path of `--config`; by default, the file is looked for in the working directory.
 * @throws {ConfigurationError} the file cannot be read, or has mistakes
 */
export async function readConfig(given: string | undefined): Promise<ConfigFile> {
  const path = given === undefined ? findConfig() : resolve(given);
  if (path === undefined) return { path, directory: process.cwd(), config: {} };
  const value = extname(path) === ".json" ? await readJson(path) : (await importModule(path))["default"];
  requireConfig(path, value);
  return { path, directory: dirname(path), config: value };
}

function findConfig(): string | undefined {
  const found = NAMES.filter((name) => existsSync(name));
  if (found.length > 1)
    throw new ConfigurationError(`Found ${found.join(" and ")}: keep one of them, or set --config.`);
  return found[0] === undefined ? undefined : resolve(found[0]);
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConfigurationError(`${path} cannot be read.`, { cause });
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    // Only the position is used, because the rest of the message quotes the file.
    const at = /at position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    const before = text.slice(0, at === undefined ? text.length : Number(at)).split("\n");
    const place = `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
    throw new ConfigurationError(`${place}: the file is not valid JSON.`);
  }
}

/** Imports a user's module, which may be in TypeScript. @throws {ConfigurationError} the module cannot be loaded */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  if (!existsSync(path)) throw new ConfigurationError(`${basename(path)} is not in ${dirname(path)}.`);
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    const isUnknown =
      cause instanceof Error && "code" in cause && cause.code === "ERR_UNKNOWN_FILE_EXTENSION";
    if (cause instanceof SyntaxError && /outside a module|token 'export'/.test(cause.message))
      throw new ConfigurationError(
        `${path} is an ES module in a CommonJS package: name it .mts or .mjs, or set "type": "module" in package.json.`,
      );
    if (!isUnknown) throw new ConfigurationError(`${path} cannot be loaded.`, { cause });
    throw new ConfigurationError(
      `${path} cannot be loaded: Node ${process.versions.node} does not read TypeScript. Use Node 22.18 or later, or install tsx and set NODE_OPTIONS="--import tsx", or write the file in JavaScript.`,
    );
  }
}

/** Checks the options that the command line reads; the client checks its own. */
function requireConfig(path: string, value: unknown): asserts value is CliConfig {
  const refuse = (problem: string) => new ConfigurationError(`${path}: ${problem}.`);
  if (!isPlainObject(value)) throw refuse("the default export must be an object");
  const { apiKey, ledger, push = [] } = value;
  if (apiKey !== undefined && typeof apiKey !== "function")
    throw refuse(
      "apiKey must be a function: don't keep a key in this file. Use --api-key-file or the environment",
    );
  if (ledger !== undefined && (typeof ledger !== "string" || ledger === ""))
    throw refuse("ledger must be a path");
  if (!Array.isArray(push)) throw refuse("push must be an array of { collection, file, map, encoding }");
  for (const [index, entry] of push.entries()) {
    const place = `push[${index}]`;
    if (!isPlainObject(entry)) throw refuse(`${place} must be an object`);
    rejectUnknownKeys(`${path}: ${place}`, entry, PUSHED, ConfigurationError);
    const { collection, file } = entry;
    if (!isCollection(collection))
      throw refuse(`${place}.collection: ${unknownCollectionError(collection).message}`);
    const files: readonly unknown[] = Array.isArray(file) ? file : [file];
    if (files.length === 0 || !files.every((one) => typeof one === "string" && one !== ""))
      throw refuse(`${place}.file must be a path or an array of paths`);
  }
}
