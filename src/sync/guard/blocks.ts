/** Snapshots that are judged before they are sent: their records are blocks of encoded ones. */
import type { SnapshotCollection } from "../collections.js";
import { type EncodedRecords, forEachRecord } from "../encoding/encoded-records.js";
import { InvalidRecords } from "../encoding/explain-record.js";
import { truncateId } from "../encoding/record-id.js";
import { EncodedRecord } from "../encoding/record-observer.js";
import type { Lines } from "../ledger/entry.js";
import { SnapshotIds } from "./snapshot-ids.js";

/** @throws {InvalidInputError} two records have the same id and different contents */
export async function observeBlocks(
  collection: SnapshotCollection,
  blocks: AsyncIterable<EncodedRecords>,
  ids: SnapshotIds,
): Promise<void> {
  const walk = blockWalk(collection, ids);
  for await (const block of blocks) walk(block);
}

/** Yields the ids of records, each once. */
export async function* linesOfBlocks(
  blocks: AsyncIterable<EncodedRecords>,
  collection: SnapshotCollection,
  keyOf: ((id: Uint8Array) => Uint8Array) | undefined,
): Lines {
  let pieces: Uint8Array[] = [];
  const write = (piece: Uint8Array) => void pieces.push(piece);
  const ids = new SnapshotIds({ profiled: undefined, write, keyOf });
  const walk = blockWalk(collection, ids);
  for await (const block of blocks) {
    walk(block);
    yield* pieces;
    pieces = [];
  }
  ids.flush();
  yield* pieces;
}

function blockWalk(collection: SnapshotCollection, ids: SnapshotIds): (block: EncodedRecords) => void {
  const record = new EncodedRecord(true);
  let index = 0;
  return ({ bytes, location }) => {
    let invalid: InvalidRecords | undefined;
    forEachRecord({ bytes, recordsStart: 0 }, (start, end) => {
      const expected = ids.observe(record.moveTo(bytes, start, end, index));
      if (expected !== undefined) {
        const id = truncateId(new TextDecoder().decode(bytes.subarray(record.idStart, record.idEnd)));
        invalid ??= new InvalidRecords();
        invalid.add([{ collection, index, id, location, path: "", expected }]);
      }
      index += 1;
    });
    invalid?.throw();
  };
}
