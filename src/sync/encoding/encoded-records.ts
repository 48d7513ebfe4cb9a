import { afterVarint, varintAt } from "./byte-writer.js";
import type { EncodedMessage } from "./message-builder.js";

/**
 * Records that were checked and encoded before, as they lie in a message: tag, length and bytes of each. A source of the
 * SDK's own may yield them in place of records; a write copies them into a message as a block.
 */
export class EncodedRecords {
  readonly bytes: Uint8Array;
  /** Where they come from, for messages, such as `partition "a-m"`. */
  readonly location: string;

  constructor(bytes: Uint8Array, location: string) {
    this.bytes = bytes;
    this.location = location;
  }
}

/** Calls back with the place of each record of a message, without its tag and length. */
export function forEachRecord(
  { bytes, recordsStart }: Pick<EncodedMessage, "bytes" | "recordsStart">,
  callback: (start: number, end: number) => void,
): void {
  for (let at = recordsStart; at < bytes.length; ) {
    const length = afterVarint(bytes, at);
    const start = afterVarint(bytes, length);
    const end = start + varintAt(bytes, length);
    callback(start, end);
    at = end;
  }
}
