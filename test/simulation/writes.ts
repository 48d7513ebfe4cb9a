import type { RecordOf, RecordSource, WriteOptions } from "@saas-management/sdk";
import type { CollectionWriter } from "../../src/sync/write/collection-writer.js";
import type { WriteStats } from "../../src/sync/write/options.js";
import { makeRecord, type SimCollection } from "./messages.js";
import type { ObservedWrite, Writing } from "./observation.js";
import { givingUp, type ProcessParts } from "./process-parts.js";
import type { PiecesSpec, WriteSpec } from "./program.js";
import { isWhole, keyOf, makeSource } from "./source.js";

/** What batch handles and run batches have in common. */
export interface Writes {
  write(
    collection: SimCollection,
    source: RecordSource<RecordOf<SimCollection>>,
    options: WriteOptions,
  ): Promise<WriteStats>;
  writer(collection: SimCollection): CollectionWriter<SimCollection>;
}

/** Writes a source and records the outcome. */
export async function runWrite(
  batch: Writes,
  { collection, source, abortAfterMs }: WriteSpec,
  observed: Writing,
  parts: ProcessParts,
) {
  const { observation, clock } = parts;
  const label = observation.label();
  const write: ObservedWrite = {
    label,
    collection,
    keys: source.ids.map(keyOf),
    whole: isWhole(source),
    afterCompletion: (observed.completion ?? "none") !== "none",
    outcome: "under way",
  };
  observed.writes.push(write);
  const limit = givingUp(abortAfterMs, parts);
  const signal = limit?.signal;
  const records = makeSource(source, collection, label, clock, signal);
  const written = await observation.settle(batch.write(collection, records, { signal }));
  limit?.end();
  write.outcome = "value" in written ? "done" : "failed";
  if ("error" in written) {
    write.error = written.error;
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
  const { collection, pieces, sealed, awaited } = step;
  const { observation } = parts;
  const write: ObservedWrite = {
    label: observation.label(),
    collection,
    pieces: true,
    keys: pieces.flat().map(keyOf),
    whole: sealed,
    afterCompletion: (observed.completion ?? "none") !== "none",
    outcome: "under way",
  };
  const failed = (error: unknown) => {
    write.error = error;
  };
  try {
    const writer = batch.writer(collection);
    observed.writes.push(write);
    const pushes: Promise<void>[] = [];
    let index = 0;
    for (const piece of pieces) {
      const records = piece.map((id) => makeRecord(collection, keyOf(id), `${write.label}#${index++}`));
      const pushed = observation.settle(writer.write(records)).then((done) => {
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
