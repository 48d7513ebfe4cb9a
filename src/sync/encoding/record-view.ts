import type { MessageBuilder } from "./messages.js";
import { type IdRange, idRange } from "./record-id.js";
import type { EncodedRecord } from "./record-observer.js";

/** Where the id lies of a record that has none. */
const NO_ID: IdRange = { start: 0, end: 0 };

/** What an observer sees of the record that a message builder holds: moves on with it from record to record. */
export class RecordView implements EncodedRecord {
  buffer: Uint8Array = new Uint8Array();
  start = 0;
  end = 0;
  idStart = 0;
  idEnd = 0;
  index = 0;
  readonly #hasIds: boolean;

  constructor(hasIds: boolean) {
    this.#hasIds = hasIds;
  }

  /** Moves on to the builder's last record, which has this index in its write. */
  moveTo({ buffer, recordStart, recordEnd }: MessageBuilder, index: number): this {
    this.buffer = buffer;
    this.start = recordStart;
    this.end = recordEnd;
    this.index = index;
    const { start, end } = this.#hasIds ? idRange(buffer, recordStart) : NO_ID;
    this.idStart = start;
    this.idEnd = end;
    return this;
  }
}
