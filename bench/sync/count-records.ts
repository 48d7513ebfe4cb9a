import { BATCH_ID_PATH, WIRE } from "../../src/sync/generated/collections.js";

/** Field of a request that holds the batch's id, or its header; all others hold a collection. */
const [BATCH_ID_FIELD] = BATCH_ID_PATH;
/** Messages from the request down to a list of records: as many for every kind that is measured. */
const DEPTH = WIRE.accounts.path.length;

/** How many records a SyncRecordsRequest holds. Walks over their lengths: every field on the way has one. */
export function countRecords(request: Uint8Array): number {
  return countAt(request, 0, request.length, 0);
}

function countAt(bytes: Uint8Array, begin: number, end: number, depth: number): number {
  let records = 0;
  let at = begin;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at] ?? 0;
      at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < end) {
    const field = varint() >> 3;
    const length = varint();
    if (depth === DEPTH) records += 1;
    else if (depth > 0 || field !== BATCH_ID_FIELD) records += countAt(bytes, at, at + length, depth + 1);
    at += length;
  }
  return records;
}
