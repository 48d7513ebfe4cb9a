import { basename } from "node:path";
import { type InputIssue, InvalidInputError } from "../../core/errors/index.js";
import { isPlainObject } from "../../core/validate.js";
import { fromCsv } from "../../sources/csv.js";
import { fromJsonl } from "../../sources/jsonl.js";
import { problemAt, type RecordLocation, type Source } from "../../sources/source.js";
import {
  type Collection,
  type EventCollection,
  isSnapshot,
  type RecordOf,
  type SnapshotCollection,
} from "../../sync/collections.js";
import type { Connector } from "../../sync/run/connector.js";
import type { Io } from "../io.js";
import { EventTimes } from "./event-times.js";
import { fieldsOf } from "./field-types.js";
import type { PushFile } from "./files.js";
import { RecordBuilder } from "./record-builder.js";

interface PushPart {
  readonly file: PushFile;
  /** Undefined for JSONL without a mapping, whose values are records. */
  readonly builder: RecordBuilder | undefined;
}

/** The connector that sends files. @throws {InvalidInputError} a mapping names a field that does not exist */
export function fileConnector(
  files: readonly PushFile[],
  io: Io,
  hasLedger: boolean,
): { readonly connector: Connector<SnapshotCollection>; readonly explain: (error: unknown) => unknown } {
  const parts = files.map((file): PushPart => ({ file, builder: builderOf(file, io) }));
  const collections = [...new Set(files.map(({ collection }) => collection))];
  const connector: Connector<SnapshotCollection> = {
    snapshots: collections.filter(isSnapshot),
    async run(batch, { watermark, advance }) {
      for (const collection of collections) {
        const own = parts.filter(({ file }) => file.collection === collection);
        if (isSnapshot(collection)) {
          await batch.write(collection, sourceOf(collection, own));
          continue;
        }
        const name: EventCollection = collection;
        const since = hasLedger ? watermark(name) : undefined;
        const times = new EventTimes(name, since);
        await batch.write(name, sourceOf(name, own, times));
        if (times.skipped > 0)
          io.note(`${name}: ${times.skipped} events before ${since} were sent by an earlier run.`);
        if (hasLedger && times.watermark !== undefined) advance(name, times.watermark);
      }
    },
  };
  return { connector, explain: (error) => withColumn(error, parts) };
}

function builderOf({ collection, path, format, fields }: PushFile, io: Io): RecordBuilder | undefined {
  if (format === "jsonl" && fields === undefined) return undefined;
  return new RecordBuilder(collection, fieldsOf(collection), fields, (ignored) => {
    const names = ignored.map((column) => JSON.stringify(column)).join(", ");
    io.warn(
      `${path} has columns that are not fields of ${collection}, and are not sent: ${names}. push.${collection}.fields of the configuration names their fields.`,
    );
  });
}

/** The records of all files of a collection, one file after the other. */
async function* sourceOf<C extends Collection>(
  collection: C,
  parts: readonly PushPart[],
  times?: EventTimes,
) {
  for (const part of parts) yield* recordsOf(collection, part, times);
}

function recordsOf<C extends Collection>(
  collection: C,
  { file: { path, format, fields, delimiter, encoding }, builder }: PushPart,
  times: EventTimes | undefined,
): Source<RecordOf<C>> {
  const map = (value: unknown, at: RecordLocation): RecordOf<C> | undefined => {
    const record = builder === undefined ? value : builder.build(value, at);
    if (times?.isNew(record) === false) return undefined;
    if (isRecord(collection, record)) return record;
    throw problemAt(at.location, "is not a JSON object");
  };
  if (format === "jsonl") return fromJsonl(path, { map });
  return fromCsv(path, { columns: fields && Object.keys(fields), map, delimiter, encoding });
}

/** Only whether it is an object: the write checks it by its schema. */
function isRecord<C extends Collection>(_: C, value: unknown): value is RecordOf<C> {
  return isPlainObject(value);
}

/** Adds the column to the error of a record that a write refused. */
function withColumn(error: unknown, parts: readonly PushPart[]): unknown {
  if (!(error instanceof InvalidInputError) || error.code !== "INVALID_INPUT") return error;
  const [first] = error.issues;
  const columnOf = ({ collection, location, path }: InputIssue) =>
    parts
      .find(({ file }) => file.collection === collection && location?.startsWith(`${basename(file.path)}:`))
      ?.builder?.columnOf(path);
  const column = first && columnOf(first);
  // Errors of the builder name the column.
  if (first === undefined || column === undefined || first.index === undefined) return error;
  const issues = error.issues.map((issue) => {
    const own = columnOf(issue);
    if (own === undefined || issue.location === undefined) return issue;
    return { ...issue, location: `${issue.location}, column ${JSON.stringify(own)}` };
  });
  const [place] = issues;
  return new InvalidInputError(`${place?.location}: ${error.message}`, { issues, cause: error });
}
