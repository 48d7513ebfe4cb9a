import type { RecordOf, RecordSource, WriteOptions } from "@saas-management/sdk";
import type { CollectionWriter } from "../../src/sync/write/collection-writer.js";
import type { WriteStats } from "../../src/sync/write/options.js";
import { makeRecord, type SimCollection } from "./messages.js";
import type { ObservedWrite, Writing } from "./observation.js";
import { givingUp, type ProcessParts, relyNoMore } from "./process-parts.js";
import type { PiecesSpec, WriteSpec } from "./program.js";
import { changeArray, isWhole, keyOf, makeArray, makeSource } from "./source.js";

/** The batch of a handle, or that of a run. */
export interface Writes {
  write(
    collection: SimCollection,
    source: RecordSource<RecordOf<SimCollection>>,
    options: WriteOptions,
  ): Promise<WriteStats>;
  writer(collection: SimCollection): CollectionWriter<SimCollection>;
}

/** Writes a source, and writes down how that went. */
export async function runWrite(
  batch: Writes,
  { collection, source, changed, abortAfterMs }: WriteSpec,
  observed: Writing,
  parts: ProcessParts,
) {
  const { observation, clock } = parts;
  const label = observation.label();
  const write: ObservedWrite = {
    label,
    collection,
    keys: source.ids.map(keyOf),
    changed: source.kind === "array" && changed !== undefined,
    whole: isWhole(source),
    afterCompletion: (observed.completion ?? "none") !== "none",
    outcome: "under way",
  };
  observed.writes.push(write);
  const limit = givingUp(abortAfterMs, parts);
  const signal = limit?.signal;
  const array = source.kind === "array" ? makeArray(source, collection, label) : undefined;
  const records = array ?? makeSource(source, collection, label, clock, signal);
  const writing = batch.write(collection, records, { signal });
  if (array !== undefined) changeArray(array, changed, collection, label);
  const written = await observation.settle(writing);
  limit?.end();
  write.outcome = "value" in written ? "done" : "failed";
  if ("error" in written) {
    write.error = written.error;
    relyNoMore(observed, parts);
  }
  return written;
}

/** Writes a collection piece by piece. */
export async function runPieces(
  step: PiecesSpec,
  batch: Writes,
  observed: Writing,
  parts: ProcessParts,
): Promise<void> {
  const { collection, pieces, sealed, awaited, changed } = step;
  const { observation } = parts;
  const write: ObservedWrite = {
    label: observation.label(),
    collection,
    pieces: true,
    keys: pieces.flat().map(keyOf),
    changed: changed !== undefined,
    whole: sealed,
    afterCompletion: (observed.completion ?? "none") !== "none",
    outcome: "under way",
  };
  const failed = (error: unknown) => {
    write.error = error;
    relyNoMore(observed, parts);
  };
  try {
    const writer = batch.writer(collection);
    observed.writes.push(write);
    const pushes: Promise<void>[] = [];
    /** One array for all pieces, where it is emptied after each. */
    const buffer: RecordOf<SimCollection>[] = [];
    /** The objects of a piece, for the pieces after it. */
    const objects: RecordOf<SimCollection>[] = [];
    let index = 0;
    for (const piece of pieces) {
      const records = changed === "emptied" ? buffer : [];
      for (const [position, id] of piece.entries()) {
        const record = makeRecord(collection, keyOf(id), `${write.label}#${index++}`);
        objects[position] = changed === "reused" ? Object.assign(objects[position] ?? {}, record) : record;
        records.push(objects[position]);
      }
      const pushing = writer.write(records);
      changeArray(records, changed, collection, write.label, index - piece.length);
      const pushed = observation.settle(pushing).then((done) => {
        if ("error" in done) failed(done.error);
      });
      if (awaited) await pushed;
      else pushes.push(pushed);
    }
    if (sealed) {
      const done = await observation.settle(writer.end());
      write.outcome = "value" in done ? "done" : "failed";
      if ("error" in done) failed(done.error);
    }
    await Promise.all(pushes);
  } catch (error) {
    observation.told.push(error);
  }
}
