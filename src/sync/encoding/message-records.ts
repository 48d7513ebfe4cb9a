import { afterVarint, varintAt } from "./record-id.js";

/** The records of an encoded message. */
export interface MessageRecords {
  readonly bytes: Uint8Array;
  /** Where in the bytes the first record begins, with its tag. The last one ends where the bytes do. */
  readonly recordsStart: number;
}

/** Calls back with where each record lies, without its tag and length. */
export function forEachRecord(
  { bytes, recordsStart }: MessageRecords,
  callback: (start: number, end: number) => void,
): void {
  for (let at = recordsStart; at < bytes.length; ) {
    // A field of messages: each is tag, length and bytes.
    const start = afterVarint(bytes, at + 1);
    const end = start + varintAt(bytes, at + 1);
    callback(start, end);
    at = end;
  }
}
