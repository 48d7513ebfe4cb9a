/** Bytes of an id: from `start` up to `end`. */
export interface IdRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the id lies in an encoded record whose records have ids: a record is its variant, whose first field is the id.
 * The code generator makes sure of that.
 */
export function idRange(buffer: Uint8Array, recordStart: number): IdRange {
  const length = afterVarint(buffer, afterVarint(buffer, recordStart));
  const idTag = length;
  const start = afterVarint(buffer, idTag + 1);
  return { start, end: start + varintAt(buffer, idTag + 1) };
}

/** Where a varint that begins at `position` ends. */
export function afterVarint(buffer: Uint8Array, position: number): number {
  let at = position;
  while ((buffer[at] ?? 0) >= 0x80) at += 1;
  return at + 1;
}

/** The number that a varint at `position` stands for. */
export function varintAt(buffer: Uint8Array, position: number): number {
  let value = 0;
  let factor = 1;
  for (let at = position; ; at += 1) {
    const byte = buffer[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
    factor *= 0x80;
  }
}
