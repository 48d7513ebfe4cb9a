/** Field of a request that holds the batch's id; all others hold a collection. */
const BATCH_ID_FIELD = 1;

/** How many records a SyncRecordsRequest holds. Walks over their lengths: every field on the way has one. */
export function countRecords(request: Uint8Array): number {
  let records = 0;
  walk(request, 0, request.length, (field, from, to) => {
    if (field === BATCH_ID_FIELD) return;
    walk(request, from, to, () => {
      records += 1;
    });
  });
  return records;
}

function walk(
  bytes: Uint8Array,
  begin: number,
  end: number,
  visit: (field: number, from: number, to: number) => void,
): void {
  let at = begin;
  while (at < end) {
    const field = (bytes[at] ?? 0) >> 3;
    at += 1;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at] ?? 0;
      at += 1;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    visit(field, at, at + length);
    at += length;
  }
}
