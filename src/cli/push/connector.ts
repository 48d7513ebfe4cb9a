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

/** A file with records of a collection. Together, a collection's files have all of its records. */
export interface PushFile extends Pick<Pushed, "map" | "encoding" | "delimiter" | "allowEmpty"> {
  readonly collection: Collection;
  readonly path: string;
  readonly format: "csv" | "jsonl";
}

/** Warns people about their files. */
type Notes = Pick<Io, "note" | "warn">;

const DELIMITERS = [",", ";", "\t", "|"];

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
  for (const { path, format, map, delimiter, encoding, allowEmpty } of files) {
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
    const detection = {
      choose: map === undefined ? choose : undefined,
      delimiterIn(text: string) {
        const delimiter = delimiterOf(text);
        if (delimiter !== ",") io.note(`${name}: cells are separated by ${JSON.stringify(delimiter)}.`);
        return delimiter;
      },
    };
    const toRecord = (row: Row, at: RecordLocation) => {
      if (map === undefined) return accept(read(row, at), at);
      try {
        return accept(map(row), at);
      } catch (cause) {
        if (cause instanceof InvalidInputError) throw cause;
        const message = cause instanceof Error ? cause.message.replace(/\.$/, "") : "";
        throw problemAt(at.location, `made map throw: ${message}`);
      }
    };
    yield* readCsv(path, { delimiter, encoding, allowEmpty, map: toRecord }, detection);
  }
}

/** Only checks that the value is an object; the write checks it against the collection's schema. */
function isRecord<C extends Collection>(_: C, value: unknown): value is RecordOf<C> {
  return isPlainObject(value);
}

/** The separator of a header's cells: the most frequent character outside quotes. */
function delimiterOf(text: string): string {
  const [header = ""] = text.replace(/"[^"]*"/g, "").split("\n", 1);
  const countOf = (delimiter: string) => header.split(delimiter).length;
  return DELIMITERS.reduce((best, one) => (countOf(one) > countOf(best) ? one : best));
}
