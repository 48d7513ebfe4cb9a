import { basename, extname, resolve } from "node:path";
import { type Collection, isCollection, unknownCollectionError } from "../../sync/collections.js";
import { UsageError } from "../command-module.js";
import type { PushedFile } from "../config/schema.js";
import type { Connection } from "../connection/connect.js";

/** A file and the collection that it has all records of. */
export interface PushFile extends Omit<PushedFile, "file"> {
  readonly collection: Collection;
  readonly path: string;
  readonly format: "csv" | "jsonl";
}

const FORMATS = new Map<string, Pick<PushFile, "format" | "delimiter">>([
  [".csv", { format: "csv" }],
  [".tsv", { format: "csv", delimiter: "\t" }],
  [".txt", { format: "csv" }],
  [".jsonl", { format: "jsonl" }],
  [".ndjson", { format: "jsonl" }],
]);

/**
 * Finds out which file has which collection.
 * @param files Named after their collections, such as `accounts.csv`, or as the configuration names them.
 * @param pairs Values of `--collection`, such as `accounts=users.csv`.
 * @throws {UsageError} a file or a collection is missing or given twice
 */
export function pushFiles(
  files: readonly string[],
  pairs: readonly string[],
  { config, directory }: Pick<Connection, "config" | "directory">,
): readonly PushFile[] {
  const configured = config.push ?? {};
  const found = new Map<Collection, string>();
  const add = (name: string, path: string) => {
    if (!isCollection(name)) throw new UsageError(unknownCollectionError(name).message);
    if (found.has(name)) throw new UsageError(`${name} has two files: a collection is one file.`);
    found.set(name, path);
  };
  for (const pair of pairs) {
    const [, name = "", path = ""] = /^([^=]*)=(.+)$/.exec(pair) ?? [];
    if (path === "") throw new UsageError("--collection must be a name and a file: accounts=users.csv.");
    add(name, resolve(path));
  }
  const named = new Map(
    Object.entries(configured).flatMap(([name, { file }]) =>
      file === undefined ? [] : [[resolve(directory, file), name] as const],
    ),
  );
  for (const file of files) {
    const path = resolve(file);
    const name = named.get(path) ?? basename(path, extname(path));
    if (!isCollection(name))
      throw new UsageError(`Which collection is ${file}? Say so: --collection accounts=${file}.`);
    add(name, path);
  }
  if (found.size === 0) for (const [path, name] of named) add(name, path);
  if (found.size === 0)
    throw new UsageError("Nothing to push: name a file, such as --collection accounts=users.csv.");
  return [...found].map(([collection, path]) => {
    const format = FORMATS.get(extname(path).toLowerCase());
    if (format === undefined)
      throw new UsageError(`${path} must end with ${[...FORMATS.keys()].join(", ")}.`);
    const { file: _, ...options } = configured[collection] ?? {};
    return { ...format, ...options, collection, path };
  });
}
