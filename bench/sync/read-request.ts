import { COLLECTIONS, type CollectionInfo } from "../../src/sync/collections.js";
import { BATCH_ID_PATH, WIRE } from "../../src/sync/generated/collections.js";

export interface ReadRequest {
  readonly batchId: string;
  readonly collection: CollectionInfo | undefined;
  readonly records: number;
}

/** Number of the field that has the batch's id or a header with it; every other field is a collection. */
const [BATCH_ID_FIELD = 0] = BATCH_ID_PATH;
/** The nesting depth of a list of records in a request; the same for every measured kind. */
const DEPTH = WIRE.accounts.path.length;

/** Reads a request without decoding its records: it skips each of them by its length prefix. */
export function readRequest(request: Buffer): ReadRequest {
  let batchId = "";
  let collection: CollectionInfo | undefined;
  const walk = (begin: number, end: number, depth: number): number => {
    let records = 0;
    let at = begin;
    const varint = (): number => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = request[at] ?? 0;
        at += 1;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    };
    while (at < end) {
      const field = varint() >> 3;
      const length = varint();
      if (depth === DEPTH) records += 1;
      else if (depth > 0 || field !== BATCH_ID_FIELD) {
        if (depth === 0) collection = Object.values(COLLECTIONS).find(({ path }) => path[0] === field);
        records += walk(at, at + length, depth + 1);
      } else batchId = request.toString("latin1", at, at + length);
      at += length;
    }
    return records;
  };
  return { records: walk(0, request.length, 0), batchId, collection };
}
