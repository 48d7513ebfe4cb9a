import { open } from "node:fs/promises";
import { basename } from "node:path";
import { InvalidInputError } from "../../core/errors/index.js";
import { isPlainObject } from "../../core/validate.js";
import type { Connector } from "../../runs/connector.js";
import { readCsv } from "../../sources/csv.js";
import { fromJsonl } from "../../sources/jsonl.js";
import { problemAt, type RecordLocation } from "../../sources/source.js";
import {
  type Collection,
  isSnapshot,
  type RecordOf,
  type SnapshotCollection,
} from "../../sync/collections.js";
import type { CliConfig } from "../cli-config.js";
import type { Io } from "../io.js";
import { type Row, rowReader } from "./fields.js";

type Pushed = NonNullable<CliConfig["push"]>[number];

/** A file with records of a collection. Together, the files of a collection have all of them. */
export interface PushFile {
  readonly collection: Collection;
  readonly path: string;
  readonly format: "csv" | "jsonl";
  readonly map?: Pushed["map"];
  readonly encoding?: Pushed["encoding"];
  readonly delimiter?: Pushed["delimiter"];
  readonly allowEmpty?: Pushed["allowEmpty"];
}

/** Tells people what they should know about their files. */
type Notes = Pick<Io, "note" | "warn">;

const DELIMITERS = [",", ";", "\t", "|"];
const HEAD_BYTES = 64 * 1024;

/** The connector that sends files. */
export function fileConnector(
  files: readonly PushFile[],
  io: Notes,
  hasLedger: boolean,
): Connector<SnapshotCollection> {
  const collections = [...new Set(files.map(({ collection }) => collection))];
  return {
    snapshots: collections.filter(isSnapshot),
    async run(batch) {
      for (const name of collections) {
        const own = files.filter(({ collection }) => collection === name);
        if (isSnapshot(name)) {
          await batch.write(name, recordsOf(name, own, io));
          continue;
        }
        const { sent, skipped } = await batch.write(name, recordsOf(name, own, io), { newOnly: hasLedger });
        if (skipped > 0) io.note(`${name}: ${skipped} of ${sent + skipped} events were sent before.`);
      }
    },
  };
}

/** The records of all files of a collection, one file after the other. */
async function* recordsOf<C extends Collection>(collection: C, files: readonly PushFile[], io: Notes) {
  for (const { path, format, map, ...given } of files) {
    const { encoding, allowEmpty } = given;
    const name = basename(path);
    const accept = (record: unknown, at: RecordLocation): RecordOf<C> | undefined => {
      if (record === undefined) return undefined;
      if (isRecord(collection, record)) return record;
      throw problemAt(at.location, "is not an object");
    };
    if (format === "jsonl") {
      yield* fromJsonl(path, { map: accept, encoding, allowEmpty });
      continue;
    }
    const { choose, read } = rowReader(collection, (problem) => io.warn(`${name}: ${problem}.`));
    const delimiter = given.delimiter ?? (await delimiterOf(path, encoding));
    if (delimiter !== "," && given.delimiter === undefined)
      io.note(`${name}: cells are separated by ${JSON.stringify(delimiter)}.`);
    const mapped = (row: Row, at: RecordLocation) => {
      try {
        return accept(map?.(row), at);
      } catch (cause) {
        if (cause instanceof InvalidInputError) throw cause;
        const message = cause instanceof Error ? cause.message.replace(/\.$/, "") : "";
        throw problemAt(at.location, `made map throw: ${message}`);
      }
    };
    const options = { delimiter, encoding, allowEmpty };
    if (map !== undefined) yield* readCsv(path, { ...options, map: mapped });
    else yield* readCsv(path, { ...options, map: (row, at) => accept(read(row, at), at) }, choose);
  }
}

/** Only whether it is an object: the write checks it by its schema. */
function isRecord<C extends Collection>(_: C, value: unknown): value is RecordOf<C> {
  return isPlainObject(value);
}

/** What separates the cells of a file: the character that its header has most of, outside of quotes. */
async function delimiterOf(path: string, encoding = "utf-8"): Promise<string> {
  const file = await open(path).catch(() => undefined);
  // The source says why it cannot be read.
  if (file === undefined) return ",";
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const text = new TextDecoder(encoding).decode(buffer.subarray(0, bytesRead));
    const [header = ""] = text.replace(/"[^"]*"/g, "").split("\n", 1);
    const countOf = (delimiter: string) => header.split(delimiter).length;
    return DELIMITERS.reduce((best, one) => (countOf(one) > countOf(best) ? one : best));
  } finally {
    await file.close();
  }
}
