import { basename, extname, resolve } from "node:path";
import { type Collection, isCollection, unknownCollectionError } from "../../sync/collections.js";
import { UsageError } from "../command-module.js";
import type { PushedFile } from "../config/schema.js";
import type { Connection } from "../connection/connect.js";

/** A file with records of a collection. Together, the files of a collection have all of them. */
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
 * @throws {UsageError} no file or collection is named, or a file is given twice
 */
export function pushFiles(
  files: readonly string[],
  pairs: readonly string[],
  { config, directory }: Pick<Connection, "config" | "directory">,
): readonly PushFile[] {
  const configured = config.push ?? {};
  const found: (readonly [Collection, string])[] = [];
  const add = (name: string, path: string) => {
    if (!isCollection(name)) throw new UsageError(unknownCollectionError(name).message);
    if (found.some(([, other]) => other === path)) throw new UsageError(`${path} is given twice.`);
    found.push([name, path]);
  };
  for (const pair of pairs) {
    const [, name = "", path = ""] = /^([^=]*)=(.+)$/.exec(pair) ?? [];
    if (path === "") throw new UsageError("--collection must be a name and a file: accounts=users.csv.");
    if (path === "-")
      throw new UsageError(
        `${name}=- is refused: a pipe that breaks looks complete, and missing records would be removed. Write a file first: query > ${name}.csv && saas-management push ${name}.csv.`,
      );
    add(name, resolve(path));
  }
  const named = new Map(
    Object.entries(configured).flatMap(([name, { file = [] }]) =>
      [file].flat().map((one) => [resolve(directory, one), name] as const),
    ),
  );
  for (const file of files) {
    const path = resolve(file);
    const name = named.get(path) ?? basename(path, extname(path));
    if (!isCollection(name))
      throw new UsageError(`Which collection is ${file}? Say so: --collection accounts=${file}.`);
    add(name, path);
  }
  if (found.length === 0) for (const [path, name] of named) add(name, path);
  if (found.length === 0)
    throw new UsageError("Nothing to push: name a file, such as --collection accounts=users.csv.");
  return found.map(([collection, path]) => {
    const format = FORMATS.get(extname(path).toLowerCase());
    if (format === undefined)
      throw new UsageError(`${path} must end with ${[...FORMATS.keys()].join(", ")}.`);
    const { file: _, ...options } = configured[collection] ?? {};
    return { ...format, ...options, collection, path };
  });
}
