import { open } from "node:fs/promises";
import { basename } from "node:path";
import { isPlainObject } from "../../core/validate.js";
import { fromCsv } from "../../sources/csv.js";
import { fromJsonl } from "../../sources/jsonl.js";
import { problemAt, type RecordLocation } from "../../sources/source.js";
import {
  COLLECTIONS,
  type Collection,
  type EventCollection,
  isSnapshot,
  type RecordOf,
  type SnapshotCollection,
} from "../../sync/collections.js";
import type { Connector } from "../../sync/run/connector.js";
import type { CliConfig } from "../cli-config.js";
import type { Io } from "../io.js";
import { RecordBuilder, timeFieldOf } from "./fields.js";

type Pushed = NonNullable<CliConfig["push"]>[number];

/** A file with records of a collection. Together, the files of a collection have all of them. */
export interface PushFile {
  readonly collection: Collection;
  readonly path: string;
  readonly format: "csv" | "jsonl";
  readonly map?: Pushed["map"];
  readonly encoding?: Pushed["encoding"];
}

const DELIMITERS = [",", ";", "\t", "|"];
const HEAD_BYTES = 64 * 1024;

/** The connector that sends files. */
export function fileConnector(
  files: readonly PushFile[],
  io: Io,
  hasLedger: boolean,
): Connector<SnapshotCollection> {
  const collections = [...new Set(files.map(({ collection }) => collection))];
  return {
    snapshots: collections.filter(isSnapshot),
    async run(batch, { watermark, advance }) {
      for (const name of collections) {
        const own = files.filter(({ collection }) => collection === name);
        if (isSnapshot(name)) {
          await batch.write(name, recordsOf(name, own, io));
          continue;
        }
        const event: EventCollection = name;
        const since = hasLedger ? watermark(event) : undefined;
        const times = new EventTimes(event, since);
        await batch.write(event, recordsOf(event, own, io, times));
        if (times.skipped > 0)
          io.note(`${event}: ${times.skipped} events before ${since} were sent by an earlier run.`);
        if (hasLedger && times.watermark !== undefined) advance(event, times.watermark);
      }
    },
  };
}

/** The records of all files of a collection, one file after the other. */
async function* recordsOf<C extends Collection>(
  collection: C,
  files: readonly PushFile[],
  io: Io,
  times?: EventTimes,
) {
  for (const { path, format, encoding, map } of files) {
    const name = basename(path);
    const accept = (record: unknown, at: RecordLocation): RecordOf<C> | undefined => {
      if (record === undefined || times?.isNew(record) === false) return undefined;
      if (isRecord(collection, record)) return record;
      throw problemAt(at.location, "is not an object");
    };
    if (format === "jsonl") {
      yield* fromJsonl(path, { map: accept });
      continue;
    }
    const builder = new RecordBuilder(collection, (problem) => io.warn(`${name}: ${problem}.`));
    const delimiter = await delimiterOf(path, encoding);
    if (delimiter !== ",") io.note(`${name}: its cells are separated by ${JSON.stringify(delimiter)}.`);
    const ofRow = (row: Readonly<Record<string, string>>, at: RecordLocation) =>
      accept(
        map === undefined ? builder.build(row) : builder.watched(row, (one) => mapped(map, one, at)),
        at,
      );
    yield* fromCsv(path, { map: ofRow, delimiter, encoding });
  }
}

function mapped(
  map: NonNullable<PushFile["map"]>,
  row: Readonly<Record<string, string>>,
  at: RecordLocation,
): unknown {
  try {
    return map(row);
  } catch (cause) {
    throw problemAt(at.location, `made map throw: ${cause instanceof Error ? cause.message : ""}`);
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

/**
 * Leaves out the events that an earlier run has sent. Events of the very time of the watermark are sent again if they have
 * ids, so that none is lost; the others would count twice.
 */
class EventTimes {
  readonly #field: string;
  readonly #since: number;
  readonly #sendsEqual: boolean;
  #latest: number;
  skipped = 0;

  constructor(collection: EventCollection, watermark: string | undefined) {
    this.#field = timeFieldOf(collection) ?? "";
    this.#sendsEqual = COLLECTIONS[collection].idField !== undefined;
    this.#since = watermark === undefined ? Number.NEGATIVE_INFINITY : Date.parse(watermark);
    this.#latest = this.#since;
  }

  /** Until when events were seen; undefined if there was none with a time. */
  get watermark(): string | undefined {
    return Number.isFinite(this.#latest) ? new Date(this.#latest).toISOString() : undefined;
  }

  /** A record without a valid time is sent: the write explains what is wrong with it. */
  isNew(record: unknown): boolean {
    const given: unknown = isPlainObject(record) ? record[this.#field] : undefined;
    const time = given instanceof Date ? given.getTime() : Date.parse(String(given));
    if (Number.isNaN(time)) return true;
    if (time > this.#latest) this.#latest = time;
    const isNew = this.#sendsEqual ? time >= this.#since : time > this.#since;
    if (!isNew) this.skipped += 1;
    return isNew;
  }
}
