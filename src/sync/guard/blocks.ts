/** Snapshots that are judged before they are sent: their records are blocks of encoded ones. */
import type { SnapshotCollection } from "../collections.js";
import { type EncodedRecords, forEachRecord } from "../encoding/encoded-records.js";
import { InvalidRecords } from "../encoding/explain-record.js";
import { truncateId } from "../encoding/record-id.js";
import { EncodedRecord } from "../encoding/record-observer.js";
import type { Lines } from "../ledger/entry.js";
import { SnapshotIds } from "./snapshot-ids.js";

/** Records that are observed together. */
const GROUP = 256;

/** @throws {InvalidInputError} two records have the same id and different contents */
export async function observeBlocks(
  collection: SnapshotCollection,
  blocks: AsyncIterable<EncodedRecords>,
  ids: SnapshotIds,
): Promise<void> {
  const records = Array.from({ length: GROUP }, () => new EncodedRecord(true));
  let index = 0;
  for await (const { bytes, location } of blocks) {
    let invalid: InvalidRecords | undefined;
    const refuse = ({ idStart, idEnd, index: at }: EncodedRecord, expected: string) => {
      const id = truncateId(new TextDecoder().decode(bytes.subarray(idStart, idEnd)));
      invalid ??= new InvalidRecords();
      invalid.add([{ collection, index: at, id, location, path: "", expected }]);
    };
    let filled = 0;
    forEachRecord({ bytes, recordsStart: 0 }, (start, end) => {
      records[filled]?.moveTo(bytes, start, end, index);
      index += 1;
      filled += 1;
      if (filled === GROUP) ids.observeGroup(records, refuse);
      filled %= GROUP;
    });
    ids.observeGroup(records.slice(0, filled), refuse);
    invalid?.throw();
  }
}

/** Yields the ids of records, each once. */
export async function* linesOfBlocks(
  blocks: AsyncIterable<EncodedRecords>,
  keyOf: ((id: Uint8Array) => Uint8Array) | undefined,
): Lines {
  let pieces: Uint8Array[] = [];
  const write = (piece: Uint8Array) => void pieces.push(piece);
  const ids = new SnapshotIds({ profiled: undefined, write, keyOf });
  const record = new EncodedRecord(true);
  for await (const { bytes } of blocks) {
    forEachRecord({ bytes, recordsStart: 0 }, (start, end) => {
      // Their verdict has refused what must not be sent.
      ids.observe(record.moveTo(bytes, start, end, 0));
    });
    yield* pieces;
    pieces = [];
  }
  ids.flush();
  yield* pieces;
}
