import { basename, extname, resolve } from "node:path";
import { isCollection, unknownCollectionError } from "../../sync/collections.js";
import { type Connection, resolveConnection } from "../connect.js";
import type { Io } from "../io.js";
import { type Options, UsageError } from "../options.js";
import { execute } from "../run.js";
import type { PushFile } from "./connector.js";

/** Sends files in one run. */
export async function run(files: readonly string[], options: Options, io: Io): Promise<void> {
  const connection = await resolveConnection(options);
  const found = pushFiles(files, connection, options);
  const { fileConnector } = await import("./connector.js");
  await execute(fileConnector(found, io, connection.ledger !== "none"), {}, options, connection, io);
}

/**
 * Finds the collection of each file.
 * @param files Arguments such as `accounts.csv` or `accounts=users.csv`; if there are none, the configured files.
 * @throws {UsageError} no file or collection is named, or a file is given twice
 */
function pushFiles(
  files: readonly string[],
  { config: { push = [] }, directory }: Pick<Connection, "config" | "directory">,
  { delimiter, encoding }: Pick<Options, "delimiter" | "encoding">,
): readonly PushFile[] {
  const configured = push.flatMap(({ file, ...how }) =>
    [file].flat().map((one) => pushFile({ ...how, path: resolve(directory, one) })),
  );
  const named = files.length === 0 ? configured : files.map((file) => namedFile(file, configured));
  const found = named.map((file) => ({
    ...file,
    delimiter: delimiter ?? file.delimiter,
    encoding: encoding ?? file.encoding,
  }));
  if (found.length === 0) throw new UsageError("Nothing to push: name a file, such as accounts=users.csv.");
  const twice = found.find(({ path }, i) => found.findIndex((other) => other.path === path) < i);
  if (twice !== undefined) throw new UsageError(`${twice.path} is given twice.`);
  return found;
}

function namedFile(given: string, configured: readonly PushFile[]): PushFile {
  const [, name, file = given] = /^(\w+)=(.*)$/.exec(given) ?? [];
  if (file === "-")
    throw new UsageError(
      `${given} is refused: a broken pipe looks like complete data, so missing records would be removed. Write a file first.`,
    );
  const path = resolve(file);
  const known = configured.find((one) => one.path === path && (name ?? one.collection) === one.collection);
  if (known !== undefined) return known;
  const collection = name ?? basename(path, extname(path));
  if (isCollection(collection)) return pushFile({ collection, path });
  if (name !== undefined) throw new UsageError(unknownCollectionError(name).message);
  throw new UsageError(`Which collection is ${file}? Say so: accounts=${file}.`);
}

function pushFile(file: Omit<PushFile, "format">): PushFile {
  const format = /\.(jsonl|ndjson)$/i.test(file.path) ? "jsonl" : "csv";
  if (format === "csv" && !/\.(csv|tsv|txt)$/i.test(file.path))
    throw new UsageError(`${file.path} must end with .csv, .tsv, .txt, .jsonl or .ndjson.`);
  if (format === "jsonl" && file.map !== undefined)
    throw new UsageError(`${file.path}: map is for CSV. The values of a JSONL file are records.`);
  return { ...file, format };
}
